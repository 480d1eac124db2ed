// Causes of a waiting closing, one by one: the text of each, and which of two comes first.
import { expect, test } from 'vitest';
import { type ClosingFacts, type ClosingProposal, closingWait } from '../../src/domain/agents/closing-waits.ts';
import type { Closing } from '../../src/domain/orders/execution.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../src/domain/market/venue.ts';

const AT = Date.UTC(2026, 2, 2, 14, 31);
const BTC: InstrumentKey = 'spotexchange:BTCUSDT';
const ETH: InstrumentKey = 'spotexchange:ETHUSDT';
const ALL: Closing = { instrument: null, limitPrice: null, subject: 'ann', at: AT - 90_000 };
const LIMITED: Closing = { ...ALL, instrument: BTC, limitPrice: '61000' };

const quoted = (bid: string | null, over: Partial<Quote> = {}, key = BTC): readonly [InstrumentKey, Quote] => [
  key,
  {
    kind: 'quote',
    venue: splitInstrumentKey(key).venue as ExecutableVenue,
    instrument: splitInstrumentKey(key).instrument,
    source: 'test',
    observedAt: AT,
    receivedAt: AT,
    sourceTime: true,
    bid,
    ask: '70000',
    bidSize: '1',
    askSize: '1',
    sequence: 1,
    quality: 'live',
    flags: [],
    ...over,
  },
];
const proposal = (over: Partial<ClosingProposal>): ClosingProposal => ({
  state: 'approved',
  side: 'exit',
  reason: null,
  order: { instrument: BTC, quantity: '1', limitPrice: '60000' },
  execution: null,
  transaction: null,
  createdAt: AT - 60_000,
  expiresAt: AT + 60_000,
  ...over,
});
const facts = (over: Partial<ClosingFacts> = {}): ClosingFacts => ({
  held: [{ instrument: BTC, quantity: '1' }],
  proposals: [],
  quotes: new Map([quoted('60000')]),
  at: AT,
  ...over,
});
const both = [
  { instrument: BTC, quantity: '1' },
  { instrument: ETH, quantity: '2' },
];

test.each<[what: string, closing: Closing, over: Partial<ClosingFacts>, cause: string | null, detail: string]>([
  ['no quote was received', ALL, { quotes: new Map() }, 'venue', 'the price of spotexchange:BTCUSDT is not live: no quote was received'],
  [
    'the quote is stale, which goes before its limit',
    LIMITED,
    { quotes: new Map([quoted('60000', { quality: 'stale', flags: ['over_age'] })]) },
    'venue',
    'the price of spotexchange:BTCUSDT is not live: the quote of spotexchange:BTCUSDT is stale (over_age), only a live one can price an order',
  ],
  [
    'the market is closed',
    ALL,
    { quotes: new Map([quoted('60000', { quality: 'halted', flags: ['session_closed'] })]) },
    'market',
    'the price of spotexchange:BTCUSDT is not live: the quote of spotexchange:BTCUSDT is halted (session_closed), only a live one can price an order',
  ],
  [
    'nobody buys',
    ALL,
    { quotes: new Map([quoted(null)]) },
    'venue',
    'the price of spotexchange:BTCUSDT is not live: the quote of spotexchange:BTCUSDT has no bid',
  ],
  [
    'the market pays less than the limit',
    LIMITED,
    { quotes: new Map([quoted('60999.99')]) },
    'market',
    'the market pays 60999.99 for spotexchange:BTCUSDT, less than the limit of 61000',
  ],
  [
    'the market pays the limit',
    LIMITED,
    { quotes: new Map([quoted('61000')]) },
    'queue',
    'a worker sells spotexchange:BTCUSDT as soon as it has capacity and risk allows it',
  ],
  [
    'its order waits for the wallet, which goes before its price',
    ALL,
    { quotes: new Map(), proposals: [proposal({ transaction: { state: 'prepared', executor: 'user' } })] },
    'signature',
    'the order of spotexchange:BTCUSDT is in progress: the owner of the wallet signs its transaction',
  ],
  [
    'a purchase of before it is still unknown, and nothing is held yet',
    ALL,
    { held: [], proposals: [proposal({ side: 'entry', state: 'unknown', createdAt: AT - 500_000 })] },
    'confirmation',
    'the order of spotexchange:BTCUSDT is in progress: the venue or the chain reports its result',
  ],
  [
    'its order is carried out at this moment',
    ALL,
    {
      proposals: [
        proposal({
          state: 'executing',
          execution: { algorithm: 'taker_immediate', urgency: 'high', phase: 'working', restingAt: null, parts: [] },
        }),
      ],
    },
    null,
    '',
  ],
  [
    'its last order failed; the one of before the closing is not its own',
    ALL,
    { proposals: [proposal({ state: 'failed', reason: 'no_liquidity' }), proposal({ state: 'expired', createdAt: AT - 120_000 })] },
    'slot',
    'the last order to sell spotexchange:BTCUSDT ended in state failed (no_liquidity); the next one follows within a minute',
  ],
  [
    'what ended before the closing, and what its pause withdraws, are no tries of it',
    ALL,
    {
      proposals: [proposal({ state: 'pending_approval', createdAt: AT - 120_000 }), proposal({ state: 'filled', createdAt: AT - 120_000 })],
    },
    'queue',
    'a worker sells spotexchange:BTCUSDT as soon as it has capacity and risk allows it',
  ],
  [
    'less than one lot is left',
    ALL,
    { held: [{ instrument: BTC, quantity: '0.000001' }] },
    'queue',
    'a worker confirms that nothing remains to be sold',
  ],
  [
    'two positions, each with its own reason',
    ALL,
    { held: both, quotes: new Map([quoted('3000', { quality: 'degraded', flags: ['feed_down'] }, ETH)]) },
    'venue',
    'the price of spotexchange:BTCUSDT is not live: no quote was received; the price of spotexchange:ETHUSDT is not live: the quote of spotexchange:ETHUSDT is degraded (feed_down), only a live one can price an order',
  ],
])('%s', (_, closing, over, cause, detail) => {
  expect(closingWait(closing, [closing], facts(over))).toEqual(cause === null ? null : { cause, detail });
});

test('a request for all does not wait for positions of another request', () => {
  const closings = [ALL, LIMITED];
  const held = facts({ held: both, quotes: new Map([quoted('60000')]) });
  expect(closingWait(LIMITED, closings, held)?.detail).toBe('the market pays 60000 for spotexchange:BTCUSDT, less than the limit of 61000');
  expect(closingWait(ALL, closings, held)?.detail).toBe('the price of spotexchange:ETHUSDT is not live: no quote was received');
});
