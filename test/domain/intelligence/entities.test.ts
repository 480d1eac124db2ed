// Names to underlyings: a match states its basis, an ambiguous name matches nothing, an unknown one stays unknown.
import { expect, test } from 'vitest';
import { CATALOG, createCatalog } from '../../../src/domain/catalog/catalog.ts';
import { indexEntityNames, ISSUERS, plainName } from '../../../src/domain/intelligence/entities.ts';

const names = indexEntityNames(CATALOG);

test.each([
  ['ticker', 'AAPL', 'AAPL'],
  ['ticker', 'aaplx', 'AAPL'],
  ['ticker', 'GOOG', 'GOOGL'],
  ['cashtag', '$btc', 'BTC'],
  ['cashtag', '$SPACEX', 'SPACEX'],
  ['cik', '0000320193', 'AAPL'],
  ['cik', '1318605', 'TSLA'],
  ['name', 'Apple Inc.', 'AAPL'],
  ['name', 'Alphabet Inc. Class A Common Stock', 'GOOGL'],
  ['name', 'NVIDIA CORPORATION', 'NVDA'],
  ['name', 'Anthropic, PBC', 'ANTHROPIC'],
] as const)('%s %s is recognized', (kind, text, asset) => {
  expect(names.map([{ kind, text }])).toEqual({ entities: [{ asset, by: kind, matched: text }], ambiguous: [], unmapped: [] });
});

test.each([
  ['ticker', 'AMD'],
  ['name', 'Apple Hospitality REIT'],
  ['name', 'Teslar'],
  ['cik', '999'],
  ['ticker', '320193'],
  ['cashtag', '$'],
] as const)('%s %s is not guessed', (kind, text) => {
  expect(names.map([{ kind, text }])).toEqual({ entities: [], ambiguous: [], unmapped: [text] });
});

test('a name of two underlyings matches neither', () => {
  const two = indexEntityNames(CATALOG, [...ISSUERS, { asset: 'ETH', cik: null, tickers: ['SOL'], names: ['Solana'], distinctive: [] }]);
  expect(
    two.map([
      { kind: 'cashtag', text: '$SOL' },
      { kind: 'name', text: 'Solana' },
      { kind: 'ticker', text: 'BTC' },
    ]),
  ).toEqual({
    entities: [{ asset: 'BTC', by: 'ticker', matched: 'BTC' }],
    ambiguous: [
      { matched: '$SOL', assets: ['ETH', 'SOL'] },
      { matched: 'Solana', assets: ['ETH', 'SOL'] },
    ],
    unmapped: [],
  });
});

test('only names in the catalog are recognized', () => {
  const small = indexEntityNames(createCatalog(CATALOG.entries.filter(({ underlying }) => underlying === 'BTC')));
  expect(small.map([{ kind: 'name', text: 'Apple' }]).unmapped).toEqual(['Apple']);
  expect(small.ciks.size).toBe(0);
});

test('a text is searched for cashtags and for unambiguous names', () => {
  expect(names.mentionsIn('$AAPL and $aapl, not $5 or US$MSFT; Tesla but not Teslas, apple pie, Meta level')).toEqual([
    { kind: 'cashtag', text: '$AAPL' },
    { kind: 'name', text: 'Tesla' },
  ]);
});

test('every issuer is one of the catalog, and no key of the regulator occurs twice', () => {
  // Agent tokens listed while this process runs have no issuer.
  const listings = CATALOG.entries.filter(({ kind }) => kind !== 'agent_token');
  const underlyings = new Set(listings.map(({ underlying }) => underlying));
  expect(ISSUERS.filter(({ asset }) => !underlyings.has(asset))).toEqual([]);
  expect([...underlyings].filter((asset) => !ISSUERS.some((issuer) => issuer.asset === asset))).toEqual([]);
  expect(names.ciks.size).toBe(ISSUERS.filter(({ cik }) => cik !== null).length);
  expect(plainName('The Foo-Bar Co., Ltd.')).toBe('foo bar');
});
