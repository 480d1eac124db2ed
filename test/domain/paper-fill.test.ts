// Paper fills compared with values computed by hand, and walks through a book with a naive unit-by-unit oracle.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COST_MODELS } from '../../src/domain/orders/costs.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import { type Order, completeOrder } from '../../src/domain/orders/order.ts';
import { type Depth, type PaperMarket, paperFill } from '../../src/domain/orders/paper-fill.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import type { RiskApproved } from '../../src/domain/risk/assess.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

const BTC: InstrumentKey = 'spotexchange:BTCUSDT';
const AAPL: InstrumentKey = 'spotchain:AAPLx';
/** Approves an order without risk, because this tests only the fill. */
const approved = (side: 'buy' | 'sell', quantity: string, limitPrice: string, instrument: InstrumentKey = BTC): RiskApproved<Order> =>
  completeOrder({
    id: 'o',
    origin: 'proposal',
    mode: 'paper',
    bookId: 'b',
    instrument,
    side,
    quantity,
    limitPrice,
    maxSlippageBps: 50,
  }) as RiskApproved<Order>;
const depth = (asks: [string, string][], bids: [string, string][] = [['99', '1']], changes: Partial<Depth> = {}): Depth => ({
  venue: 'spotexchange',
  source: 'test:depth',
  observedAt: 5,
  quality: 'live',
  flags: [],
  asks: asks.map(([price, size]) => ({ price, size })),
  bids: bids.map(([price, size]) => ({ price, size })),
  ...changes,
});
const quote = (changes: Partial<Quote> = {}, key: InstrumentKey = BTC): Quote => {
  const [venue, instrument] = key.split(':') as ['spotexchange', string];
  return {
    kind: 'quote',
    venue,
    instrument,
    source: 'test:top',
    observedAt: 5,
    receivedAt: 6,
    sourceTime: true,
    bid: '99',
    ask: '100',
    bidSize: '2',
    askSize: '2',
    sequence: null,
    quality: 'live',
    flags: [],
    ...changes,
  };
};
const market = (changes: Partial<PaperMarket>): PaperMarket => ({ quote: null, depth: null, liquidityUsd: null, ...changes });
const filled = (order: RiskApproved<Order>, on: PaperMarket, decisionPrice = '100') =>
  paperFill(order, on, COST_MODELS[order.venue], { id: 'f', at: 7, decisionPrice });

test('a buy walks the asks, pays their average plus the taker fee, and names the book', () => {
  const result = filled(
    approved('buy', '3', '102'),
    market({
      depth: depth([
        ['100', '1'],
        ['101', '1'],
        ['102', '5'],
      ]),
    }),
  );
  // (100 + 101 + 102) / 3 = 101; 303 USD, 10 bps of it 0.303; 100 bps above the decision price.
  expect(result).toEqual({
    outcome: 'filled',
    fill: {
      id: 'f',
      orderId: 'o',
      bookId: 'b',
      instrument: BTC,
      side: 'buy',
      quantity: '3',
      fillPrice: '101',
      feeUsd: '0.303',
      notionalUsd: '303',
      decisionPrice: '100',
      slippageBps: 100,
      at: 7,
      quotes: [{ source: 'test:depth', observedAt: 5, bid: '99', ask: '100' }],
    },
  });
});

test('levels beyond the limit are not used: filled partially, or not at all', () => {
  const book = depth(
    [
      ['100', '1'],
      ['103', '9'],
    ],
    [
      ['99', '0.5'],
      ['98', '9'],
    ],
  );
  expect(filled(approved('buy', '3', '102'), market({ depth: book }))).toMatchObject({
    outcome: 'partially_filled',
    fill: { quantity: '1', fillPrice: '100' },
  });
  expect(filled(approved('sell', '3', '98.5'), market({ depth: book }))).toMatchObject({
    outcome: 'partially_filled',
    fill: { quantity: '0.5', fillPrice: '99' },
  });
  expect(filled(approved('buy', '3', '99.5'), market({ depth: book }))).toMatchObject({ outcome: 'no_fill', reason: 'limit_price_passed' });
});

test('without a book the top of the quote fills as far as its size goes; a pool fills along its curve', () => {
  expect(filled(approved('buy', '3', '101'), market({ quote: quote() }))).toMatchObject({
    outcome: 'partially_filled',
    fill: { quantity: '2', fillPrice: '100' },
  });
  expect(filled(approved('buy', '3', '101'), market({ quote: quote({ askSize: null }) }))).toMatchObject({
    outcome: 'no_fill',
    reason: 'size_unknown',
  });
  // One side 50,000 USD: 10 tokens at 100 are 1,000; the average is 100 x 50,000 / 49,000, rounded up at 12 digits.
  const pool = market({ quote: quote({ askSize: null }, AAPL), liquidityUsd: '100000' });
  expect(filled(approved('buy', '10', '103', AAPL), pool)).toMatchObject({ outcome: 'filled', fill: { fillPrice: '102.040816327' } });
  // Up to an average of 101: 50,000 / 100 - 50,000 / 101 = 4.950495…
  expect(filled(approved('buy', '10', '101', AAPL), pool)).toMatchObject({ outcome: 'partially_filled', fill: { quantity: '4.950495' } });
});

test('nothing that is stale, of another venue or one-sided fills, and each gives its reason', () => {
  const order = approved('buy', '1', '101');
  const reason = (on: Partial<PaperMarket>) => {
    const result = filled(order, market(on));
    return result.outcome === 'no_fill' ? result.reason : result.outcome;
  };
  expect(reason({})).toBe('no_quote');
  for (const quality of ['delayed', 'stale', 'degraded', 'halted'] as const) {
    expect(reason({ quote: quote({ quality }) })).toBe('quote_not_live');
    // A bad book is not ignored in favour of a good quote.
    expect(reason({ quote: quote(), depth: depth([['100', '1']], [], { quality }) })).toBe('quote_not_live');
  }
  expect(reason({ quote: quote({ venue: 'evmvenue' as never }) })).toBe('venue_mismatch');
  expect(reason({ quote: quote({ instrument: 'ETHUSDT' }) })).toBe('venue_mismatch');
  expect(reason({ depth: depth([['100', '1']], [], { venue: 'evmvenue' }) })).toBe('venue_mismatch');
  expect(reason({ quote: quote({ ask: null }) })).toBe('one_sided');
  expect(reason({ depth: depth([]) })).toBe('one_sided');
  expect(reason({ depth: depth([['100', '0.000001']]) })).toBe('below_one_lot');
});

test('over random books a fill is never beyond its limit, never more than available, and as good as a naive walk', () => {
  const level = fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 300_000 }));
  fc.assert(
    fc.property(
      fc.array(level, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 500_000 }),
      fc.integer({ min: 9_900, max: 10_500 }),
      fc.boolean(),
      (steps, lots, limitTicks, buys) => {
        // Prices in cents, moving away from the touch; sizes in lots of 0.00001.
        let price = 10_000;
        const levels = steps.map(([step, size]) => [(price += buys ? step : -step), size] as const);
        const sides = levels.map(([cents, size]) => [String(cents / 100), new Decimal(size).div(100_000).toFixed()] as [string, string]);
        const order = approved(buys ? 'buy' : 'sell', new Decimal(lots).div(100_000).toFixed(), String(limitTicks / 100));
        const result = filled(order, market({ depth: buys ? depth(sides) : depth([], sides) }));
        let left = lots;
        let cost = 0n;
        for (const [cents, size] of levels) {
          if (buys ? cents > limitTicks : cents < limitTicks) break;
          const here = Math.min(left, size);
          left -= here;
          cost += BigInt(here) * BigInt(cents);
        }
        if (result.outcome === 'no_fill') return lots === left;
        const { quantity, fillPrice, notionalUsd } = result.fill;
        const exact = new Decimal(cost.toString()).div(10_000_000);
        const off = new Decimal(notionalUsd).minus(exact);
        const beyond = new Decimal(fillPrice).minus(new Decimal(limitTicks).div(100));
        return (
          new Decimal(quantity).times(100_000).eq(lots - left) &&
          (buys ? beyond.lte(0) : beyond.gte(0)) &&
          (buys ? off.gte(0) : off.lte(0)) &&
          off.abs().div(exact).lt('1e-15')
        );
      },
    ),
    { numRuns: 500 },
  );
});
