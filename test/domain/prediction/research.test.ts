// Arithmetic of a researched probability compared with numbers computed by hand, and the source of each.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { type ProbabilityResearch, researchProbability } from '../../../src/domain/prediction/research.ts';
import { AT, sampleEvidence, sampleMarket, sampleTrade } from './samples.ts';

const POLY = sampleMarket('polymarket', '0x1');
const KALSHI = sampleMarket('kalshi', 'KXBTCD-T95000');
const poly = sampleEvidence(
  POLY,
  [
    ['0.52', '100'],
    ['0.51', '200'],
  ],
  [['0.54', '300']],
);
const kalshi = sampleEvidence(
  KALSHI,
  [['0.50', '400']],
  [
    ['0.53', '100'],
    ['0.55', '100'],
  ],
);
const valueOf = (research: ProbabilityResearch, id: string): string | null | undefined =>
  research.derived.find((one) => one.id === id)?.value;

describe('two books that overlap', () => {
  const research = researchProbability(poly, kalshi, AT);

  test('give the mean of their depth-weighted mids, weighted by the depth of both sides', () => {
    // (0.52 x 300 + 0.54 x 300) / 600 and (0.50 x 200 + 0.53 x 400) / 600.
    expect(valueOf(research, 'polymarket.depthMid')).toBe('0.53');
    expect(valueOf(research, 'kalshi.depthMid')).toBe('0.52');
    expect(valueOf(research, 'polymarket.mid')).toBe('0.53');
    expect(valueOf(research, 'kalshi.mid')).toBe('0.515');
    expect(valueOf(research, 'kalshi.halfSpread')).toBe('0.015');
    expect([valueOf(research, 'polymarket.depth'), valueOf(research, 'kalshi.depth')]).toEqual(['300', '200']);
    // (0.53 x 300 + 0.52 x 200) / 500.
    expect(research.probability.value).toBe('0.526');
    expect(research.corroboration).toBe('corroborated');
    expect([research.low.value, research.high.value]).toEqual(['0.5', '0.54']);
  });

  test('disagree by less than their spreads, and after fees no edge is left', () => {
    expect(research.disagreement).toMatchObject({
      verdict: 'inside_spreads',
      difference: { value: '0.01' },
      legs: [
        { provider: 'kalshi', side: 'yes', price: '0.53' },
        { provider: 'polymarket', side: 'no', price: '0.48' },
      ],
      sizeContracts: '100',
    });
    // 1 - 0.53 - 0.48 - (1.75 + 1.79712) / 100: the first fee is 1.7437 rounded up to a cent.
    expect(research.disagreement.edgePerContract.value).toBe('-0.0454712');
  });
});

test('an edge below the fees is not actionable', () => {
  const near = sampleEvidence(KALSHI, [['0.49', '100']], [['0.50', '100']]);
  const { corroboration, disagreement } = researchProbability(poly, near, AT);
  // 1 - 0.50 - 0.48 = 0.02 before fees of 1.75 + 1.79712 per hundred.
  expect(disagreement.edgePerContract.value).toBe('-0.0154712');
  expect([disagreement.verdict, corroboration]).toEqual(['inside_fees', 'corroborated']);
});

test('venues that contradict each other by more than fees give no probability', () => {
  const apart = sampleEvidence(KALSHI, [['0.44', '50']], [['0.45', '50']]);
  const { corroboration, disagreement, probability } = researchProbability(poly, apart, AT);
  // 1 - 0.45 - 0.48 - (0.87 + 0.89856) / 50.
  expect(disagreement).toMatchObject({ verdict: 'actionable', edgePerContract: { value: '0.0346288' }, sizeContracts: '50' });
  expect([corroboration, probability.value]).toEqual(['disputed', null]);
  expect(probability.why).toMatch(/differ by more/);
});

test('with an unknown fee no edge is claimed', () => {
  const unknown = { ...KALSHI, fee: { model: 'unknown', rate: null, exponent: 1, roundingUsd: null } as const };
  const { corroboration, disagreement } = researchProbability(poly, sampleEvidence(unknown, [['0.44', '50']], [['0.45', '50']]), AT);
  expect([disagreement.verdict, disagreement.edgePerContract.value, corroboration]).toEqual(['fees_unknown', null, 'disputed']);
});

describe('excluded data', () => {
  const book = kalshi.book as NonNullable<typeof kalshi.book>;
  test.each([
    ['a stale book', { ...kalshi, book: { ...book, quality: 'stale', flags: ['over_age'] } as const }, /stale \(over_age\)/],
    ['a crossed book', { ...kalshi, book: { ...book, quality: 'degraded', flags: ['crossed'] } as const }, /degraded \(crossed\)/],
    ['no book', { ...kalshi, book: null, bookProblem: 'the venue gave no order book: 429' }, /429/],
    ['a one-sided book', { ...kalshi, book: { ...book, asks: [] } }, /not two-sided/],
    ['a halted market', { ...kalshi, market: { ...KALSHI, status: 'paused' } as const }, /paused/],
  ])('%s leaves one source, and says so', (_, evidence, why) => {
    const research = researchProbability(poly, evidence, AT);
    expect([research.corroboration, research.probability.value]).toEqual(['single_source', '0.53']);
    expect(research.disagreement.verdict).toBe('not_comparable');
    expect(research.notes.join(' ')).toMatch(why);
    expect(research.inputs.filter(({ provider, counts, kind }) => provider === 'kalshi' && counts && kind === 'ask')).toEqual([]);
    expect(valueOf(research, 'kalshi.depthMid')).toBeNull();
  });

  test('without a live book there is no number', () => {
    const nothing = { ...poly, book: null, bookProblem: 'silent' };
    const research = researchProbability(nothing, null, AT);
    expect([research.corroboration, research.probability.value, research.low.value]).toEqual(['insufficient', null, null]);
  });
});

test('trades are averaged in prices of the affirmative outcome, without those of more than an hour ago', () => {
  const trades = [
    sampleTrade(POLY, 'yes', '0.55', '100'),
    sampleTrade(POLY, 'no', '0.47', '50'),
    sampleTrade(POLY, 'yes', '0.9', '999', AT - 3_600_001),
  ];
  const research = researchProbability({ ...poly, trades }, kalshi, AT);
  // (0.55 x 100 + 0.53 x 50) / 150.
  expect(valueOf(research, 'polymarket.vwap')).toBe('0.54333333');
  expect(valueOf(research, 'polymarket.tradesAgainstMid')).toBe('0.01333333');
  expect(research.notes.join(' ')).toMatch(/outside its book of 0.52 to 0.54/);
  const old = research.inputs.filter(({ kind, counts }) => kind === 'trade' && !counts);
  expect(old.map(({ value, quality, why }) => [value, quality, why])).toEqual([['0.9', 'stale', 'the trade is older than 60 minutes']]);
});

const price = fc.integer({ min: 2, max: 997 });
const size = fc.integer({ min: 1, max: 10_000 });
const bookOf = fc.tuple(price, fc.integer({ min: 1, max: 60 }), size, size).map(([bid, spread, below, above]) => {
  const text = (thousandths: number): string => (thousandths / 1_000).toFixed(3);
  return [[[text(bid), String(below)]], [[text(Math.min(999, bid + spread)), String(above)]]] as const;
});

test('whatever the books say, every number traces back to inputs, and a probability lies between the bounds', () => {
  fc.assert(
    fc.property(bookOf, bookOf, (ours, theirs) => {
      const research = researchProbability(sampleEvidence(POLY, ...ours), sampleEvidence(KALSHI, ...theirs), AT);
      const ids = new Set([...research.inputs, ...research.derived].map((one) => one.id));
      for (const number of research.derived) {
        for (const id of number.inputs) expect(ids).toContain(id);
        expect(number.value === null).toBe(number.why !== '');
        if (number.value !== null) expect(number.inputs.length).toBeGreaterThan(0);
      }
      expect(ids.size).toBe(research.inputs.length + research.derived.length);
      const { value } = research.probability;
      expect(value === null).toBe(research.corroboration === 'disputed');
      if (value === null) return;
      expect(new Decimal(value).gte(research.low.value as string) && new Decimal(value).lte(research.high.value as string)).toBe(true);
      const edge = research.disagreement.edgePerContract.value;
      expect(edge === null || new Decimal(edge).lte(0)).toBe(true);
    }),
  );
});
