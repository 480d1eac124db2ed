// Finer bars within a bar: a stop or target acts where it is reached, and the worse of two possible orders of events is used.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_ASSUMPTIONS } from '../../../src/domain/backtest/assumptions.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { isoTime, timeframeMs } from '../../../src/domain/values/time.ts';
import type { FinerReads } from '../../../src/simulation/backtest/finer-bars.ts';
import { buildHistory } from '../../../src/simulation/backtest/history.ts';
import { NO_OTHERS, runBacktestInside } from '../../../src/simulation/backtest/run.ts';
import { payload } from '../../domain/authored.ts';
import { fillPlainly } from './plain-fill.ts';
import { entryOf, HOUR, START } from './random-histories.ts';

const BTC = 'spotexchange:BTCUSDT';
const STOP_PCT = 5;
const TARGET_PCT = 10;
/** The entry is decided at the end of the first hour, and filled at the open of the second. */
const ENTERED = START + HOUR;

type Prices = readonly [open: number, high: number, low: number, close: number];

function manifestOf(execution: object = {}): Manifest {
  const read = readManifest({
    ...payload({ universe: ['BTCUSDT'], timeframe: '1h', entryConditions: [{ type: 'price_above', price: '1' }], exitConditions: [] }),
    stopLossPct: STOP_PCT,
    takeProfitPct: TARGET_PCT,
    maxCapitalUsd: 100_000,
    maxTradeNotionalUsd: 10_000,
    maxDailyDrawdownPct: 50,
    maxSlippageBps: 500,
    algorithm: 'taker_immediate',
    ...execution,
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

const candle = (openTime: number, [open, high, low, close]: Prices): Candle => ({
  openTime,
  open: String(open),
  high: String(high),
  low: String(low),
  close: String(close),
  volume: '1000',
});

/** Returns the hourly bar of these parts. */
const hourOf = (parts: readonly Prices[]): Prices => [
  (parts[0] as Prices)[0],
  Math.max(...parts.map(([, high]) => high)),
  Math.min(...parts.map(([, , low]) => low)),
  (parts.at(-1) as Prices)[3],
];

const QUIET: Prices = [100, 100, 100, 100];

/** Backtests quiet hours around the given one, in which a position is held. Finer bars are by timeframe, from that hour's open. */
async function lived(hour: Prices, after: number, finer: Readonly<Record<string, readonly (Prices | null)[]>>, manifest = manifestOf()) {
  const later: Prices = [after, after, after, after];
  const candles = [QUIET, hour, later, later, later].map((prices, n) => candle(START + n * HOUR, prices));
  const history = buildHistory('1h', [{ entry: entryOf('BTCUSDT'), candles }]);
  const storedOf = (timeframe: string): Candle[] =>
    (finer[timeframe] ?? []).flatMap((prices, n) =>
      prices === null ? [] : [candle(ENTERED + n * (timeframeMs(timeframe) as number), prices)],
    );
  const read: { readonly timeframe: string; readonly from: number }[] = [];
  const reads: FinerReads = {
    storedSpans: async ({ timeframes }) =>
      timeframes.flatMap((timeframe) => {
        const opens = storedOf(timeframe).map(({ openTime }) => openTime);
        return opens.length === 0 ? [] : [{ timeframe, firstOpen: Math.min(...opens), lastOpen: Math.max(...opens) }];
      }),
    bars: async (range) => {
      read.push(range);
      return storedOf(range.timeframe).filter(({ openTime }) => openTime >= range.from && openTime < range.to);
    },
  };
  const options = { manifest, history, assumptions: DEFAULT_ASSUMPTIONS, trials: NO_OTHERS };
  const { result } = await runBacktestInside(options, reads);
  const trade = result.trades.list.find(({ decidedAt }) => decidedAt === isoTime(ENTERED));
  if (trade === undefined) throw new Error('nothing was bought');
  return { trade, finer: result.finer, conditions: result.conditions, read: read.map(({ timeframe, from }) => [timeframe, from]) };
}

type LivedTrade = Awaited<ReturnType<typeof lived>>['trade'];

/** Returns the price of a sale of the whole position at a mid, in decimals. */
function soldAt({ quantity }: LivedTrade, middle: Decimal): string {
  const prices = { open: middle.toFixed(), high: middle.toFixed(), low: middle.toFixed(), close: middle.toFixed() };
  const fill = fillPlainly({
    key: BTC,
    side: 'sell',
    quantity: new Decimal(quantity),
    limit: new Decimal(0),
    bar: { openTime: 0, ...prices, volume: '0' },
    algorithm: 'taker_immediate',
    urgency: 'medium',
    costMultiplier: 1,
    halfSpreadBps: null,
    liquidityUsd: null,
    priceDigits: 4,
    quantityDigits: 8,
    moneyDigits: 12,
  });
  if (fill === null) throw new Error('nothing was sold');
  return fill.price.toFixed();
}

/** Returns the mid at which the bid, one basis point below, is so many percent from the entry. */
const levelOf = ({ entryPrice }: LivedTrade, pct: number): Decimal => new Decimal(entryPrice).times(1 + pct / 100).div(1 - 1 / 10_000);

const QUARTER = HOUR / 4;

test('a stop crossed within an hour fills at the worst of its level, its quarter’s open and the next open', async () => {
  for (const [dip, next] of [
    [[100, 100, 90, 96], 96],
    [[100, 100, 90, 93], 93],
    [[94, 98, 90, 98], 98],
  ] as [Prices, number][]) {
    const quarters: Prices[] = [QUIET, dip, [next, 101, next, 101], [101, 101, 101, 101]];
    const { trade, finer, conditions } = await lived(hourOf(quarters), 101, { '15m': quarters });
    const met = Decimal.min(levelOf(trade, -STOP_PCT), dip[0], next);
    expect([trade.exitedBy, trade.exitDecidedAt]).toEqual([['stop_loss'], isoTime(ENTERED + 2 * QUARTER)]);
    expect(Math.abs(Number(trade.exitPrice) / Number(soldAt(trade, met)) - 1)).toBeLessThan(2e-6);
    expect(finer).toMatchObject({ bars: 1 });
    expect(conditions.find(({ type }) => type === 'stop_loss')).toMatchObject({ closed: 1 });
  }
});

test('with a target and a stop in one finer bar the stop comes first, and of two finer bars the earlier one', async () => {
  const both: Prices[] = [QUIET, [100, 112, 90, 111], [111, 111, 111, 111], [111, 111, 111, 111]];
  expect((await lived(hourOf(both), 111, { '15m': both })).trade.exitedBy).toEqual(['stop_loss']);
  const targetFirst: Prices[] = [QUIET, [100, 112, 100, 111], [110.5, 111, 90, 90], [90, 90, 90, 90]];
  const { trade } = await lived(hourOf(targetFirst), 90, { '15m': targetFirst });
  expect([trade.exitedBy, trade.exitDecidedAt]).toEqual([['take_profit'], isoTime(ENTERED + 2 * QUARTER)]);
  expect(trade.exitPrice).toBe(soldAt(trade, new Decimal('110.5')));
});

test('a target that a finer bar only touches is not reached, and without all finer bars of an hour only its close counts', async () => {
  const touched: Prices[] = [QUIET, [100, 112, 100, 104], [104, 104, 104, 104], [104, 104, 104, 104]];
  const open = { exitedBy: [], exitDecidedAt: null };
  expect((await lived(hourOf(touched), 104, { '15m': touched })).trade).toMatchObject(open);
  const dip: Prices[] = [QUIET, [100, 100, 90, 100], QUIET, QUIET];
  expect((await lived(hourOf(dip), 100, {})).trade).toMatchObject(open);
  const holed = await lived(hourOf(dip), 100, { '15m': dip.map((prices, n) => (n === 3 ? null : prices)) });
  expect(holed.trade).toMatchObject(open);
  expect(holed.finer).toBeUndefined();
  // One minute is missing: the halves of the hour are complete.
  const halves: Prices[] = [[100, 100, 90, 100], QUIET];
  const coarser = await lived(hourOf(halves), 100, { '1m': Array.from({ length: 59 }, () => QUIET), '30m': halves });
  expect(coarser.trade).toMatchObject({ exitedBy: ['stop_loss'], exitDecidedAt: isoTime(ENTERED + 2 * QUARTER) });
});

test('slices are filled along the minutes of their hour, not along a line to its close', async () => {
  // The hour ends where it began; in between, the minutes of the six slices are more expensive.
  const minutes = Array.from({ length: 60 }, (_, n): Prices => (n < 10 ? [100 + n, 101 + n, 100 + n, 101 + n] : QUIET));
  const twap = manifestOf({ algorithm: 'twap', urgency: 'medium', stopLossPct: 50, takeProfitPct: 90 });
  const line = await lived([100, 110, 100, 100], 100, {}, twap);
  const seen = await lived([100, 110, 100, 100], 100, { '1m': minutes }, twap);
  // The position is held for more hours: only the hour of its order is read.
  expect(seen.read).toEqual([['1m', ENTERED]]);
  // Six slices, twenty seconds apart: at 100, a third and two thirds into the first minute, and so in the second; each buys as much.
  const middles = [100, 100 + 1 / 3, 100 + 2 / 3, 101, 101 + 1 / 3, 101 + 2 / 3];
  const mean = middles.reduce((sum, middle) => sum + middle, 0) / middles.length;
  expect(Number(seen.trade.entryPrice) / Number(line.trade.entryPrice)).toBeCloseTo(mean / 100, 4);
});

/** Prices of a minute as a walk in percent. */
const moves = fc.array(fc.record({ to: fc.integer({ min: -60, max: 60 }), up: fc.nat(25), down: fc.nat(25) }), {
  minLength: 12,
  maxLength: 12,
});

test('whatever path an hour’s prices take, the first level reached ends the position, like in a plain walk', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(moves, async (steps) => {
      let last = 100;
      const parts = steps.map(({ to, up, down }): Prices => {
        const open = last;
        last = Math.max(50, Math.round(open * (1 + to / 1_000) * 100) / 100);
        const [low, high] = [Math.min(open, last) - down / 10, Math.max(open, last) + up / 10];
        return [open, Math.round(high * 10) / 10 + 0.1, Math.max(1, Math.round(low * 10) / 10 - 0.1), last];
      });
      const { trade } = await lived(hourOf(parts), last, { '5m': parts });
      const [stop, target] = [levelOf(trade, -STOP_PCT), levelOf(trade, TARGET_PCT)];
      const first = parts.findIndex(([, , low, close], n) => stop.gte(low) || (target.lte(close) && n < parts.length - 1));
      const within = trade.exitDecidedAt !== null && Date.parse(trade.exitDecidedAt) < ENTERED + HOUR;
      if (first < 0) {
        expect(within).toBe(false);
        return;
      }
      const [open, , low, close] = parts[first] as Prices;
      const next = parts[first + 1]?.[0] ?? close;
      const isStop = stop.gte(low);
      seen.add(isStop ? 'stop' : 'target');
      expect(trade.exitDecidedAt).toBe(isoTime(ENTERED + (first + 1) * 300_000));
      expect(trade.exitedBy).toEqual([isStop ? 'stop_loss' : 'take_profit']);
      const middle = isStop ? Decimal.min(stop, open, next) : new Decimal(next);
      expect(Math.abs(Number(trade.exitPrice) / Number(soldAt(trade, middle)) - 1)).toBeLessThan(2e-6);
    }),
    { numRuns: 200 },
  );
  expect(seen.size).toBe(2);
});
