// Unified prediction market: ids, grids and fees, parsed questions, equal questions, and resolution criteria.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { criteriaDifferences, classifyCriteria } from '../../../src/domain/prediction/criteria.ts';
import { complement, isOnGrid, predictionEventId, predictionMarketId, takerFeeUsd, tickAt } from '../../../src/domain/prediction/market.ts';
import { matchQuestions, readQuestion, underlyingIn } from '../../../src/domain/prediction/question.ts';
import { sampleMarket } from './samples.ts';

const ENDS = Date.UTC(2026, 10, 22, 17);
const TAPERED = [
  { start: '0', end: '0.1', step: '0.001' },
  { start: '0.1', end: '0.9', step: '0.01' },
  { start: '0.9', end: '1', step: '0.001' },
];

test('an id follows from provider and provider id alone', () => {
  expect(predictionMarketId('kalshi', 'KXBTCD-T95000')).toBe(predictionMarketId('kalshi', 'KXBTCD-T95000'));
  expect(predictionMarketId('kalshi', 'X')).not.toBe(predictionMarketId('polymarket', 'X'));
  expect(predictionMarketId('kalshi', 'X')).toMatch(/^pm-[0-9a-f]{24}$/);
  expect(predictionEventId('kalshi', 'X')).toMatch(/^pe-[0-9a-f]{24}$/);
});

describe('a tapered grid', () => {
  test.each([
    ['0.004', '0.001', true],
    ['0.1', '0.001', true],
    ['0.1005', '0.01', false],
    ['0.55', '0.01', true],
    ['0.555', '0.01', false],
    ['0.955', '0.001', true],
    ['0.9555', '0.001', false],
    ['0', '0.001', false],
    ['1', '0.001', false],
  ])('at %s steps by %s: an order may stand there is %s', (price, step, stands) => {
    expect(tickAt(TAPERED, price)).toBe(step);
    expect(isOnGrid(TAPERED, price)).toBe(stands);
  });
  test('has no steps beyond its ends', () => {
    expect(tickAt(TAPERED, '1.01')).toBeNull();
    expect(isOnGrid([], '0.5')).toBe(false);
  });
});

test('the other outcome costs one minus the price, exactly and back again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9_999 }), (tenThousandths) => {
      const price = complement(complement((tenThousandths / 10_000).toFixed(4)));
      expect(Number(price) * 10_000).toBeCloseTo(tenThousandths, 6);
      expect(price).not.toMatch(/0$/);
    }),
  );
});

test.each([
  // 0.07 x 100 x 0.53 x 0.47 = 1.7437, rounded up to the next cent.
  [{ model: 'quadratic', rate: '0.07', exponent: 1, roundingUsd: '0.01' }, '0.53', '100', '1.75'],
  [{ model: 'quadratic', rate: '0.072', exponent: 1, roundingUsd: '0.00001' }, '0.48', '100', '1.79712'],
  [{ model: 'quadratic', rate: '0.25', exponent: 2, roundingUsd: null }, '0.5', '10', '0.15625'],
  [{ model: 'none', rate: null, exponent: 1, roundingUsd: null }, '0.5', '10', '0'],
  [{ model: 'unknown', rate: null, exponent: 1, roundingUsd: null }, '0.5', '10', null],
] as const)('the fee %j at %s for %s contracts is %s', (fee, price, size, expected) => {
  expect(takerFeeUsd(fee, price, size)).toBe(expected);
});

describe('what a text is about', () => {
  test.each([
    ['Will the price of Bitcoin be above $95,000 on November 22?', 'BTC'],
    ['Will NVIDIA (NVDA) close above $240 end of January?', 'NVDA'],
    ['Will Ethereum hit $5k by December 31?', 'ETH'],
    ['Will BTC or ETH gain more?', null],
    ['Will the S&P 500 close above 6,700?', null],
    ['What is the best Strategy game of the year?', null],
    ['Will it rain in a solo concert?', null],
  ])('%s: %s', (text, underlying) => expect(underlyingIn(text)).toBe(underlying));
});

describe('a question in words', () => {
  const read = (title: string, rules = '') => readQuestion(title, rules, ENDS);
  test.each([
    ['Will the price of Bitcoin be above $95,000 on November 22?', '', ['above', '95000', null, 'at_time']],
    [
      'Will the price of Bitcoin be above $95,000?',
      'if the close is greater than or equal to the level',
      ['at_or_above', '95000', null, 'at_time'],
    ],
    ['Will the price of Ethereum be between $3,100 and $3,200?', '', ['between', '3100', '3200', 'at_time']],
    ['Will Ethereum be between $3,200 and $3,100?', '', ['between', '3100', '3200', 'at_time']],
    ['Will Bitcoin reach $1.2m by December 31?', '', ['at_or_above', '1200000', null, 'any_time']],
    ['Will Bitcoin dip to $70k?', '', ['at_or_below', '70000', null, 'any_time']],
    ['Will Solana be at or below $141.50?', '', ['at_or_below', '141.5', null, 'at_time']],
    ['Will TSLA close under $400?', '', ['below', '400', null, 'at_time']],
  ])('%s (%s)', (title, rules, expected) => {
    const asked = read(title, rules);
    expect(asked && [asked.comparator, asked.threshold, asked.upperThreshold, asked.measure]).toEqual(expected);
  });
  test.each([
    ['Bitcoin Up or Down - July 23, 8:00PM-8:05PM ET'],
    ['Will Bitcoin be above $95,000 or above $100,000?'],
    ['Will gold be above $4,000?'],
    ['Will Bitcoin be between $90,000?'],
  ])('%s is ambiguous', (title) => expect(read(title)).toBeNull());
  test('without a time it cannot be parsed', () => expect(readQuestion('Will Bitcoin be above $95,000?', '', null)).toBeNull());
});

describe('two questions', () => {
  const ours = sampleMarket('polymarket', '0x1');
  const asks = ours.asks as NonNullable<typeof ours.asks>;
  const theirs = (over: object) => sampleMarket('kalshi', 'K', { asks: { ...asks, ...over } });
  test('are the same if everything agrees and the times lie within five minutes', () => {
    const match = matchQuestions(ours, theirs({ resolvesAt: asks.resolvesAt + 300_000 }));
    expect(match.verdict).toBe('same');
    expect(match.reasons).toHaveLength(5);
  });
  test.each([
    [{ comparator: 'at_or_above' }, /at_or_above/],
    [{ comparator: 'at_or_below' }, /opposite/],
    [{ threshold: '95000.01' }, /\$95000\.01/],
    [{ measure: 'any_time' }, /any_time/],
    [{ resolvesAt: asks.resolvesAt + 300_001 }, /T17:05/],
  ])('are only related if they differ in %j', (over, reason) => {
    const match = matchQuestions(ours, theirs(over));
    expect(match.verdict).toBe('related');
    expect(match.reasons.join(' ')).toMatch(reason);
  });
  test('are only related if one cannot be parsed, and unrelated if they are about different things', () => {
    expect(matchQuestions(ours, sampleMarket('kalshi', 'K', { asks: null })).verdict).toBe('related');
    expect(matchQuestions(ours, sampleMarket('kalshi', 'K', { underlying: 'ETH' })).verdict).toBe('unrelated');
    expect(
      matchQuestions(sampleMarket('polymarket', 'a', { underlying: null }), sampleMarket('kalshi', 'b', { underlying: null })).verdict,
    ).toBe('unrelated');
  });
});

describe('resolution criteria', () => {
  test('every sentence of the rules is classified, and decimals end none', () => {
    const market = sampleMarket('polymarket', '0x1');
    const { criteria } = classifyCriteria({
      ...market,
      resolution: {
        ...market.resolution,
        secondaryRules: 'The resolution source for this market is Binance.\nIf the source is unavailable, reporting counts. It was said.',
      },
    });
    expect(criteria.map(({ aspect, text }) => [aspect, text.slice(0, 22)])).toEqual([
      ['condition', 'This market will resol'],
      ['fallback', 'Otherwise, this market'],
      ['source', 'The resolution source '],
      ['fallback', 'If the source is unava'],
      ['other', 'It was said.'],
    ]);
    expect(criteria[0]?.text).toContain('$95,000.00.');
  });

  test('differences are named with both sides, and equal sources are none whatever their paths', () => {
    const ours = sampleMarket('polymarket', '0x1');
    const theirs = sampleMarket('kalshi', 'K');
    const near = { ...theirs, resolution: { ...theirs.resolution, sources: [{ name: 'Binance spot', url: 'https://binance.com/btc' }] } };
    expect(criteriaDifferences(ours, near).map(({ aspect }) => aspect)).toEqual(['procedure']);
    const far = { ...theirs, resolution: { ...theirs.resolution, sources: [{ name: 'CF Benchmarks', url: null }], mayCloseEarly: true } };
    expect(criteriaDifferences(ours, far)).toMatchObject([
      { aspect: 'sources', ours: 'Binance (https://www.binance.com/en/trade/BTC_USDT)', theirs: 'CF Benchmarks', material: true },
      { aspect: 'procedure', material: true },
      { aspect: 'early_close', ours: 'not told', theirs: 'may close early', material: false },
    ]);
    const nobody = { ...ours.resolution, sources: [] };
    expect(criteriaDifferences({ ...ours, resolution: nobody }, { ...ours, resolution: nobody })).toMatchObject([{ aspect: 'sources' }]);
  });
});
