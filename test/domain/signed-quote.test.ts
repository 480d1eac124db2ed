// The feed's signed quote bounds the signer's price: generated quotes and orders compared with exact integers.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ObservedQuote } from '../../src/domain/market/cut.ts';
import { SIGNED_QUOTE_MS, signedQuoteObjection } from '../../src/domain/orders/signed-quote.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

const NOW = 1_800_000_000_000;
const KEY: InstrumentKey = 'spotexchange:BTCUSDT';
/** Formats cents, which are whole ticks of the instrument. */
const text = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

const quoted = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  bid: fc.integer({ min: 1, max: 10_000_000 }),
  spread: fc.integer({ min: 0, max: 5_000 }),
  limit: fc.integer({ min: 1, max: 12_000_000 }),
  /** Near the bound, so that both sides of it occur. */
  near: fc.option(fc.integer({ min: -3, max: 3 }), { nil: null }),
  budget: fc.integer({ min: 0, max: 10_000 }),
  age: fc.integer({ min: -5_000, max: SIGNED_QUOTE_MS + 5_000 }),
  quality: fc.constantFrom('live' as const, 'live' as const, 'stale' as const, 'dead' as const),
  has: fc.constantFrom('both' as const, 'both' as const, 'neither' as const, 'other' as const),
});

test('an order passes exactly if its price is within the budget of a recent live quote signed by the feed', () => {
  const seen = { passed: 0, price: 0, stale: 0 };
  fc.assert(
    fc.property(quoted, ({ side, bid, spread, limit: any, near, budget, age, quality, has }) => {
      const ask = bid + spread;
      // Bound in ten-thousandths of a cent, by integers alone.
      const bound = side === 'buy' ? BigInt(ask) * BigInt(10_000 + budget) : BigInt(bid) * BigInt(10_000 - budget);
      const limit = near === null ? any : Math.max(1, Number(bound / 10_000n) + near);
      const quote = {
        bid: text(bid),
        ask: text(ask),
        mid: text(bid),
        source: 's',
        observedAt: NOW,
        receivedAt: NOW,
        ageMs: 0,
        quality,
        flags: [],
      };
      const observation =
        has === 'neither'
          ? null
          : {
              slot: NOW - age,
              instrument: has === 'other' ? ('spotexchange:ETHUSDT' as InstrumentKey) : KEY,
              quote: quote as ObservedQuote,
            };
      const objection = signedQuoteObjection({ instrument: KEY, side, limitPrice: text(limit) }, observation, {
        now: NOW,
        maxSlippageBps: budget,
      });
      const isFresh = has === 'both' && quality === 'live' && age >= 0 && age <= SIGNED_QUOTE_MS;
      const isWithin = side === 'buy' ? BigInt(limit) * 10_000n <= bound : BigInt(limit) * 10_000n >= bound;
      const expected = !isFresh ? 'quote_stale' : isWithin ? null : 'price_refused';
      if (expected === null) seen.passed++;
      else if (expected === 'price_refused') seen.price++;
      else seen.stale++;
      expect(objection?.code ?? null).toBe(expected);
    }),
    { numRuns: 5_000, seed: 20_261_123 },
  );
  expect([seen.passed > 200, seen.price > 200, seen.stale > 200]).toEqual([true, true, true]);
});
