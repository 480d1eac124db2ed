/** The catalog names every instrument once, relates them, and refuses unknown ones. */
import { expect, test } from 'vitest';
import {
  CATALOG,
  type CatalogEntry,
  createCatalog,
  multiplierAt,
  resolveUniverseEntry,
  universeEntryText,
} from '../../src/domain/catalog/catalog.ts';

test.each([
  ['AAPLx', 'spotchain:AAPLx', 'tokenized_equity'],
  ['BTCUSDT', 'spotexchange:BTCUSDT', 'spot'],
  ['BTC', 'evmvenue:BTC', 'perp'],
  ['SPACEX', 'spotchain:SPACEX', 'pre_ipo'],
  ['spotexchange:BTCUSDT:spot', 'spotexchange:BTCUSDT', 'spot'],
  ['spotexchange:BTC/USDT:spot', 'spotexchange:BTCUSDT', 'spot'],
  ['evmvenue:BTC-USD:perp', 'evmvenue:BTC', 'perp'],
  ['evmvenue:BTC-PERP:perpetual', 'evmvenue:BTC', 'perp'],
  ['xyz:AAPL', 'evmvenue:xyz:AAPL', 'perp'],
  ['evmvenue:xyz:AAPL:perp', 'evmvenue:xyz:AAPL', 'perp'],
  ['evmvenue:xyz:AAPL/USD:perp', 'evmvenue:xyz:AAPL', 'perp'],
  ['spotchain:AAPLx/USDC:tokenized_equity', 'spotchain:AAPLx', 'tokenized_equity'],
])('%s is %s, a %s', (text, key, kind) => {
  expect(resolveUniverseEntry(text)).toEqual({ ok: true, entry: { key, kind } });
});

test.each([
  ['AAPLX', 'did you mean AAPLx?'],
  ['APPLx', 'did you mean AAPLx'],
  ['BTCUSD', 'BTCUSDT'],
  ['spotexchnge:BTCUSDT:spot', 'did you mean spotexchange?'],
  ['reference:AAPL:tokenized_equity', 'never executable'],
  ['spotexchange:BTCUSDT:perp', 'is of kind spot, not perp'],
  ['spotexchange:BTCUSDT:spott', 'did you mean spot?'],
  ['spotexchange:DOGEUSDT:spot', 'has no pair "DOGEUSDT"'],
  ['spotexchange:BTCUSDT', 'neither a symbol nor'],
  ['a:b:c:d', 'neither a symbol nor'],
  ['evmvenue:xyz:SPY:perp', 'has no pair "xyz:SPY"'],
  ['evmvenue:xyz:AAPL', 'unknown instrument kind "AAPL"'],
  ['evmvenue:a:b:c:perp', 'neither a symbol nor'],
  ['', 'unknown symbol ""'],
  ['__proto__', 'unknown symbol'],
])('%s is refused: %s', (text, says) => {
  const refused = resolveUniverseEntry(text);
  expect(refused.ok).toBe(false);
  expect(refused.ok === false && refused.problem).toContain(says);
  expect(refused.ok === false && refused.allowed).not.toBe('');
});

test('every entry is found by its displayed text', () => {
  for (const { key, kind } of CATALOG.entries) {
    expect(resolveUniverseEntry(universeEntryText({ key, kind }))).toEqual({ ok: true, entry: { key, kind } });
    expect(resolveUniverseEntry(`${key}:${kind}`)).toEqual({ ok: true, entry: { key, kind } });
  }
});

test('relations lead to entries and feeds that exist', () => {
  const feeds = new Set(CATALOG.feeds.map((feed) => feed.key));
  for (const entry of CATALOG.entries) {
    if (entry.pairedPerp !== null) expect(CATALOG.byKey(entry.pairedPerp)?.kind).toBe('perp');
    if (entry.pairedSpot !== null) expect(['spot', 'tokenized_equity']).toContain(CATALOG.byKey(entry.pairedSpot)?.kind);
    for (const other of [entry.pairedPerp, entry.pairedSpot])
      if (other !== null) expect(CATALOG.byKey(other)?.underlying).toBe(entry.underlying);
    if (entry.benchmarkKind === 'reference_price') expect(feeds.has(entry.benchmark as never)).toBe(true);
    if (entry.token !== null) expect(CATALOG.byMint(entry.token.mint)).toBe(entry);
  }
  expect(CATALOG.bySymbol('BTCUSDT')?.pairedPerp).toBe('evmvenue:BTC');
  expect(CATALOG.bySymbol('BTC')?.pairedSpot).toBe('spotexchange:BTCUSDT');
});

test("a share's perpetual is exposure to the same share in the same sector, and a fund has none", () => {
  for (const token of CATALOG.fixed.entries.filter(({ kind }) => kind === 'tokenized_equity')) {
    const perp = token.pairedPerp === null ? undefined : CATALOG.byKey(token.pairedPerp);
    if (token.sector === 'index') expect(perp).toBeUndefined();
    else expect(perp).toMatchObject({ kind: 'perp', sector: token.sector, pairedSpot: token.key, pairedPerp: perp?.key, benchmark: null });
  }
});

test('equities have 8 decimals and pre-IPO tokens 9, all mints are 32 bytes of base58', () => {
  for (const entry of CATALOG.entries) {
    // Tokens listed while this process runs have the decimals of their launch.
    if (entry.token === null || (entry.kind !== 'pre_ipo' && entry.kind !== 'tokenized_equity')) continue;
    expect(entry.token.decimals).toBe(entry.kind === 'pre_ipo' ? 9 : 8);
    expect(entry.token.mint).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
  }
});

test('feed ids are 64 hexadecimal digits, each once, and say where they come from', () => {
  expect(new Set(CATALOG.feeds.map((feed) => feed.feedId)).size).toBe(CATALOG.feeds.length);
  for (const feed of CATALOG.feeds) expect(feed.feedId).toMatch(/^[0-9a-f]{64}$/);
  const source = (symbol: string) => CATALOG.feeds.find((feed) => feed.instrument === symbol)?.feedIdSource;
  expect(source('AAPL')).toBe('published');
  expect(source('COIN')).toBe('published');
});

test('a received multiplier that the tables do not know applies from its time on, and survives a new listing', () => {
  const [aapl, spacex] = ['spotchain:AAPLx', 'spotchain:SPACEX'] as const;
  const at = Date.UTC(2026, 10, 30);
  const tokenOf = (key: typeof aapl | typeof spacex) => CATALOG.byKey(key)?.token as NonNullable<CatalogEntry['token']>;
  const told = tokenOf(spacex);
  const before = multiplierAt(tokenOf(aapl), at);
  try {
    CATALOG.learn(
      new Map([
        [aapl, { at, multiplier: 10, before: null }],
        [spacex, { at, multiplier: told.newMultiplier, before: null }],
      ]),
    );
    CATALOG.list([]);
    expect([multiplierAt(tokenOf(aapl), at - 1), multiplierAt(tokenOf(aapl), at)]).toEqual([before, 10]);
    // What the table says of its past stays.
    expect(tokenOf(spacex)).toEqual(told);
  } finally {
    CATALOG.learn(new Map());
  }
  expect(multiplierAt(tokenOf(aapl), at)).toBe(before);
});

test('a new multiplier applies from its effective time', () => {
  const spacex = CATALOG.bySymbol('SPACEX')?.token;
  if (spacex == null) throw new Error('SPACEX has no token');
  expect(multiplierAt(spacex, 1_781_065_799_999)).toBe(1);
  expect(multiplierAt(spacex, 1_781_065_800_000)).toBe(5);
});

test('a catalog refuses duplicate names', () => {
  const [first] = CATALOG.entries;
  if (first === undefined) throw new Error('the catalog is empty');
  expect(() => createCatalog([first, first])).toThrow('lists spotchain:AAPLx twice');
});
