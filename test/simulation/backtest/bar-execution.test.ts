// Fill of an order on a bar by its algorithm, compared with slow exact decimals and with manual results.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { harder } from '../../../src/domain/backtest/assumptions.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { assumedMarketState, observedState, type SeenState } from '../../../src/domain/orders/costs.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { EXECUTION_ALGORITHMS, type Manifest, URGENCIES } from '../../../src/domain/manifest/manifest.ts';
import { findMarketStep } from '../../../src/domain/market/market-step.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { chooseBarCourse, fillOnBars } from '../../../src/simulation/backtest/bar-execution.ts';
import { bookUnits, instrumentUnits, unitsText } from '../../../src/simulation/backtest/trade-ledger.ts';
import { seedOfRun } from '../../harness/seed.ts';
import { fillPlainly } from './plain-fill.ts';
import { HOUR } from './random-histories.ts';

const BTC = 'spotexchange:BTCUSDT' as InstrumentKey;
const KEYS = [BTC, 'spotchain:AAPLx', 'evmvenue:BTC'] as InstrumentKey[];
const LEVELS: Readonly<Record<string, number>> = { [BTC]: 60_000, 'spotchain:AAPLx': 200, 'evmvenue:BTC': 60_000 };

interface Asked {
  readonly key: InstrumentKey;
  readonly side: 'buy' | 'sell';
  readonly algorithm: Manifest['algorithm'];
  readonly urgency: Manifest['urgency'];
  readonly costMultiplier: number;
  /** US dollars. */
  readonly notional: number;
  /** Distance of the limit beyond the open, in basis points. */
  readonly room: number;
  readonly bar: Omit<Candle, 'openTime'>;
  /** Recorded state of the market; none by default. */
  readonly seen?: SeenState;
}

/** Computes the same order on the same bar, in units and in decimals. */
function both({ key, side, algorithm, urgency, costMultiplier, notional, room, bar, seen }: Asked) {
  const assumptions = { costMultiplier, maxParticipationPct: 10, minOrderUsd: 10 };
  const money = bookUnits('1000000');
  const assumed = assumedMarketState(key);
  const costs = harder(key, seen === undefined ? assumed : observedState(assumed, seen), assumptions);
  const units = instrumentUnits(Number(bar.open), money, costs, findMarketStep(key));
  const quantity = Math.max(1, Math.floor(((notional / Number(bar.open)) * units.quantityUnit) / units.lot)) * units.lot;
  const away = (side === 'buy' ? room : -room) / 10_000;
  const limit = Math.floor(Number(bar.open) * (1 + away) * units.priceUnit);
  const met = {
    open: Number(bar.open),
    high: Number(bar.high),
    low: Number(bar.low),
    close: Number(bar.close),
    volume: Number(bar.volume),
  };
  const course = chooseBarCourse({ algorithm, urgency }, key, assumptions);
  const fast = fillOnBars({ side, quantity, limit }, { barMs: HOUR, bars: [met] }, course, units, money.unit);
  const slow = fillPlainly({
    key,
    side,
    quantity: new Decimal(unitsText(quantity, units.quantityDecimals)),
    limit: new Decimal(unitsText(limit, units.priceDecimals)),
    bar: { openTime: 0, ...bar },
    algorithm,
    urgency,
    costMultiplier,
    halfSpreadBps: seen?.halfSpreadBps ?? null,
    liquidityUsd: seen?.liquidityUsd == null ? null : String(seen.liquidityUsd),
    priceDigits: units.priceDecimals,
    quantityDigits: units.quantityDecimals,
    moneyDigits: money.moneyDecimals,
  });
  return { fast, slow, units, money, ordered: quantity, limit };
}

/** Bars whose opens, extremes and volume cause complete, partial and no resting fills. */
const asked: fc.Arbitrary<Asked> = fc
  .record({
    key: fc.constantFrom(...KEYS),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    algorithm: fc.constantFrom(...EXECUTION_ALGORITHMS),
    urgency: fc.constantFrom(...URGENCIES),
    costMultiplier: fc.constantFrom(1, 2.5),
    notional: fc.integer({ min: 15, max: 100_000 }),
    room: fc.integer({ min: -30, max: 60 }),
    moves: fc.record({
      close: fc.integer({ min: -400, max: 400 }),
      up: fc.integer({ min: 0, max: 900 }),
      down: fc.integer({ min: 0, max: 900 }),
    }),
    volumeUsd: fc.constantFrom(0, 20_000, 3_000_000, 90_000_000),
    seen: fc.record({
      halfSpreadBps: fc.constantFrom(null, 0, 0.5, 28.125),
      liquidityUsd: fc.constantFrom(null, 900_000.5, 40_000_000),
    }),
  })
  .map(({ moves, volumeUsd, ...one }) => {
    const level = LEVELS[one.key] as number;
    const at = (bps: number): number => level * (1 + bps / 10_000);
    const digits = level > 1_000 ? 2 : 4;
    return {
      ...one,
      bar: {
        open: level.toFixed(digits),
        high: at(Math.max(0, moves.close) + moves.up).toFixed(digits),
        low: at(Math.min(0, moves.close) - moves.down).toFixed(digits),
        close: at(moves.close).toFixed(digits),
        volume: (volumeUsd / level).toFixed(3),
      },
    };
  });

/**
 * Cases that random orders seldom hit: a slice whose average price is 2e-7 of a unit below an integer, a window with just one coin, and
 * a window that trades a whole number of lots a few units of price beyond the open.
 */
const CLOSE_TO_A_UNIT: readonly Asked[] = [
  {
    key: BTC,
    side: 'sell',
    algorithm: 'twap',
    urgency: 'low',
    costMultiplier: 1,
    notional: 99_987,
    room: 0,
    bar: { open: '60000.00', high: '60030.00', low: '60000.00', close: '60030.00', volume: '0.000' },
  },
  {
    key: BTC,
    side: 'sell',
    algorithm: 'smart_order_routing_maker_first',
    urgency: 'medium',
    costMultiplier: 1,
    notional: 60_000,
    room: 0,
    bar: { open: '60000.00', high: '61386.00', low: '58836.00', close: '61380.00', volume: '1500.000' },
  },
  {
    key: BTC,
    side: 'sell',
    algorithm: 'smart_order_routing_maker_first',
    urgency: 'high',
    costMultiplier: 1,
    notional: 56_317,
    room: 0,
    seen: { halfSpreadBps: 0, liquidityUsd: null },
    bar: { open: '60000.00', high: '60054.00', low: '59934.00', close: '59970.00', volume: '1500.000' },
  },
];

test('an order on a bar equals the sum of its parts in exact decimals, never beyond its limit', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(asked, (one) => {
      const { fast, slow, units, money, ordered, limit } = both(one);
      expect(fast === null).toBe(slow === null);
      if (fast === null || slow === null) {
        seen.add('nothing');
        return;
      }
      expect({
        quantity: unitsText(fast.quantity, units.quantityDecimals),
        price: unitsText(fast.price, units.priceDecimals),
        fees: unitsText(fast.fees, money.moneyDecimals),
      }).toEqual({ quantity: slow.quantity.toFixed(), price: slow.price.toFixed(), fees: slow.fees.toFixed() });
      expect(fast.quantity).toBeLessThanOrEqual(ordered);
      if (one.side === 'buy') expect(fast.price).toBeLessThanOrEqual(limit);
      else expect(fast.quantity).toBe(ordered);
      const course = one.key === BTC ? one.algorithm : 'elsewhere';
      if (fast.quantity < ordered) seen.add(`${course} in part`);
      if (fast.quantity < ordered && one.algorithm === 'taker_immediate') seen.add('taken in part');
      if (fast.rested > 0) seen.add(fast.rested === fast.quantity * fast.price ? 'rested whole' : 'rested and taken');
      seen.add(course);
    }),
    {
      numRuns: Number(process.env['FC_RUNS'] ?? 4_000),
      seed: seedOfRun(),
      examples: CLOSE_TO_A_UNIT.map((one) => [one]),
    },
  );
  expect([...seen]).toEqual(
    expect.arrayContaining([...EXECUTION_ALGORITHMS, 'twap in part', 'taken in part', 'rested whole', 'rested and taken', 'nothing']),
  );
});

describe('by hand, ten bitcoins at 60,000 on a bar that falls by 90 and rises by 9', () => {
  const bar = { open: '60000', high: '60009', low: '59910', close: '59955', volume: '100000' };
  const order = { key: BTC, side: 'buy' as const, costMultiplier: 1, notional: 600_000, room: 100, bar };
  const resultOf = (algorithm: Manifest['algorithm'], urgency: Manifest['urgency']) => {
    const { fast, units } = both({ ...order, algorithm, urgency });
    return { price: (fast?.price ?? 0) / units.priceUnit, rested: fast?.rested ?? 0 };
  };

  test('taken at once it pays half the spread and half of the depth it consumes', () => {
    expect(resultOf('taker_immediate', 'low').price).toBeCloseTo(60_006 * (1 + 600_060 / 5_000_000 / 200), 1);
  });

  test('if the window does not show a price below the bid, the order rests in vain and is taken at its end', () => {
    // 45 seconds of an hour show 1.125 of the 90 below the open; the bid is 6 below it.
    const { price, rested } = resultOf('smart_order_routing_maker_first', 'low');
    expect(rested).toBe(0);
    expect(price).toBeCloseTo((60_000 - 45 / 80) * 1.0001 * (1 + 600_060 / 5_000_000 / 200), 0);
  });

  test('if it does, the price is the bid', () => {
    const deep = { ...bar, low: '58000' };
    const { fast, units } = both({ ...order, bar: deep, algorithm: 'smart_order_routing_maker_first', urgency: 'low' });
    // 25 below the open are shown, 19 of them beyond the bid; the window trades 1,250 bitcoins.
    expect((fast?.price ?? 0) / units.priceUnit).toBeCloseTo(59_994, 1);
    expect(fast?.rested).toBe((fast?.quantity ?? 0) * (fast?.price ?? 0));
  });

  test('slices consume less depth each, at the prices of their times', () => {
    // Ten slices of one bitcoin, on average 135 seconds into an hour that falls by 45.
    expect(resultOf('twap', 'low').price).toBeCloseTo((60_000 - (45 * 135) / 3_600) * 1.0001 * (1 + 60_006 / 5_000_000 / 200), 0);
  });
});
