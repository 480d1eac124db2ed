/** A launch never changes the meaning of a text: words of the language are refused as names, and a token is named only by `$SYMBOL`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATALOG, type Catalog, type CatalogEntry, createCatalog } from '../../../src/domain/catalog/catalog.ts';
import { classify } from '../../../src/domain/copilot/classify.ts';
import { agentTokenEntry, launchProblem } from '../../../src/domain/catalog/listed-token.ts';
import { TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import { compileThesis } from '../../../src/domain/take/compile-thesis.ts';
import { GRAMMAR_WORDS } from '../../../src/domain/take/thesis-words.ts';
import { CORPUS_NOW, assessedTheses } from './assessed-theses.ts';

const MINT = 'AgnoNBpvcXzcHo2NnVpLF2UzCZ3MTQQ1w6kpNbmyW4Zd';
const launch = (symbol: string, name: string) =>
  launchProblem({ mint: MINT, symbol, name, decimals: 6, pairedStock: null, launcher: 'agentlaunch', listedAt: 0 });

/** Returns a catalog with tokens of these symbols, as if their launch had not been refused. */
function launched(symbols: readonly string[]): Catalog {
  const taken = new Set(CATALOG.entries.flatMap(({ instrument, key }) => [instrument, key as string]));
  const tokens = [...new Set(symbols)].filter((symbol) => !taken.has(symbol) && /^[A-Za-z0-9]{1,10}$/.test(symbol));
  const entries = tokens.map((symbol, i): CatalogEntry => {
    const entry = agentTokenEntry({
      mint: MINT,
      program: TOKEN_PROGRAM,
      symbol,
      name: symbol,
      decimals: 6,
      pairedStock: null,
      launcher: 'agentlaunch',
      listedAt: 0,
      delistedAt: null,
    });
    return { ...entry, token: { ...(entry.token as NonNullable<CatalogEntry['token']>), mint: `${MINT}${i}` } };
  });
  return createCatalog([...CATALOG.entries, ...entries]);
}

const read = (thesis: string, catalog: Catalog): string => JSON.stringify(compileThesis(thesis, { catalog, now: CORPUS_NOW }));

describe('launches', () => {
  const words = [...GRAMMAR_WORDS];
  const theses = assessedTheses('dev').map(({ text }) => text);

  it('are refused under every word of the language, as symbol and as name', () => {
    expect(words.length).toBeGreaterThan(300);
    for (const word of words) {
      expect(launch('FREE1', word)).toContain('word of the thesis language');
      if (/^[a-z0-9]{1,10}$/.test(word)) expect(launch(word.toUpperCase(), 'Free One')).not.toBeNull();
    }
  });

  it.each([
    ['NVIDIA', 'Free One'],
    ['nvidia', 'Free One'],
    ['GOOGLE', 'Free One'],
    ['FREE1', 'Apple'],
    ['FREE1', 'apple xStock'],
    ['FREE1', 'AAPLx'],
    ['FREE1', 'Ethereum'],
    ['WHEN', 'Free One'],
    ['PRICE', 'Free One'],
    ['discount', 'Free One'],
  ])('are refused as %s (%s)', (symbol, name) => {
    expect(launch(symbol, name)).not.toBeNull();
  });

  it.each([
    ['Cyrillic letters', 'FREE1', 'Аррlе'],
    ['Greek letters', 'FREE1', 'Αpple'],
    ['a mark', 'FREE1', 'Applé'],
    ['wide letters', 'FREE1', 'Ａｐｐｌｅ'],
    ['spaces and signs', 'FREE1', 'A p-p_l.e'],
    ['a digit in its name', 'FREE1', 'App1e xStock'],
    ['a digit in its symbol', 'NV1DIA', 'Free One'],
    ['an i in its symbol', 'AAPIX', 'Free One'],
  ])('are refused if they look like a name of the catalog: by %s', (_, symbol, name) => {
    expect(launch(symbol, name)).toContain('looks like it');
  });

  it.each(['Free\u200bOne', '\u202eenO eerF', 'Free\u0007One', 'Free\u2066One', 'Free\u3164One'])(
    'are refused with unseen characters (%j), which are told escaped',
    (name) => {
      const problem = launch('FREE1', name);
      expect(problem).toContain('holds characters that nobody sees');
      expect(problem).toMatch(/^[\x20-\x7e]*$/);
    },
  );

  it.each(['Grüner Strom', 'Свобода', '自由', 'Rocket 🚀', 'Free One'])(
    'are allowed under a name of any script that looks like none of the catalog: %s',
    (name) => {
      expect(launch('FREE1', name)).toBeNull();
    },
  );

  it('are allowed under a free name', () => {
    expect(launch('FREE1', 'Free One')).toBeNull();
  });

  it('change no reading of a thesis, whatever their symbols', () => {
    const upper = launched([...words, ...theses.join(' ').split(/[^A-Za-z0-9]+/)].map((word) => word.toUpperCase()));
    for (const thesis of theses) expect(read(thesis, upper)).toBe(read(thesis, CATALOG));
  });

  it('change no reading, one by one', () => {
    fc.assert(
      fc.property(fc.constantFrom(...theses), fc.nat(), fc.boolean(), (thesis, n, isUpper) => {
        const own = thesis.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
        const word = (own[n % Math.max(1, own.length)] ?? 'WHEN').slice(0, 10);
        expect(read(thesis, launched([isUpper ? word.toUpperCase() : word]))).toBe(read(thesis, CATALOG));
      }),
      { numRuns: 60, seed: 28 },
    );
  });

  it('name a token by $SYMBOL and by its full key alone', () => {
    const catalog = launched(['FOO']);
    expect(compileThesis('Buy $FOO below $0.5 with $50', { catalog, now: CORPUS_NOW })).toMatchObject({
      ok: true,
      take: { asset: { key: 'spotchain:FOO' } },
    });
    expect(compileThesis('Buy spotchain:FOO/USDC:agent_token below $0.5 with $50', { catalog, now: CORPUS_NOW })).toMatchObject({
      ok: true,
    });
    expect(compileThesis('Buy FOO below $0.5 with $50', { catalog, now: CORPUS_NOW })).toMatchObject({ ok: false, why: 'ambiguous' });
    expect(classify('What is the price of FOO?', catalog, null)).toMatchObject({ intent: 'out_of_scope' });
  });
});
