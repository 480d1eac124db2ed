/** Thesis grammar on its corpus: what compiles matches its author's meaning, ambiguity leads to questions, and nothing throws. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { compileThesis, MAX_THESIS_LENGTH } from '../../../src/domain/take/compile-thesis.ts';
import { takeHash } from '../../../src/domain/take/take.ts';
import { shownCondition } from '../../../src/domain/take/thesis-phrases.ts';
import { normalised } from '../../../src/domain/take/thesis-tokens.ts';
import { splitInstrumentKey } from '../../../src/domain/market/venue.ts';
import { rounds } from '../../harness/rounds.ts';
import { AMBIGUOUS, GOOD, INVALID } from './thesis-corpus.ts';

const NOW = Date.parse('2026-07-15T15:00:00Z');
const WORLD = { catalog: CATALOG, now: NOW };

describe('the corpus', () => {
  it('holds at least 200 theses, each once', () => {
    const all = [...GOOD.map(({ thesis }) => thesis), ...AMBIGUOUS.map(([thesis]) => thesis), ...INVALID.map(([thesis]) => thesis)];
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(200);
  });

  it.each(GOOD)('compiles: $thesis', (meant) => {
    const compiled = compileThesis(meant.thesis, WORLD);
    expect(compiled).toMatchObject({ ok: true });
    if (!compiled.ok) return;
    const { take } = compiled;
    expect({
      symbol: splitInstrumentKey(take.asset.key).instrument,
      entry: take.entry.map(shownCondition),
      exit: take.exit.map(shownCondition),
      usd: take.allocationUsd,
      bps: take.maxSlippageBps,
      until: new Date(take.expiresAt).toISOString(),
    }).toEqual({
      symbol: meant.symbol,
      entry: meant.entry,
      exit: meant.exit,
      usd: meant.usd ?? '100',
      bps: meant.bps ?? 50,
      until: meant.until ?? '2026-08-14T15:00:00.000Z',
    });
    // Every default used is named.
    expect(compiled.assumed.some((text) => text.includes('allocation'))).toBe(meant.usd === undefined);
    expect(compiled.assumed.some((text) => text.includes('slippage'))).toBe(meant.bps === undefined);
    expect(compiled.assumed.some((text) => text.includes('no exit'))).toBe(meant.exit.length === 0);
    // Every condition has the author's words it was read from.
    for (const { phrase } of compiled.understood)
      expect(normalised(meant.thesis).replaceAll('\n', ' ').toLowerCase()).toContain(phrase.toLowerCase());
    for (const condition of [...take.entry, ...take.exit])
      expect(compiled.understood.some(({ as }) => as.includes(shownCondition(condition)))).toBe(true);
  });

  it.each(AMBIGUOUS)('asks instead of guessing: %s', (thesis, asks) => {
    const compiled = compileThesis(thesis, WORLD);
    expect(compiled).toMatchObject({ ok: false, why: 'ambiguous' });
    if (compiled.ok || compiled.why !== 'ambiguous') return;
    expect(compiled.questions.join('\n')).toContain(asks);
  });

  it.each(INVALID)('refuses with one problem: %s', (thesis, says) => {
    const compiled = compileThesis(thesis, WORLD);
    expect(compiled).toMatchObject({ ok: false, why: 'invalid' });
    if (compiled.ok || compiled.why !== 'invalid') return;
    expect(compiled.problems).toHaveLength(1);
    expect(JSON.stringify(compiled.problems)).toContain(says);
  });
});

describe('a phrase that no Take can express', () => {
  it.each([
    ['Buy BTC under 60,000 with 3x leverage, $500, sell at 65,000', 'leverage', 'with $500'],
    ['Buy TSLAx calls on a 2% discount with $500, sell at parity', 'calls', 'name the asset'],
    ['Buy AAPLx at a 2% discount with $500, trailing stop 3%', 'trailing stop', 'stop loss 5%'],
    ['Buy AAPLx at a 2% discount with $500, scale out at parity', 'scale out', 'another Take'],
    ['Buy AAPLx every week at a 2% discount with $50, sell at parity', 'every week', 'another Take'],
    ['Buy AAPLx at a 2% discount with a third of my cash, sell at parity', 'a third of my', 'with $500'],
    ['Short MSTRx at a 2% premium with $500, cover at parity', '', 'long positions'],
  ])('is named, with what can be said instead: %s', (thesis, phrase, instead) => {
    const compiled = compileThesis(thesis, WORLD);
    if (compiled.ok || compiled.why !== 'ambiguous') throw new Error('it has to be asked about');
    const said = compiled.questions.find((one) => one.toLowerCase().includes(instead.toLowerCase()));
    expect(said).toContain(phrase);
  });
});

describe('any text', () => {
  const words = fc.constantFrom(
    ...'buy sell AAPLx TSLAx BTC OPENAI when if and or not unless discount premium over below 2% $500 150bps stop loss take profit RSI 30 because until 2026-08-01 price . , ; the reference mark news no negative hold after 3 days slippage with'.split(
      ' ',
    ),
  );

  it('never throws, and is never read into more than it says', () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 25 }), (list) => {
        const thesis = list.join(' ');
        const compiled = compileThesis(thesis, WORLD);
        if (!compiled.ok) return;
        // An amount with a condition is a purchase too.
        if (!list.includes('buy')) {
          expect(list).toContain('$500');
          expect(compiled.take.entry).not.toEqual([]);
        }
        const shown = [...compiled.notUnderstood, ...compiled.understood.map(({ phrase }) => phrase)];
        expect(list.some((word) => word === 'not' || word === 'unless')).toBe(shown.some((phrase) => /not|unless/.test(phrase)));
        // Every number of the policy is in the text, in some unit.
        for (const condition of [...compiled.take.entry, ...compiled.take.exit]) {
          const pct = condition['pct'];
          if (typeof pct === 'number' && pct !== 0) expect([2, 1.5]).toContain(Math.abs(pct));
        }
      }),
      { numRuns: rounds({ suite: 150, proof: 3_000 }) },
    );
  });

  it('survives anything at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (thesis) => {
        expect(compileThesis(thesis, WORLD).ok).toBe(false);
      }),
      { numRuns: rounds({ suite: 60, proof: 3_000 }) },
    );
  });

  it('refuses 64 KiB at once, and reads the longest allowed text fast', () => {
    expect(compileThesis('buy AAPLx '.repeat(6_554), WORLD)).toMatchObject({ ok: false, why: 'invalid', problems: [{ path: '$.thesis' }] });
    const long = 'the discount is over 2% and '.repeat(80).slice(0, MAX_THESIS_LENGTH);
    const before = performance.now();
    compileThesis(long, WORLD);
    compileThesis('a'.repeat(MAX_THESIS_LENGTH), WORLD);
    compileThesis('at the the the '.repeat(133), WORLD);
    compileThesis('1,111'.repeat(400), WORLD);
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it('gives the same text at the same instant the same hash', () => {
    const thesis = 'Buy AAPLx when the discount is over 2%';
    const [a, b, later] = [
      compileThesis(thesis, WORLD),
      compileThesis(thesis, WORLD),
      compileThesis(thesis, { ...WORLD, now: NOW + 1_000 }),
    ];
    if (!a.ok || !b.ok || !later.ok) throw new Error('the thesis has to compile');
    expect(takeHash(a.take)).toBe(takeHash(b.take));
    expect(takeHash(a.take)).not.toBe(takeHash(later.take));
  });
});
