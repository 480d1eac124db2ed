/** Every condition type: passing, failing and unknown cases, and the author's messages. */
import { describe, expect, test } from 'vitest';
import { CONDITIONS, conditionDefinition, findConditionDefinition, readCondition } from '../../src/domain/conditions/index.ts';
import type { Observation } from '../../src/domain/market/cut.ts';
import type { BookPosition } from '../../src/domain/agents/decision.ts';
import type { Problem } from '../../src/domain/values/field.ts';
import { event, HOUR, indicator, LIVE_QUOTE, LIVE_REFERENCE, observation, position, SLOT } from './observations.ts';

type Authored = { type: string; [field: string]: unknown };

function evaluate(authored: Authored, seen: Partial<Observation>, held: BookPosition | null = null): [boolean, number | string | null] {
  const problems: Problem[] = [];
  const side = conditionDefinition(authored.type)?.sides[0] ?? 'entry';
  const condition = readCondition(authored, side, '1h', '$', problems);
  if (condition === null) throw new Error(JSON.stringify(problems));
  const compiled = findConditionDefinition(condition).compile(condition);
  const observed = compiled.observe(observation(seen), held);
  return [compiled.passes(observed), observed];
}

const rsi = (value: number | null) => ({ indicators: { 'rsi:14@1h': indicator(value) } });
const emas = (fast: [number | null, number | null], slow: [number | null, number | null]) => ({
  indicators: { 'ema:12@1h': indicator(fast[1], fast[0]), 'ema:26@1h': indicator(slow[1], slow[0]) },
});
const funding = (value: number | null) => ({ indicators: { 'funding_percentile:30@1h': indicator(value) } });
const staleQuote = { quote: { ...LIVE_QUOTE, quality: 'stale' as const } };
const carried = { reference: { ...LIVE_REFERENCE, flags: ['carried_forward' as const] } };
const staleReference = { reference: { ...LIVE_REFERENCE, quality: 'stale' as const } };
const EMA = { fast: 12, slow: 26 };
const FUNDING = { windowDays: 30, percentile: 80 };

describe('result of each type on an observation', () => {
  test.each<[Authored, Partial<Observation>, BookPosition | null, boolean, number | string | null]>([
    [{ type: 'premium_below', pct: -1.5 }, { premiumPct: -2 }, null, true, -2],
    [{ type: 'premium_below', pct: -2 }, { premiumPct: -2 }, null, false, -2],
    [{ type: 'premium_below', pct: -1.5 }, { premiumPct: null }, null, false, null],
    [{ type: 'premium_below', pct: -1.5 }, { premiumPct: Number.NaN }, null, false, null],
    [{ type: 'premium_below', pct: -1.5 }, staleQuote, null, false, null],
    [{ type: 'premium_below', pct: -1.5 }, { quote: null }, null, false, null],
    [{ type: 'premium_below', pct: -1.5 }, staleReference, null, false, null],
    [{ type: 'premium_below', pct: -1.5 }, carried, null, false, null],
    [{ type: 'premium_below', pct: -1.5 }, { reference: null }, null, false, null],
    [{ type: 'premium_above', pct: 1 }, { premiumPct: 1.00000001 }, null, true, 1.00000001],
    [{ type: 'premium_above', pct: 1 }, { premiumPct: 1 }, null, false, 1],
    [{ type: 'premium_above', pct: 1 }, { premiumPct: 5, ...carried }, null, false, null],
    [{ type: 'rsi_below', period: 14, value: 30 }, rsi(29.9), null, true, 29.9],
    [{ type: 'rsi_below', period: 14, value: 30 }, rsi(30), null, false, 30],
    [{ type: 'rsi_below', period: 14, value: 30 }, rsi(null), null, false, null],
    [{ type: 'rsi_below', period: 14, value: 30 }, {}, null, false, null],
    [{ type: 'rsi_below', period: 14, value: 30, timeframe: '5m' }, rsi(10), null, false, null],
    [{ type: 'rsi_above', period: 14, value: 70 }, rsi(71), null, true, 71],
    [{ type: 'rsi_above', period: 14, value: 70 }, rsi(70), null, false, 70],
    [{ type: 'no_negative_event' }, {}, null, true, 'none'],
    [{ type: 'no_negative_event' }, { events: [event()] }, null, false, 'high'],
    [{ type: 'no_negative_event' }, { events: [event({ severity: 'critical' }), event({ severity: 'low' })] }, null, false, 'critical'],
    [{ type: 'no_negative_event' }, { events: [event({ severity: 'medium' })] }, null, true, 'medium'],
    [{ type: 'no_negative_event' }, { events: [event({ negative: false })] }, null, true, 'none'],
    [{ type: 'no_negative_event' }, { events: [event({ rumor: true })] }, null, true, 'none'],
    [{ type: 'no_negative_event', includeRumors: true }, { events: [event({ rumor: true })] }, null, false, 'high'],
    [{ type: 'no_negative_event' }, { events: [event({ observedAt: SLOT - 24 * HOUR })] }, null, false, 'high'],
    [{ type: 'no_negative_event' }, { events: [event({ observedAt: SLOT - 24 * HOUR - 1 })] }, null, true, 'none'],
    [{ type: 'negative_event', minSeverity: 'medium' }, { events: [event({ severity: 'medium' })] }, null, true, 'medium'],
    [{ type: 'negative_event', minSeverity: 'medium' }, {}, null, false, 'none'],
    [{ type: 'no_negative_event' }, { events: null }, null, false, null],
    [{ type: 'negative_event', minSeverity: 'medium' }, { events: null }, null, false, null],
    [{ type: 'ema_cross_up', ...EMA }, emas([9, 11], [10, 10]), null, true, 'crossed_up'],
    [{ type: 'ema_cross_up', ...EMA }, emas([10, 11], [10, 10]), null, true, 'crossed_up'],
    [{ type: 'ema_cross_up', ...EMA }, emas([11, 12], [10, 10]), null, false, 'above'],
    [{ type: 'ema_cross_up', ...EMA }, emas([null, 12], [10, 10]), null, false, null],
    [{ type: 'ema_cross_down', ...EMA }, emas([11, 9], [10, 10]), null, true, 'crossed_down'],
    [{ type: 'ema_cross_down', ...EMA }, emas([9, 8], [10, 10]), null, false, 'below'],
    [{ type: 'ema_cross_down', ...EMA }, emas([11, 10], [10, 10]), null, false, 'level'],
    [{ type: 'ema_above', ...EMA }, emas([11, 12], [10, 10]), null, true, 'above'],
    [{ type: 'ema_above', ...EMA }, emas([9, 12], [10, 10]), null, true, 'crossed_up'],
    [{ type: 'ema_below', ...EMA }, emas([11, 9], [10, 10]), null, true, 'crossed_down'],
    [{ type: 'ema_below', ...EMA }, emas([11, 12], [10, 10]), null, false, 'above'],
    [{ type: 'gap_to_mark_below', pct: -10 }, { gapToMarkPct: -20 }, null, true, -20],
    [{ type: 'gap_to_mark_below', pct: -10 }, { gapToMarkPct: -20, ...staleReference }, null, false, null],
    [{ type: 'gap_to_mark_above', pct: 10 }, { gapToMarkPct: 24 }, null, true, 24],
    [{ type: 'gap_to_mark_above', pct: 10 }, { gapToMarkPct: 24, ...staleQuote }, null, false, null],
    [{ type: 'funding_percentile_below', ...FUNDING }, funding(79.9), null, true, 79.9],
    [{ type: 'funding_percentile_below', ...FUNDING }, funding(80), null, false, 80],
    [{ type: 'funding_percentile_above', ...FUNDING }, funding(80.1), null, true, 80.1],
    [{ type: 'funding_percentile_above', ...FUNDING }, {}, null, false, null],
    [{ type: 'basis_below', pct: 0 }, { basisPct: -0.1, reference: null }, null, true, -0.1],
    [{ type: 'basis_below', pct: 0 }, { basisPct: -0.1, ...staleQuote }, null, false, null],
    [{ type: 'basis_above', pct: 0 }, { basisPct: 0.1 }, null, true, 0.1],
    [{ type: 'session_in', sessions: ['POST_MARKET', 'REGULAR'] }, {}, null, true, 'REGULAR'],
    [{ type: 'session_in', sessions: ['POST_MARKET'] }, { session: 'CLOSED' }, null, false, 'CLOSED'],
    // The calendar ends with 2027: an unknown session is not CLOSED.
    [{ type: 'session_in', sessions: ['CLOSED'] }, { session: 'CLOSED', slot: Date.UTC(2028, 5, 1) }, null, false, null],
    [{ type: 'liquidity_above', usd: 250_000 }, {}, null, true, '250000.5'],
    [{ type: 'liquidity_above', usd: '250000.50' }, {}, null, false, '250000.5'],
    [{ type: 'liquidity_above', usd: 1 }, { liquidityUsd: null }, null, false, null],
    [{ type: 'price_above', price: '99.99999999999999999' }, {}, null, true, '100'],
    [{ type: 'price_above', price: '100.00' }, {}, null, false, '100'],
    [{ type: 'price_above', price: '1' }, staleQuote, null, false, null],
    [{ type: 'price_below', price: 100.5 }, {}, null, true, '100'],
    [{ type: 'price_below', price: 100.5 }, { quote: { ...LIVE_QUOTE, mid: null } }, null, false, null],
    [{ type: 'price_below', price: 100.5 }, { quote: { ...LIVE_QUOTE, mid: '-3' } }, null, false, null],
    [{ type: 'volatility_below', period: 20, pct: 60 }, { indicators: { 'volatility:20@1h': indicator(59) } }, null, true, 59],
    [{ type: 'volatility_below', period: 20, pct: 60 }, { indicators: { 'volatility:20@1h': indicator(61) } }, null, false, 61],
    // Bought at 90: the bid of 99 is +10 percent. Sold short at 100: the ask of 101 is -1 percent.
    [{ type: 'take_profit', pct: 10 }, {}, position(), true, 10],
    [{ type: 'take_profit', pct: 10.1 }, {}, position(), false, 10],
    [{ type: 'take_profit', pct: 1 }, {}, null, false, null],
    [{ type: 'take_profit', pct: 1 }, staleQuote, position(), false, null],
    [{ type: 'take_profit', pct: 1 }, { quote: { ...LIVE_QUOTE, bid: null } }, position(), false, null],
    [{ type: 'stop_loss', pct: 1 }, {}, position({ averageEntryPrice: '100' }), true, -1],
    [{ type: 'stop_loss', pct: 1.1 }, {}, position({ averageEntryPrice: '100' }), false, -1],
    [{ type: 'stop_loss', pct: 1 }, {}, position({ averageEntryPrice: '100', quantity: '-2' }), true, -1],
    [{ type: 'stop_loss', pct: 1 }, staleQuote, position({ averageEntryPrice: '200' }), false, null],
    [{ type: 'held_longer_than', hours: 4 }, {}, position(), true, 5],
    [{ type: 'held_longer_than', hours: 5 }, {}, position(), false, 5],
    [{ type: 'held_longer_than', hours: 0 }, {}, null, false, null],
  ])('%j of %j with position %j: passed %s, observed %s', (condition, seen, held, passed, observed) => {
    expect(evaluate(condition, seen, held)).toEqual([passed, observed]);
  });

  test('every type fails on an unknown input and names its threshold', () => {
    for (const definition of CONDITIONS) {
      const problems: Problem[] = [];
      const sample = definition.type.startsWith('ema')
        ? EMA
        : definition.type.startsWith('funding')
          ? FUNDING
          : Object.fromEntries(Object.keys(definition.fields).map((name) => [name, SAMPLE[name]]));
      const condition = readCondition({ type: definition.type, ...sample }, definition.sides[0] as 'entry', '1h', '$', problems);
      expect(problems).toEqual([]);
      if (condition === null) throw new Error(definition.type);
      expect(definition.compile(condition).passes(null), definition.type).toBe(false);
      expect(definition.threshold(condition), definition.type).not.toBeNull();
    }
  });
});

const SAMPLE: Record<string, unknown> = {
  bps: 5,
  notionalUsd: '1000',
  transferFeeBps: 0,
  pct: 5,
  period: 14,
  value: 40,
  minSeverity: 'low',
  lookbackHours: 1,
  includeRumors: true,
  sessions: ['CLOSED'],
  usd: '1',
  price: '2',
  hours: 3,
};

describe('bars', () => {
  test.each([
    [SLOT - HOUR + 1, null],
    [SLOT - HOUR, 10],
    [SLOT - 2 * HOUR, 10],
    [SLOT - 3 * HOUR + 1, 10],
    [SLOT - 3 * HOUR, null],
    [null, null],
  ])('an indicator whose last bar opened at %s reads %s: a forming bar or one two bars old is no reading', (barOpenTime, observed) => {
    const seen = { indicators: { 'rsi:14@1h': indicator(10, 11, barOpenTime) } };
    expect(evaluate({ type: 'rsi_below', period: 14, value: 30 }, seen)).toEqual([observed !== null, observed]);
  });

  test('two averages of different bars give no result', () => {
    const seen = { indicators: { 'ema:12@1h': indicator(11, 9), 'ema:26@1h': indicator(10, 10, SLOT - 2 * HOUR) } };
    expect(evaluate({ type: 'ema_cross_up', ...EMA }, seen)).toEqual([false, null]);
  });

  test('the inputs of a condition are named as in an observation', () => {
    const problems: Problem[] = [];
    const cross = readCondition({ type: 'ema_cross_up', ...EMA, timeframe: '60m' }, 'entry', '5m', '$', problems);
    if (cross === null) throw new Error(JSON.stringify(problems));
    expect(findConditionDefinition(cross).needs(cross, 'evmvenue:BTC')).toEqual([
      { instrument: 'evmvenue:BTC', name: 'ema', timeframe: '1h', period: 12 },
      { instrument: 'evmvenue:BTC', name: 'ema', timeframe: '1h', period: 26 },
    ]);
    const rank = readCondition({ type: 'funding_percentile_below', ...FUNDING }, 'entry', '5m', '$', problems);
    if (rank === null) throw new Error(JSON.stringify(problems));
    expect(findConditionDefinition(rank).needs(rank, 'evmvenue:BTC')).toEqual([
      { instrument: 'evmvenue:BTC', name: 'funding_percentile', timeframe: '1h', period: 30 },
    ]);
  });
});

describe('messages for an author', () => {
  test.each<[unknown, 'entry' | 'exit', string, string, string]>([
    [{ type: 'premium_belw', pct: 1 }, 'entry', '$.c.type', 'did you mean premium_below', 'premium_below, premium_above'],
    [{ pct: 1 }, 'entry', '$.c.type', 'is missing', 'premium_below'],
    [{ type: 7 }, 'entry', '$.c.type', 'the number 7 is not a condition type', 'premium_below'],
    [{ type: '__proto__' }, 'entry', '$.c.type', 'is not a condition type', 'premium_below'],
    ['rsi_below', 'entry', '$.c', 'must be a condition object, got the text "rsi_below"', 'type'],
    [null, 'entry', '$.c', 'got null', 'type'],
    [{ type: 'premium_below' }, 'entry', '$.c.pct', 'is missing', 'a number from -1000 to 1000'],
    [{ type: 'premium_below', pct: '1' }, 'entry', '$.c.pct', 'must be a number, got the text "1"', 'a number'],
    [{ type: 'premium_below', pct: 1, percent: 2 }, 'entry', '$.c.percent', 'unknown field', 'type, pct'],
    [{ type: 'rsi_below', perod: 14, period: 14, value: 30 }, 'entry', '$.c.perod', 'did you mean period?', 'period'],
    [{ type: 'rsi_below', period: 14.5, value: 30 }, 'entry', '$.c.period', 'must be a whole number, got 14.5', 'from 2 to 500'],
    [{ type: 'rsi_below', period: 14, value: 300 }, 'entry', '$.c.value', '300 is out of range', '0 to 100'],
    [
      { type: 'rsi_below', period: 14, value: 30, timeframe: '1d' },
      'entry',
      '$.c.timeframe',
      'must be a timeframe, got the text "1d"',
      '5m or 1h',
    ],
    [{ type: 'no_negative_event', minSeverity: 'hgh' }, 'entry', '$.c.minSeverity', 'did you mean high?', 'low, medium, high, critical'],
    [{ type: 'no_negative_event', includeRumors: 'no' }, 'entry', '$.c.includeRumors', 'must be true or false', 'true or false'],
    [{ type: 'session_in', sessions: [] }, 'entry', '$.c.sessions', 'must be a non-empty list', 'REGULAR'],
    [{ type: 'session_in', sessions: ['REGULR'] }, 'entry', '$.c.sessions', 'did you mean REGULAR?', 'PRE_MARKET'],
    [{ type: 'price_above', price: '1e3' }, 'entry', '$.c.price', 'plain decimal', 'a decimal'],
    [{ type: 'price_above', price: 0.1 + 0.2 }, 'entry', '$.c.price', 'write it as a text', 'a decimal'],
    [{ type: 'price_above', price: -1 }, 'entry', '$.c.price', 'out of range', 'from 0'],
    [{ type: 'ema_cross_up', fast: 26, slow: 12 }, 'entry', '$.c.fast', 'fast must be less than slow', 'below 12'],
    [{ type: 'stop_loss', pct: 3 }, 'entry', '$.c.type', 'stop_loss is not an entry condition', 'premium_below'],
    [{ type: 'no_negative_event' }, 'exit', '$.c.type', 'no_negative_event is not an exit condition', 'negative_event'],
  ])('%j as %s: at %s, %s', (value, side, path, problem, allowed) => {
    const problems: Problem[] = [];
    expect(readCondition(value, side, '1h', '$.c', problems)).toBeNull();
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toBe(path);
    expect(problems[0]?.problem).toContain(problem);
    expect(problems[0]?.allowed).toContain(allowed);
  });

  test('all problems of a condition at once', () => {
    const problems: Problem[] = [];
    readCondition({ type: 'rsi_below', period: 0, vlue: 3 }, 'entry', '1h', '$', problems);
    expect(problems.map((problem) => problem.path)).toEqual(['$.period', '$.value', '$.vlue']);
  });

  test('fields come in one order, defaults resolved, sets sorted, decimals and timeframes in their plain spelling', () => {
    const read = (value: unknown) => JSON.stringify(readCondition(value, 'entry', '1h', '$', []));
    expect(read({ value: 30, type: 'rsi_below', period: 14 })).toBe('{"type":"rsi_below","period":14,"value":30,"timeframe":"1h"}');
    expect(read({ type: 'no_negative_event' })).toBe(
      '{"type":"no_negative_event","minSeverity":"high","lookbackHours":24,"includeRumors":false}',
    );
    expect(read({ type: 'session_in', sessions: ['CLOSED', 'REGULAR', 'CLOSED'] })).toBe(
      '{"type":"session_in","sessions":["REGULAR","CLOSED"]}',
    );
    expect(read({ type: 'price_above', price: '0100.50' })).toBe(read({ type: 'price_above', price: 100.5 }));
    expect(read({ type: 'rsi_below', period: 14, value: -0, timeframe: '120m' })).toBe(
      '{"type":"rsi_below","period":14,"value":0,"timeframe":"2h"}',
    );
  });
});

test('the registry has every promised type exactly once', () => {
  const promised =
    'premium_below premium_above rsi_below rsi_above no_negative_event ema_cross_up ema_cross_down gap_to_mark_below gap_to_mark_above funding_percentile_below funding_percentile_above basis_below basis_above session_in liquidity_above price_above price_below volatility_below take_profit stop_loss held_longer_than';
  const types = CONDITIONS.map((definition) => definition.type);
  expect(new Set(types).size).toBe(types.length);
  for (const type of promised.split(' ')) expect(types).toContain(type);
});
