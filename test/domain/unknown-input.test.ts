// Reasons for an unknown input: each cause derives from the record, has a text, and is not part of the hash.
import { expect, test } from 'vitest';
import { unknownInWords } from '../../src/domain/conditions/unknown-input.ts';
import type { Observation } from '../../src/domain/market/cut.ts';
import { explainDecision } from '../../src/domain/agents/explain-decision.ts';
import { decided } from './decided.ts';
import { HOUR, indicator, LIVE_QUOTE, LIVE_REFERENCE, observation, SLOT } from './observations.ts';

const PREMIUM = { type: 'premium_below', pct: -1 };
const RSI = { type: 'rsi_below', period: 14, value: 35 };
const PRICE = { type: 'price_below', price: '50' };
const SATURDAY = Date.parse('2026-07-18T15:00:00Z');
const closed = (over: Partial<Observation> = {}) =>
  observation({
    slot: SATURDAY,
    session: 'CLOSED',
    reference: { ...LIVE_REFERENCE, quality: 'stale', flags: ['session_closed', 'carried_forward'] },
    ...over,
  });
const rsi = (value: number | null, barOpenTime: number | null = SLOT - HOUR) => ({ 'rsi:14@1h': indicator(value, null, barOpenTime) });

const CAUSES: readonly (readonly [string, { readonly type: string }, Observation, object, string])[] = [
  [
    'the market is closed',
    PREMIUM,
    closed(),
    { input: 'reference', cause: 'market_closed', until: '2026-07-20T13:30:00.000Z' },
    'the market is closed until 2026-07-20T13:30:00.000Z',
  ],
  [
    'the feed is down, also while the market is closed',
    PREMIUM,
    closed({ reference: { ...LIVE_REFERENCE, quality: 'stale', flags: ['session_closed', 'feed_down'] } }),
    { input: 'reference', cause: 'feed_down' },
    'the feed of its reference price is down',
  ],
  [
    'a price that stands still in the regular session is stale',
    PREMIUM,
    observation({ reference: { ...LIVE_REFERENCE, quality: 'stale', flags: ['carried_forward'] } }),
    { input: 'reference', cause: 'stale' },
    'its reference price is stale',
  ],
  [
    'no reference',
    PREMIUM,
    observation({ reference: null, premiumPct: null }),
    { input: 'reference', cause: 'missing' },
    'there is no reference price',
  ],
  [
    'the quote comes before the reference',
    PREMIUM,
    closed({ quote: { ...LIVE_QUOTE, quality: 'stale', flags: ['over_age'] } }),
    { input: 'quote', cause: 'stale' },
    'its quote is stale',
  ],
  [
    'halted',
    PRICE,
    observation({ quote: { ...LIVE_QUOTE, quality: 'halted' } }),
    { input: 'quote', cause: 'halted' },
    'its quote is halted',
  ],
  ['no quote', PRICE, observation({ quote: null }), { input: 'quote', cause: 'missing' }, 'there is no quote'],
  [
    'one side',
    PRICE,
    observation({ quote: { ...LIVE_QUOTE, ask: null, mid: null } }),
    { input: 'quote', cause: 'one_sided' },
    'its quote has only one side',
  ],
  [
    'a wide quote',
    PRICE,
    observation({ quote: { ...LIVE_QUOTE, quality: 'degraded', flags: ['price_jump'] } }),
    { input: 'quote', cause: 'not_live' },
    'its quote is not live',
  ],
  [
    'warming up',
    RSI,
    observation({ indicators: rsi(null) }),
    { input: 'rsi:14@1h', cause: 'warming_up', barsNeeded: 15 },
    'rsi:14@1h is warming up and needs 15 closed bars',
  ],
  [
    'warming up, with the bars so far',
    RSI,
    observation({ indicators: { 'rsi:14@1h': { ...indicator(null), bars: 12 } } }),
    { input: 'rsi:14@1h', cause: 'warming_up', barsNeeded: 15, bars: 12 },
    'rsi:14@1h is warming up: 12 of 15 closed bars',
  ],
  [
    'an average without that of the bar before',
    { type: 'ema_cross_up', fast: 3, slow: 7, timeframe: '1h' } as never,
    observation({ indicators: { 'ema:3@1h': indicator(10, 9), 'ema:7@1h': indicator(10) } }),
    { input: 'ema:7@1h', cause: 'warming_up', barsNeeded: 8, bars: 7 },
    'ema:7@1h is warming up: 7 of 8 closed bars',
  ],
  [
    'no history',
    RSI,
    observation({ indicators: rsi(null, null) }),
    { input: 'rsi:14@1h', cause: 'history_missing' },
    'the history of rsi:14@1h is missing',
  ],
  [
    'old bars',
    RSI,
    observation({ indicators: rsi(30, SLOT - 9 * HOUR) }),
    { input: 'rsi:14@1h', cause: 'stale' },
    'its rsi:14@1h is stale',
  ],
  [
    'no pool',
    { type: 'liquidity_above', usd: '1000' } as never,
    observation({ liquidityUsd: null }),
    { input: 'pool', cause: 'missing' },
    'there is no pool',
  ],
  [
    'a news source is down',
    { type: 'no_negative_event' },
    observation({ events: null }),
    { input: 'events', cause: 'source_down' },
    'a source of news is down',
  ],
];

test.each(CAUSES)('the cause of an unknown input: %s', (_, condition, seen, unknown, words) => {
  const record = decided(seen, 'policy_auto', () => ({ verdict: 'passed', rejections: [] }), undefined, {
    entryConditions: [condition],
  });
  const [rule] = record.rules;
  expect(rule).toMatchObject({ type: condition.type, passed: false, observed: null });
  expect(rule?.unknown).toEqual(unknown);
  expect(rule?.unknown && unknownInWords(rule.unknown)).toBe(words);
  const explained = explainDecision(record);
  expect(explained.instruments[0]?.entry[0]?.sentence).toContain(words);
  // An exit rule without a position has no input.
  expect(record.rules.find(({ type }) => type === 'stop_loss')?.unknown).toEqual({ input: 'position', cause: 'no_position' });
});

test('a known input has no cause', () => {
  const record = decided(observation({ indicators: rsi(30) }), 'policy_auto', () => ({ verdict: 'passed', rejections: [] }));
  for (const rule of record.rules) expect('unknown' in rule).toBe(rule.observed === null);
});
