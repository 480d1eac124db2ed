// A whole backtest on a history small enough to check by hand, its result, and sufficient histories.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXAMPLE } from '../../../src/sandbox/example-organization.ts';
import { DEFAULT_ASSUMPTIONS, readAssumptions } from '../../../src/domain/backtest/assumptions.ts';
import { type BacktestRequest, isLook, readBacktestRequest } from '../../../src/domain/backtest/request.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { evidenceMetrics } from '../../../src/domain/agents/evidence.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { tradingDays } from '../../../src/domain/market/session.ts';
import { buildHistory } from '../../../src/simulation/backtest/history.ts';
import { backtestSeries, runBacktest } from '../../../src/simulation/backtest/run.ts';
import { findInsufficiency } from '../../../src/simulation/backtest/sufficiency.ts';
import { payload } from '../../domain/authored.ts';
import { draws, entryOf, HOUR, START, walk } from './random-histories.ts';

const DAY = 24 * HOUR;

function manifestOf(over: Record<string, unknown>): Manifest {
  const read = readManifest(payload({ universe: ['BTCUSDT'], timeframe: '24h', maxSlippageBps: 500, ...over }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

/** Returns daily bars from their opens and closes; a bar's extremes are its ends. */
function daily(...bars: readonly (readonly [open: number, close: number])[]): Candle[] {
  return bars.map(([open, close], n) => ({
    openTime: Date.UTC(2026, 0, 5 + n),
    open: String(open),
    high: String(Math.max(open, close)),
    low: String(Math.min(open, close)),
    close: String(close),
    volume: '1000000',
  }));
}

describe('by hand', () => {
  // Enters below 100 and exits above 110. The close of 95 triggers an entry, filled at the next open of 96; the close
  // of 112 triggers an exit, filled at the open of 111. One basis point of half spread, ten of fee, depth 5,000,000.
  const manifest = manifestOf({
    entryConditions: [{ type: 'price_below', price: 100 }],
    exitConditions: [{ type: 'price_above', price: 110 }],
    maxCapitalUsd: 10_000,
    maxTradeNotionalUsd: 5_000,
    stopLossPct: 50,
    takeProfitPct: 100,
    maxDailyDrawdownPct: 50,
    maxOpenPositions: 1,
    algorithm: 'taker_immediate',
  });
  const candles = daily([105, 104], [103, 95], [96, 101], [101, 112], [111, 111], [111, 111]);
  const told: [number, number][] = [];
  const run = runBacktest({
    manifest,
    history: buildHistory('24h', [{ entry: entryOf('BTCUSDT'), candles }]),
    assumptions: DEFAULT_ASSUMPTIONS,
    trials: { versions: 3, otherSharpes: [0.4, -0.2] },
    onProgress: (done, total) => told.push([done, total]),
  });
  const { result } = run;

  test('its last progress is complete: the report is built after it', () => {
    expect(told.at(-1)).toEqual([6, 6]);
  });

  test('one trade at the next opens, with costs, excursions and its closing rule', () => {
    // The worst acceptable price is the ask of 95.0095 plus five percent, 99.759975, on the tick below: 5,000 / 99.75 units.
    const [trade] = result.trades.list;
    const quantity = Number(trade?.quantity);
    expect(quantity).toBeCloseTo(5_000 / 99.75, 3);
    const buy = 96 * 1.0001 * (1 + (96 * 1.0001 * quantity) / 5_000_000 / 200);
    const sell = 111 * 0.9999 * (1 - (111 * 0.9999 * quantity) / 5_000_000 / 200);
    expect(Number(trade?.entryPrice)).toBeCloseTo(buy, 3);
    expect(Number(trade?.exitPrice)).toBeCloseTo(sell, 3);
    expect(Number(trade?.feesUsd)).toBeCloseTo(quantity * (buy + sell) * 0.001, 3);
    expect(Number(trade?.profitUsd)).toBeCloseTo(quantity * (sell - buy) - quantity * (buy + sell) * 0.001, 1);
    expect(trade).toMatchObject({
      bars: 2,
      exitedBy: ['price_above'],
      decidedAt: '2026-01-07T00:00:00.000Z',
      exitDecidedAt: '2026-01-09T00:00:00.000Z',
    });
    expect(trade?.maePct).toBeCloseTo((96 / buy - 1) * 100, 3);
    expect(trade?.mfePct).toBeCloseTo((112 / buy - 1) * 100, 3);
    expect(result.trades).toMatchObject({ closed: 1, open: 0, hitRatePct: 100 });
  });

  test('equity is marked at each close, the benchmark bought at the first open', () => {
    const [trade] = result.trades.list;
    const cash = 10_000 - Number(trade?.quantity) * Number(trade?.entryPrice) * 1.001;
    expect(Number(result.daily[2]?.equityUsd)).toBeCloseTo(cash + Number(trade?.quantity) * 101, 3);
    expect(Number(result.daily[5]?.equityUsd)).toBeCloseTo(10_000 + Number(trade?.profitUsd), 5);
    expect(Number(result.daily[3]?.benchmarkUsd)).toBeCloseTo((10_000 * 112) / 105, 5);
    expect(result.exposurePct).toBeCloseTo((2 / 6) * 100, 10);
    expect(result.dispositions).toEqual({ hold: 4, propose_entry: 1, propose_exit: 1, blocked_by_risk: 0 });
    expect(result.benchmark.returnPct).toBeCloseTo((111 / 105 - 1) * 100, 10);
  });

  test('rules are counted, and luck is compared with the versions tried', () => {
    expect(result.conditions[0]).toMatchObject({
      side: 'entry',
      type: 'price_below',
      evaluated: 6,
      passed: 1,
      blocked: 5,
      unknown: 0,
      lastToFail: 5,
    });
    expect(result.conditions[1]).toMatchObject({ side: 'exit', type: 'price_above', evaluated: 6, passed: 3, closed: 1 });
    expect(result.conditions[2]).toMatchObject({ type: 'stop_loss', evaluated: 2, passed: 0, closed: 0 });
    expect(result.luck.versionsTried).toBe(3);
    expect(result.luck.deflatedSharpe as number).toBeLessThan(result.luck.probabilisticSharpe as number);
  });

  test('the gate’s evidence has the same series as the result', () => {
    const metrics = evidenceMetrics('backtest', backtestSeries(run));
    expect(metrics['sharpe']).toBeCloseTo(result.performance.sharpe as number, 10);
    expect(metrics['maxDrawdownPct']).toBeCloseTo(result.performance.maxDrawdownPct, 7);
    expect(metrics).toMatchObject({ annualisation: 365, periods: 6, fills: 2, closedTrades: 1 });
  });
});

test('the holder of a perpetual pays its funding hourly on the close, and receives a negative one', () => {
  const manifest = manifestOf({
    universe: ['BTC'],
    timeframe: '1h',
    entryConditions: [{ type: 'price_below', price: 100 }],
    exitConditions: [{ type: 'price_above', price: 110 }],
    maxCapitalUsd: 10_000,
    maxTradeNotionalUsd: 5_000,
    stopLossPct: 50,
    takeProfitPct: 100,
    maxDailyDrawdownPct: 50,
    maxOpenPositions: 1,
    algorithm: 'taker_immediate',
  });
  const HOUR = 3_600_000;
  const first = Date.UTC(2026, 0, 6);
  const bar = (n: number, open: string, close: string) => ({
    openTime: first + n * HOUR,
    open,
    high: '113',
    low: '90',
    close,
    volume: '1000000',
  });
  const candles = [bar(0, '104', '95'), bar(1, '96', '101'), bar(2, '101', '99'), bar(3, '99', '112'), bar(4, '111', '111')];
  // Decided at the end of the first hour: that hour's funding belongs to an earlier holder. The last two hours have no rate.
  const funding = ['0.5', '0.0001', '-0.00003'].map((value, n) => ({ receivedAt: first + (n + 1) * HOUR, value }));
  const { result, simulation } = runBacktest({
    manifest,
    history: buildHistory('1h', [{ entry: entryOf('BTC'), candles, funding }]),
    assumptions: DEFAULT_ASSUMPTIONS,
    trials: { versions: 1, otherSharpes: [] },
  });
  const [trade] = result.trades.list;
  const quantity = Number(trade?.quantity);
  const [second, third, assumed] = [101 * 0.0001, 99 * -0.00003, 112 * 0.000025];
  expect(Number(trade?.fundingUsd)).toBeCloseTo(quantity * (second + third + assumed), 6);
  expect(result.fundingUsd).toBe(trade?.fundingUsd);
  const price = quantity * (Number(trade?.exitPrice) - Number(trade?.entryPrice));
  expect(Number(trade?.profitUsd)).toBeCloseTo(price - Number(trade?.feesUsd) - Number(trade?.fundingUsd), 6);
  // The equity of each close includes the funding paid by then.
  const cash = 10_000 - quantity * Number(trade?.entryPrice) - quantity * Number(trade?.entryPrice) * 0.000_45;
  expect(simulation.equityUsd[1]).toBeCloseTo(cash + quantity * (101 - second), 4);
  expect(simulation.equityUsd[2]).toBeCloseTo(cash + quantity * (99 - second - third), 4);
  expect(Number(result.finalEquityUsd)).toBeCloseTo(10_000 + Number(trade?.profitUsd), 4);
  expect(result.assumptions.named.join('\n')).toContain(
    'evmvenue:BTC pays the funding of its venue at the end of each hour on the close, or receives it; at 50.00 % of the hours',
  );
});

describe('margin', () => {
  const HOUR = 3_600_000;
  const first = Date.UTC(2026, 0, 6);
  /** Enters both perpetuals after the first hour; the third bar has the given low. */
  const play = (maxLeverage: string, low: string) => {
    const manifest = manifestOf({
      universe: ['BTC', 'ETH'],
      timeframe: '1h',
      entryConditions: [{ type: 'price_below', price: 100 }],
      exitConditions: [{ type: 'price_above', price: 500 }],
      maxCapitalUsd: 10_000,
      maxTradeNotionalUsd: 9_000,
      maxLeverage,
      stopLossPct: 90,
      takeProfitPct: 900,
      maxDailyDrawdownPct: 90,
      maxOpenPositions: 2,
      algorithm: 'taker_immediate',
    });
    const bar = (n: number, close: string, lowest = '95') => ({
      openTime: first + n * HOUR,
      open: '100',
      high: '101',
      low: lowest,
      close,
      volume: '1000000',
    });
    const inputOf = (symbol: string, lowest: string) => ({
      entry: entryOf(symbol),
      candles: [bar(0, '99'), bar(1, '100'), bar(2, '100', lowest), bar(3, '100')],
      funding: [1, 2, 3, 4].map((n) => ({ receivedAt: first + n * HOUR, value: '0.0001' })),
    });
    const history = buildHistory('1h', [inputOf('BTC', low), inputOf('ETH', '95')]);
    return runBacktest({ manifest, history, assumptions: DEFAULT_ASSUMPTIONS, trials: { versions: 1, otherSharpes: [] } });
  };

  test('a perpetual reserves its cost divided by max_leverage, as on paper', () => {
    const costs = (maxLeverage: string) =>
      play(maxLeverage, '95').result.trades.list.map(({ quantity, entryPrice }) => Number(quantity) * Number(entryPrice));
    const [paid, rest] = costs('1') as [number, number];
    expect(paid).toBeGreaterThan(8_000);
    expect(paid + rest).toBeLessThan(10_000);
    // At twice the leverage, 6,400 of the capital stay free.
    expect(Math.min(...costs('5'))).toBeGreaterThan(8_000);
    expect(costs('5')).toHaveLength(2);
  });

  test('a fully paid position survives a fall that liquidates a margined one with its whole margin', () => {
    expect(play('1', '70').result.trades).toMatchObject({ closed: 0, open: 2 });
    const { result, simulation } = play('5', '70');
    const trade = result.trades.list.find(({ instrument }) => instrument === 'evmvenue:BTC');
    expect(trade).toMatchObject({ exitedBy: ['liquidation'], exitDecidedAt: new Date(first + 2 * HOUR).toISOString() });
    expect(result.trades.byExit.map(({ name }) => name).sort()).toEqual(['liquidation', 'open']);
    const cost = Number(trade?.quantity) * Number(trade?.entryPrice);
    // The funding of one hour came out of the margin first; the fee was paid separately.
    expect(Number(trade?.fundingUsd)).toBeCloseTo(Number(trade?.quantity) * 100 * 0.0001, 6);
    expect(Number(trade?.profitUsd)).toBeCloseTo(-cost / 5 - Number(trade?.feesUsd), 1);
    expect(simulation.equityUsd[2] as number).toBeLessThan(10_000 - cost / 5);
    expect(result.assumptions.named.join('\n')).toContain('isolated margin (evmvenue:BTC 5, evmvenue:ETH 5)');
  });

  test('above two thirds of the maintenance margin it is sold at the bar’s low, and the rest of its margin is returned', () => {
    const entry = Number(play('5', '95').result.trades.list[0]?.entryPrice);
    // Liquidated at 0.8 x entry / (1 - 1 / 80); a tenth of a cent above that nothing happens.
    const line = (0.8 * entry + 0.01) / (1 - 1 / 80);
    expect(play('5', (line + 0.001).toFixed(4)).result.trades.closed).toBe(0);
    const { result } = play('5', (line - 0.001).toFixed(4));
    const [trade] = result.trades.list.filter(({ exitedBy }) => exitedBy.length > 0);
    expect(Number(trade?.exitPrice)).toBeLessThan(line);
    expect(Number(trade?.exitPrice)).toBeGreaterThan(line - 0.1);
    expect(Number(trade?.profitUsd)).toBeGreaterThan((-Number(trade?.quantity) * entry) / 5);
  });
});

test('the seeded Perpetual carry earns its carry: price, funding and fees equal an independent sum', () => {
  const read = readManifest(EXAMPLE.agents.find(({ manifest }) => JSON.stringify(manifest).includes('Perpetual carry'))?.manifest);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const [minute, hour, first] = [60_000, 3_600_000, Date.UTC(2026, 0, 6)];
  /** Returns a wave of eight hours, on bars of five minutes. */
  const closeAt = (at: number, level: number) => (level * (1 + 0.03 * Math.sin((2 * Math.PI * (at - first)) / (8 * hour)))).toFixed(2);
  const barsOf = (level: number) =>
    Array.from({ length: 4 * 288 }, (_, n) => {
      const openTime = first + n * 5 * minute;
      const [open, close] = [closeAt(openTime, level), closeAt(openTime + 5 * minute, level)];
      const [high, low] = [Math.max(Number(open), Number(close)), Math.min(Number(open), Number(close))].map(String) as [string, string];
      return { openTime, open, high, low, close, volume: '1000' };
    });
  // Most hours pay the holder; one in five is expensive.
  const rateAt = (at: number) => (Math.round(at / hour) % 5 === 0 ? 0.0003 : -0.00012);
  const funding = Array.from({ length: 36 * 24 }, (_, n) => first - 31 * 24 * hour + n * hour).map((receivedAt) => ({
    receivedAt,
    value: rateAt(receivedAt).toFixed(5),
  }));
  const inputs = [
    { entry: entryOf('BTC'), candles: barsOf(50_000), funding },
    { entry: entryOf('ETH'), candles: barsOf(2_500), funding },
  ];
  const { result } = runBacktest({
    manifest: read.manifest,
    history: buildHistory('5m', inputs),
    assumptions: DEFAULT_ASSUMPTIONS,
    trials: { versions: 1, otherSharpes: [] },
  });
  const closed = result.trades.list.filter(({ exitDecidedAt }) => exitDecidedAt !== null);
  expect(closed.length).toBeGreaterThan(5);
  let carry = 0;
  for (const { instrument, decidedAt, exitDecidedAt, quantity, entryPrice, exitPrice, feesUsd, fundingUsd, profitUsd } of closed) {
    const [from, to] = [Date.parse(decidedAt), Date.parse(exitDecidedAt as string)];
    let paid = 0;
    for (let at = Math.floor(from / hour) * hour + hour; at <= to; at += hour)
      paid += Number(quantity) * Number(closeAt(at, instrument === 'evmvenue:BTC' ? 50_000 : 2_500)) * rateAt(at);
    expect(Number(fundingUsd)).toBeCloseTo(paid, 4);
    const price = Number(quantity) * (Number(exitPrice) - Number(entryPrice));
    expect(Number(profitUsd)).toBeCloseTo(price - Number(feesUsd) - paid, 3);
    carry += paid;
  }
  expect(Number(result.fundingUsd)).toBeCloseTo(carry, 3);
  expect(carry).toBeLessThan(0);
});

test('rules without stored inputs fail and are named; nothing is entered on them', () => {
  const manifest = manifestOf({
    entryConditions: [{ type: 'no_negative_event' }, { type: 'liquidity_above', usd: 1 }, { type: 'price_above', price: 1 }],
    exitConditions: [{ type: 'negative_event' }],
  });
  const candles = walk(draws(3), START, DAY, 40, 30_000);
  const { result } = runBacktest({
    manifest,
    history: buildHistory('24h', [{ entry: entryOf('BTCUSDT'), candles }]),
    assumptions: DEFAULT_ASSUMPTIONS,
    trials: { versions: 1, otherSharpes: [] },
  });
  expect(result.trades.closed + result.trades.open).toBe(0);
  for (const type of ['no_negative_event', 'liquidity_above', 'negative_event']) {
    expect(result.assumptions.named.join(' ')).toContain(`rule ${type} could not be known at 100 % of the slots`);
    expect(result.conditions.find((one) => one.type === type)).toMatchObject({ passed: 0, unknown: 40 });
  }
});

test('the trades of a run equal those of its instruments and of its exits, to the last digit', () => {
  const sum = (texts: readonly string[]) => texts.reduce((total, text) => total.plus(text), new Decimal(0)).toFixed();
  const manifest = manifestOf({
    universe: ['BTCUSDT', 'AAPLx'],
    entryConditions: [{ type: 'rsi_below', period: 3, value: 55 }],
    exitConditions: [
      { type: 'rsi_above', period: 3, value: 60 },
      { type: 'held_longer_than', hours: 72 },
    ],
    stopLossPct: 2,
    takeProfitPct: 3,
    maxOpenPositions: 2,
  });
  const run = (seed: number) =>
    runBacktest({
      manifest,
      history: buildHistory('24h', [
        { entry: entryOf('BTCUSDT'), candles: walk(draws(seed), START, DAY, 150, 30_000) },
        { entry: entryOf('AAPLx'), candles: walk(draws(seed + 1), START, DAY, 150, 200, 0.05) },
      ]),
      assumptions: DEFAULT_ASSUMPTIONS,
      trials: { versions: 1, otherSharpes: [] },
    }).result;
  let together = 0;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
      const { trades, feesUsd } = run(seed);
      together += trades.byExit.filter(({ name }) => name.includes(' + ')).length;
      for (const groups of [trades.byInstrument, trades.byExit]) {
        expect(groups.reduce((count, { closed }) => count + closed, 0)).toBe(trades.closed);
        expect(groups.reduce((count, { open }) => count + open, 0)).toBe(trades.open);
        expect(sum(groups.map((group) => group.profitUsd))).toBe(trades.profitUsd);
        expect(sum(groups.map((group) => group.feesUsd))).toBe(feesUsd);
        const held = groups.reduce((ms, { closed, averageHoldingMs }) => ms + closed * (averageHoldingMs ?? 0), 0);
        expect(held).toBeCloseTo(trades.closed * (trades.averageHoldingMs ?? 0), 0);
      }
      // Each group is the sum of its trades.
      for (const { name, closed, won, hitRatePct, profitUsd, feesUsd: fees } of trades.byInstrument) {
        const own = trades.list.filter(({ instrument }) => instrument === name);
        const ended = own.flatMap((trade) => (trade.profitUsd === null ? [] : [trade.profitUsd]));
        expect([ended.length, sum(ended), sum(own.map((trade) => trade.feesUsd))]).toEqual([closed, profitUsd, fees]);
        expect(ended.filter((profit) => new Decimal(profit).gt(0)).length).toBe(won);
        expect(hitRatePct).toBe(closed === 0 ? null : (won / closed) * 100);
      }
      for (const { name, closed, open } of trades.byExit)
        expect(trades.list.filter(({ exitedBy }) => (exitedBy.join(' + ') || 'open') === name).length).toBe(closed + open);
    }),
    { numRuns: 30 },
  );
  expect(together).toBeGreaterThan(0);
});

describe('a history suffices', () => {
  const spot = entryOf('BTCUSDT');
  const hours = (from: number, to: number): { openTime: number }[] =>
    Array.from({ length: (to - from) / HOUR }, (_, n) => ({ openTime: from + n * HOUR }));
  const from = Date.UTC(2020, 1, 29);

  test('with exactly five calendar years, and not an hour less', () => {
    const whole = hours(from, Date.UTC(2025, 1, 28));
    expect(findInsufficiency(spot, whole, HOUR, true)).toBeNull();
    expect(findInsufficiency(spot, whole.slice(1), HOUR, true)).toMatchObject({
      gap: null,
      detail: expect.stringContaining('less than 5 years'),
    });
    expect(findInsufficiency(spot, whole.slice(1), HOUR, false)).toBeNull();
    expect(findInsufficiency(spot, [], HOUR, false)).toMatchObject({ gap: null });
  });

  test('without a gap beyond maintenance; the first gap is named', () => {
    const whole = hours(from, Date.UTC(2025, 2, 1));
    const without = (first: number, count: number) => whole.filter((_, n) => n < first || n >= first + count);
    expect(findInsufficiency(spot, without(500, 12), HOUR, true)).toBeNull();
    expect(findInsufficiency(spot, without(500, 13), HOUR, true)).toMatchObject({
      instrument: 'spotexchange:BTCUSDT',
      gap: { from: from + 500 * HOUR, to: from + 513 * HOUR },
    });
  });

  test('of a tokenized share, closed exchange hours explain a gap; a missing trading day does not', () => {
    const share = entryOf('AAPLx');
    const days = tradingDays(Date.UTC(2020, 1, 1), Date.UTC(2025, 2, 10));
    const bars = days.map(({ date }) => ({ openTime: Date.parse(`${date}T00:00:00Z`) }));
    expect(findInsufficiency(share, bars, DAY, true)).toBeNull();
    const holed = bars.filter((_, n) => n !== 300);
    expect(findInsufficiency(share, holed, DAY, true)?.detail).toContain('no candles from');
    // Old sessions are known as well: no gap in 1999 is explained by a calendar that starts later.
    const old = tradingDays(Date.UTC(1999, 2, 10), Date.UTC(2021, 3, 1)).map(({ date }) => ({ openTime: Date.parse(`${date}T00:00:00Z`) }));
    expect(findInsufficiency(share, old, DAY, true)).toBeNull();
    expect(findInsufficiency(share, old.toSpliced(1, 1_588), DAY, true)?.gap?.from).toBe(Date.UTC(1999, 2, 11));
    // The same bars of a round-the-clock instrument lack every weekend.
    expect(findInsufficiency(spot, bars, DAY, true)?.gap).toEqual({ from: Date.UTC(2020, 1, 8), to: Date.UTC(2020, 1, 10) });
  });
});

test('a request is resolved or refused with every reason', () => {
  const now = Date.UTC(2026, 2, 2, 14, 31);
  expect(readBacktestRequest({}, now)).toEqual({
    from: '2021-02-22T00:00:00.000Z',
    to: '2026-03-02T00:00:00.000Z',
    timeframe: null,
    look: false,
    assumptions: DEFAULT_ASSUMPTIONS,
  });
  const refused = readBacktestRequest(
    { from: 'soon', to: '2030-01-01T00:00:00Z', timeframe: '1d', assumptions: { costMultiplier: 0.5 } },
    now,
  );
  expect(Array.isArray(refused) && refused.map(({ path }) => path)).toEqual(
    ['$.to', '$.timeframe', '$.assumptions.costMultiplier'].toSpliced(0, 0, '$.from'),
  );
  const asked = (given: Parameters<typeof readBacktestRequest>[0]) => readBacktestRequest(given, now) as BacktestRequest;
  const look = (given: Parameters<typeof readBacktestRequest>[0]) => isLook(asked(given), '1h', now);
  // A run for the gate has the manifest's timeframe over the gate's period; assumptions may only be stricter.
  expect([{}, { timeframe: '60m' }, { to: '2026-03-02T00:00:00Z' }, { assumptions: { costMultiplier: 2 } }].map(look)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(
    [
      { timeframe: '12h' },
      { to: '2025-12-01T00:00:00Z' },
      { to: '2026-03-01T00:00:00Z' },
      { from: '2019-01-01T00:00:00Z' },
      { look: true },
    ].map(look),
  ).toEqual([true, true, true, true, true]);
  // Requested just before midnight, recorded just after it.
  const midnight = Date.UTC(2026, 2, 3);
  expect(isLook(asked({}), '1h', midnight + 59_999)).toBe(false);
  expect(isLook(asked({}), '1h', midnight + 60_000)).toBe(true);
  const problems: never[] = [];
  expect(readAssumptions({ maxParticipationPct: 1 }, problems)).toEqual({ ...DEFAULT_ASSUMPTIONS, maxParticipationPct: 1 });
});
