// Parts of orders, and fills of a resting order, compared with naive oracles.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COST_MODELS } from '../../src/domain/orders/costs.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import {
  chooseContinuation,
  type EndedPart,
  firstPart,
  computeRemaining,
  planExecution,
  SLICES,
  sliceCount,
  sliceOrder,
} from '../../src/domain/orders/execution-plan.ts';
import { EXECUTION_ALGORITHMS, URGENCIES } from '../../src/domain/manifest/manifest.ts';
import { type Order, completeOrder } from '../../src/domain/orders/order.ts';
import { type MarketFlow, computeNearPrice, restingFill } from '../../src/domain/orders/resting-fill.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

const order = (quantity: string, instrument: InstrumentKey = 'spotexchange:BTCUSDT', side: 'buy' | 'sell' = 'buy'): Order =>
  completeOrder({
    id: 'o',
    origin: 'proposal',
    mode: 'paper',
    bookId: 'b',
    instrument,
    side,
    quantity,
    limitPrice: '60000',
    maxSlippageBps: 50,
  });
const lots = fc.integer({ min: 1, max: 5_000_000 }).map((n) => plainDecimal(new Decimal(n).times('0.00001')));

test('slices are whole lots of almost equal size, none too small, and together the order', () => {
  fc.assert(
    fc.property(lots, fc.constantFrom(...URGENCIES), (quantity, urgency) => {
      const slices = sliceOrder(order(quantity), urgency).map((slice) => new Decimal(slice));
      expect(plainDecimal(slices.reduce((sum, slice) => sum.plus(slice), new Decimal(0)))).toBe(quantity);
      const [least, most] = [Decimal.min(...slices), Decimal.max(...slices)];
      expect(most.minus(least).lte('0.00001')).toBe(true);
      expect(least.gt(0)).toBe(true);
      for (const slice of slices) expect(slice.mod('0.00001').isZero()).toBe(true);
      expect(slices.length).toBeLessThanOrEqual(SLICES[urgency].count);
      if (slices.length > 1) expect(new Decimal(quantity).times(60_000).div(slices.length).gte(20)).toBe(true);
    }),
  );
});

test('an order is executed as its manifest asks if its venue supports it, otherwise with a stated reason', () => {
  const asked = (algorithm: (typeof EXECUTION_ALGORITHMS)[number], on: Order, isProtective = false) =>
    planExecution({ algorithm, urgency: 'medium' }, on, isProtective);
  const rows: readonly (readonly [(typeof EXECUTION_ALGORITHMS)[number], InstrumentKey, string | null])[] = [
    ['taker_immediate', 'spotexchange:BTCUSDT', null],
    ['smart_order_routing_maker_first', 'spotexchange:BTCUSDT', null],
    ['twap', 'spotexchange:BTCUSDT', null],
    ['smart_order_routing_maker_first', 'evmvenue:BTC', 'no_resting_orders'],
    ['twap', 'evmvenue:BTC', null],
    ['smart_order_routing_maker_first', 'spotchain:AAPLx', 'no_resting_orders'],
    ['twap', 'spotchain:AAPLx', 'one_transaction'],
  ];
  for (const [algorithm, instrument, fallback] of rows) {
    const plan = asked(algorithm, order('1', instrument));
    expect([algorithm, instrument, plan.fallback, plan.algorithm]).toEqual([
      algorithm,
      instrument,
      fallback,
      fallback === null ? algorithm : 'taker_immediate',
    ]);
  }
  expect(asked('twap', order('0.0005'))).toMatchObject({ algorithm: 'taker_immediate', fallback: 'too_small_to_slice' });
  for (const algorithm of ['twap', 'smart_order_routing_maker_first'] as const)
    expect(asked(algorithm, order('1', 'spotexchange:BTCUSDT', 'sell'), true)).toMatchObject({ fallback: 'protective_exit' });
});

test('however the parts of an order end, together they never exceed the order', () => {
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(
      lots,
      fc.constantFrom(...EXECUTION_ALGORITHMS),
      fc.constantFrom(...URGENCIES),
      shares,
      fc.nat(100_000),
      (quantity, algorithm, urgency, filled, late) => {
        const whole = order(quantity);
        const plan = planExecution({ algorithm, urgency }, whole, false);
        const ended: EndedPart[] = [];
        let at = 0;
        for (let part = firstPart(plan, whole) as ReturnType<typeof firstPart> | null; part !== null; ) {
          expect(new Decimal(part.quantity).lte(computeRemaining({ quantity }, ended))).toBe(true);
          const executed = new Decimal(part.quantity).times(filled[ended.length] ?? 1).toDecimalPlaces(5, Decimal.ROUND_DOWN);
          ended.push({ ...part, executedQuantity: plainDecimal(executed), reason: null });
          at = Math.max(at, part.dueAt ?? 0) + late;
          const next = chooseContinuation(plan, whole, ended, { startedAt: 0, at });
          ended.push(...next.missed);
          part = next.part;
          if (part !== null && part.dueAt !== null) expect(part.dueAt + SLICES[urgency].everyMs).toBeGreaterThan(at);
        }
        expect(ended.length).toBeLessThanOrEqual(plan.algorithm === 'twap' ? sliceCount(whole, urgency) : 2);
        expect(new Set(ended.map(({ number }) => number)).size).toBe(ended.length);
      },
    ),
  );
});

test('a resting order is filled only by trades beyond its price', () => {
  const price = fc.integer({ min: 5_990, max: 6_010 }).map(String);
  const size = fc.integer({ min: 1, max: 300 }).map((n) => plainDecimal(new Decimal(n).div(100)));
  const trades = fc.array(fc.record({ price, quantity: size, at: fc.constant(1) }), { maxLength: 12 });
  fc.assert(
    fc.property(trades, fc.constantFrom('buy' as const, 'sell' as const), (traded, side) => {
      const resting = order('2', 'spotexchange:BTCUSDT', side);
      const flow: MarketFlow = { venue: 'spotexchange', source: 's', trades: traded, tops: [] };
      const filled = restingFill(resting, flow, COST_MODELS.spotexchange, { id: 'f', price: '6000', decisionPrice: '6001', until: 9 });
      const beyond = traded.filter(({ price: at }) => (side === 'buy' ? Number(at) < 6_000 : Number(at) > 6_000));
      const volume = Math.min(
        2,
        beyond.reduce((sum, { quantity }) => sum + Number(quantity), 0),
      );
      if (volume === 0) expect(filled.outcome).toBe('no_fill');
      else if (filled.outcome === 'no_fill') expect.fail('it should be filled');
      else {
        expect(Number(filled.fill.quantity)).toBeCloseTo(volume, 9);
        expect(filled.fill.fillPrice).toBe('6000');
        expect(Number(filled.fill.feeUsd)).toBeCloseTo(volume * 6, 6);
      }
    }),
  );
});

test('if the book crossed the price, the largest size counts, however often it was received', () => {
  const received = (at: number, bid: string | null, ask: string | null, size: string | null) => ({
    source: 'top',
    observedAt: at,
    at,
    bid,
    ask,
    bidSize: size,
    askSize: size,
  });
  const tops = [
    received(1, '5990', '5999', '0.3'),
    received(2, '5990', '5999', '0.5'),
    received(3, '5999', '6000', '9'),
    received(4, null, null, null),
  ];
  const flow: MarketFlow = { venue: 'spotexchange', source: 's', trades: [], tops };
  const info = { id: 'f', price: '6000', decisionPrice: '6001', until: 9 };
  expect(restingFill(order('2'), flow, COST_MODELS.spotexchange, info)).toMatchObject({
    outcome: 'partially_filled',
    fill: { quantity: '0.5', quotes: [{ source: 'top', observedAt: 2, bid: '5990', ask: '5999' }] },
  });
  expect(() => restingFill(order('2'), { ...flow, venue: 'evmvenue' }, COST_MODELS.spotexchange, info)).toThrow(/evmvenue/);
});

test('an order never rests beyond its limit, or if its side is empty', () => {
  expect(computeNearPrice({ side: 'buy', limitPrice: '100' }, { bid: '101', ask: '102' })).toBe('100');
  expect(computeNearPrice({ side: 'buy', limitPrice: '100' }, { bid: '99.50', ask: '102' })).toBe('99.5');
  expect(computeNearPrice({ side: 'sell', limitPrice: '100' }, { bid: '90', ask: '99' })).toBe('100');
  expect(computeNearPrice({ side: 'sell', limitPrice: '100' }, { bid: '90', ask: null })).toBeNull();
});
