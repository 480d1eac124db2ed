/**
 * Backtests that keep every bar's rule matrix and disposition, compared with the same strategy as one fused loop over typed
 * arrays that keeps nothing, and with streaming indicators and a hand-written loop. Also backtests of stored bars, from
 * the first statement to the report, compared with reading the same bars as rows and with bars in memory.
 */
import { EMA, RSI } from 'trading-signals';
import { createBacktestReads } from '../src/adapters/store/candles/backtest-reads.ts';
import { createCandleStore } from '../src/adapters/store/candles/candle-store.ts';
import { openDatabase } from '../src/adapters/store/database.ts';
import { migrate } from '../src/adapters/store/migrate.ts';
import { DEFAULT_ASSUMPTIONS } from '../src/domain/backtest/assumptions.ts';
import type { Candle } from '../src/domain/candles/candle.ts';
import type { Manifest } from '../src/domain/manifest/manifest.ts';
import { readManifest } from '../src/domain/manifest/reader.ts';
import { isoTime } from '../src/domain/values/time.ts';
import { workFromHistory } from '../src/simulation/backtest/from-history.ts';
import { type History, type InstrumentColumns, QUOTE_KNOWN, QUOTE_LIVE } from '../src/simulation/backtest/history.ts';
import { maxDrawdown, sharpeRatio } from '../src/simulation/backtest/ratios.ts';
import { evaluateRules } from '../src/simulation/backtest/rule-columns.ts';
import { simulate } from '../src/simulation/backtest/simulate.ts';
import type { BacktestReads } from '../src/adapters/store/candles/backtest-reads.ts';
import { withDatabase } from './database.ts';
import { bench, type Contender, cpuCost, repeated, sink } from './harness.ts';
import { type DataFrame, grademark, peerVersion } from './peers.ts';
import { costWithServer } from './server-cost.ts';

const peer = grademark();
const HOUR = 3_600_000;
const YEARS = 5;
const HOURS = YEARS * 365 * 24;
function manifestOf(timeframe: string): Manifest {
  const read = readManifest({
    name: 'bench',
    universe: ['BTCUSDT'],
    timeframe,
    entryConditions: [
      { type: 'rsi_below', period: 14, value: 35 },
      { type: 'ema_below', fast: 12, slow: 26 },
    ],
    exitConditions: [
      { type: 'rsi_above', period: 14, value: 65 },
      { type: 'ema_cross_up', fast: 12, slow: 26 },
    ],
    maxCapitalUsd: 100_000,
    maxTradeNotionalUsd: 10_000,
    stopLossPct: 5,
    takeProfitPct: 10,
    maxDailyDrawdownPct: 50,
    maxOpenPositions: 100,
    maxSlippageBps: 500,
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

/** Returns a seeded random walk of bars, an hour long or shorter. */
function columnsOf(seed: number, length: number, swing: number): InstrumentColumns {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const column = (): Float64Array => new Float64Array(length);
  const [open, high, low, close, volume] = [column(), column(), column(), column(), column()];
  let price = 30_000;
  for (let i = 0; i < length; i++) {
    open[i] = price;
    price = Math.round(price * (1 + (random() - 0.5) * swing) * 100) / 100;
    if (price < 3_000 || price > 300_000) price = 30_000;
    close[i] = price;
    high[i] = Math.max(open[i] as number, price);
    low[i] = Math.min(open[i] as number, price);
    volume[i] = 100 + random() * 100;
  }
  return {
    key: 'spotexchange:BTCUSDT',
    kind: 'spot',
    decimals: 6,
    open,
    high,
    low,
    close,
    volume,
    state: new Uint8Array(length).fill(QUOTE_LIVE | QUOTE_KNOWN),
    whole: true,
    benchmarkKind: null,
    benchmark: null,
    reference: null,
    referenceAt: null,
    perpMark: null,
    spotMid: null,
    liquidity: null,
    halfSpread: null,
    series: {},
    funding: null,
    carry: null,
    events: null,
    firstOpen: 0,
    lastClose: 0,
  };
}

function historyOf(timeframe: string, barMs: number, instruments: readonly InstrumentColumns[]): History {
  const length = instruments[0]?.close.length ?? 0;
  return { timeframe, barMs, firstSlot: Date.UTC(2020, 0, 1) + barMs, length, instruments, hash: '0' };
}

/** Computes daily returns and the maximum drawdown, the result of both sides. */
function assessed(equity: Float64Array, barsPerDay: number): number {
  const days = Math.floor(equity.length / barsPerDay);
  const returns = new Float64Array(days);
  let before = 100_000;
  for (let day = 0; day < days; day++) {
    const end = equity[(day + 1) * barsPerDay - 1] as number;
    returns[day] = end / before - 1;
    before = end;
  }
  return (sharpeRatio(returns, 365) ?? 0) + maxDrawdown(equity, 100_000).depth;
}

/** Theoretical limit: indicators, rules, fills and equity in one pass, keeping no decisions. */
function fused({ open, close }: InstrumentColumns, equity: Float64Array): number {
  let [gain, loss, fast, slow, wasAbove, cash, quantity, entry, pending, trades] = [0, 0, 0, 0, false, 100_000, 0, 0, 0, 0];
  const [kFast, kSlow] = [2 / 13, 2 / 27];
  for (let i = 0; i < close.length; i++) {
    const price = close[i] as number;
    const at = open[i] as number;
    if (pending === 1) {
      const paid = at * 1.0001;
      quantity = 10_000 / paid;
      cash -= 10_000 * 1.001;
      entry = paid;
    } else if (pending === 2) {
      cash += quantity * at * 0.9999 * 0.999;
      quantity = 0;
      trades++;
    }
    pending = 0;
    equity[i] = cash + quantity * price;
    if (i === 0) {
      fast = price;
      slow = price;
      continue;
    }
    const change = price - (close[i - 1] as number);
    if (i <= 14) {
      gain += change > 0 ? change / 14 : 0;
      loss += change < 0 ? -change / 14 : 0;
    } else {
      gain = (gain * 13 + (change > 0 ? change : 0)) / 14;
      loss = (loss * 13 + (change < 0 ? -change : 0)) / 14;
    }
    fast = price * kFast + fast * (1 - kFast);
    slow = price * kSlow + slow * (1 - kSlow);
    const above = fast > slow;
    if (i >= 26) {
      const rsi = loss === 0 ? 100 : 100 - 100 / (1 + gain / loss);
      if (quantity === 0) {
        if (rsi < 35 && !above) pending = 1;
      } else {
        const profit = (price / entry - 1) * 100;
        if (rsi > 65 || (above && !wasAbove) || profit <= -5 || profit >= 10) pending = 2;
      }
    }
    wasAbove = above;
  }
  return trades;
}

/** Streaming indicators of the peer, with its numbers in the same hand-written loop. */
function streaming({ open, close }: InstrumentColumns, equity: Float64Array): number {
  const [rsi, fast, slow] = [new RSI(14), new EMA(12), new EMA(26)];
  let [cash, quantity, entry, pending, wasAbove, trades] = [100_000, 0, 0, 0, false, 0];
  for (let i = 0; i < close.length; i++) {
    const price = close[i] as number;
    const at = open[i] as number;
    if (pending === 1) {
      entry = at * 1.0001;
      quantity = 10_000 / entry;
      cash -= 10_000 * 1.001;
    } else if (pending === 2) {
      cash += quantity * at * 0.9999 * 0.999;
      quantity = 0;
      trades++;
    }
    pending = 0;
    equity[i] = cash + quantity * price;
    rsi.add(price);
    fast.add(price);
    slow.add(price);
    if (i < 26) continue;
    const strength = rsi.getResultOrThrow();
    const above = fast.getResultOrThrow() > slow.getResultOrThrow();
    if (quantity === 0) {
      if (strength < 35 && !above) pending = 1;
    } else {
      const profit = (price / entry - 1) * 100;
      if (strength > 65 || (above && !wasAbove) || profit <= -5 || profit >= 10) pending = 2;
    }
    wasAbove = above;
  }
  return trades;
}

/** Bar of the peer, with precomputed indicators. */
interface MarkedBar {
  readonly time: Date;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly rsi: number;
  readonly above: boolean;
  readonly crossedUp: boolean;
}

/** Converts the bars to the peer's form, from the first bar with all indicators. */
function markedBars({ open, high, low, close, volume }: InstrumentColumns, { firstSlot, barMs }: History) {
  const [rsi, fast, slow] = [new RSI(14), new EMA(12), new EMA(26)];
  const bars: MarkedBar[] = [];
  let wasAbove = false;
  for (let i = 0; i < close.length; i++) {
    const price = close[i] as number;
    for (const indicator of [rsi, fast, slow]) indicator.add(price);
    if (i < 26) continue;
    const above = fast.getResultOrThrow() > slow.getResultOrThrow();
    bars.push({
      time: new Date(firstSlot + i * barMs),
      open: open[i] as number,
      high: high[i] as number,
      low: low[i] as number,
      close: price,
      volume: volume[i] as number,
      rsi: rsi.getResultOrThrow(),
      above,
      crossedUp: above && !wasAbove,
    });
    wasAbove = above;
  }
  return new peer.DataFrame<MarkedBar>(bars);
}

/** Runs the peer's own engine and analysis with the same rules, stop and target. */
function grademarked(bars: DataFrame<MarkedBar>): unknown {
  const trades = peer.backtest<MarkedBar>(
    {
      entryRule(enter, { bar }) {
        if (bar.rsi < 35 && !bar.above) enter();
      },
      exitRule(exit, { bar }) {
        if (bar.rsi > 65 || bar.crossedUp) exit();
      },
      stopLoss: ({ entryPrice }) => entryPrice * 0.05,
      profitTarget: ({ entryPrice }) => entryPrice * 0.1,
    },
    bars,
  );
  return peer.analyze(100_000, trades);
}

function ours(name: string, manifest: Manifest, history: History, barsPerDay: number): Contender {
  return repeated(name, history.length * history.instruments.length, () => {
    const rules = evaluateRules(manifest, history);
    const simulation = simulate(manifest, history, rules, DEFAULT_ASSUMPTIONS);
    sink.value = [rules, simulation, assessed(simulation.equityUsd, barsPerDay)];
  });
}

function plain(name: string, run: typeof fused, history: History, barsPerDay: number): Contender {
  return repeated(name, history.length * history.instruments.length, () => {
    for (const columns of history.instruments) {
      const equity = new Float64Array(history.length);
      sink.value = [run(columns, equity), assessed(equity, barsPerDay)];
    }
  });
}

/** Contender that makes one pass per round, for large histories. */
function once(name: string, operations: number, work: () => void): Contender {
  return { name, round: () => cpuCost(operations, work) };
}

const hourly = manifestOf('1h');
const one = historyOf('1h', HOUR, [columnsOf(7, HOURS, 0.02)]);
const hundred = historyOf(
  '1h',
  HOUR,
  Array.from({ length: 100 }, (_, n) => columnsOf(n + 1, HOURS, 0.02)),
);
const minutely = manifestOf('1m');
const minutes = historyOf('1m', 60_000, [columnsOf(9, HOURS * 60, 0.003)]);

const trades = simulate(hourly, one, evaluateRules(hourly, one), DEFAULT_ASSUMPTIONS).trades.length;
await bench({
  title: `backtest: RSI 14, EMA 12/26, stop and target, every bar's matrix and disposition kept (${trades} trades in ${HOURS} bars)`,
  contenders: [
    ours('ours, 5 years hourly', hourly, one, 24),
    plain('fused, 5 years hourly', fused, one, 24),
    plain('trading-signals, 5 years hourly', streaming, one, 24),
    once('ours, 100 assets', hundred.length * 100, () => {
      const rules = evaluateRules(hourly, hundred);
      const simulation = simulate(hourly, hundred, rules, DEFAULT_ASSUMPTIONS);
      sink.value = [rules, simulation, assessed(simulation.equityUsd, 24)];
    }),
    once('fused, 100 assets', hundred.length * 100, () => {
      for (const columns of hundred.instruments) {
        const equity = new Float64Array(hundred.length);
        sink.value = [fused(columns, equity), assessed(equity, 24)];
      }
    }),
    once('ours, 5 years of minutes', minutes.length, () => {
      const rules = evaluateRules(minutely, minutes);
      const simulation = simulate(minutely, minutes, rules, DEFAULT_ASSUMPTIONS);
      sink.value = [rules, simulation, assessed(simulation.equityUsd, 1_440)];
    }),
    once('fused, 5 years of minutes', minutes.length, () => {
      const equity = new Float64Array(minutes.length);
      sink.value = [fused(minutes.instruments[0] as InstrumentColumns, equity), assessed(equity, 1_440)];
    }),
  ],
  comparisons: [
    { what: 'share of the fused loop', ours: 'ours, 5 years hourly', reference: 'fused, 5 years hourly', goal: 0.4 },
    { what: 'against trading-signals', ours: 'ours, 5 years hourly', reference: 'trading-signals, 5 years hourly', goal: null },
    { what: 'share of the fused loop, 100 assets', ours: 'ours, 100 assets', reference: 'fused, 100 assets', goal: 0.4 },
    { what: 'share of the fused loop, minutes', ours: 'ours, 5 years of minutes', reference: 'fused, 5 years of minutes', goal: 0.4 },
  ],
  // Five years of minutes within ten seconds.
  rates: [
    { what: 'minutes of five years, bars per second of processor time', of: 'ours, 5 years of minutes', goal: (5 * 365 * 1_440) / 10 },
  ],
  notes: [
    'rates are bars of one instrument per second of processor time',
    'ours: rules, matrix, dispositions, cash and equity of every bar in columns; money in whole units; entries sized by limits, volume and depth',
  ],
});

// Runs alone, and makes its bars only now: millions of objects would slow the garbage collection of every other contender.
const marked = markedBars(one.instruments[0] as InstrumentColumns, one);
await bench({
  title: 'the same beside grademark',
  contenders: [
    ours('ours, 5 years hourly', hourly, one, 24),
    once('grademark, 5 years hourly', HOURS, () => {
      sink.value = grademarked(marked);
    }),
  ],
  comparisons: [{ what: 'against grademark', ours: 'ours, 5 years hourly', reference: 'grademark, 5 years hourly', goal: null }],
  notes: [`${peerVersion('grademark')}: backtest and analyze of its own engine, its bars and indicators made before`],
});

/** A year of minute bars in a database of its own, read and computed as `sevengate backtest` does. */
const MINUTES = 365 * 1_440;
const MINUTES_FROM = Date.UTC(2025, 0, 1);
await withDatabase(async ({ server, ends }) => {
  await migrate(server.url);
  const sql = openDatabase({ url: server.url, role: null, name: 'bench', connections: 1 });
  ends.push(() => sql.end());
  await sql`
    insert into candles
    select 'spotexchange', 'BTCUSDT', '1m', ${MINUTES_FROM}::bigint + n * 60000, o, greatest(o, c), least(o, c), c, 100 + n % 97 + 0.123, 'bench', 1
    from (
      select n, (30000 + 1500 * sin(n / 700.0) + 600 * sin(n / 37.0))::numeric(12, 2) as o,
        (30000 + 1500 * sin((n + 1) / 700.0) + 600 * sin((n + 1) / 37.0))::numeric(12, 2) as c
      from generate_series(0::bigint, ${MINUTES - 1}) n) bars`;
  await sql`analyze candles`;
  const series = { venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '1m' } as const;
  const candles = createCandleStore(sql);
  const stored = createBacktestReads(sql);
  const all = await candles.all({ ...series, from: MINUTES_FROM, to: MINUTES_FROM + MINUTES * 60_000 });
  const given = (bars: BacktestReads['bars']): BacktestReads => ({ ...stored, bars });
  const run = async (reads: BacktestReads): Promise<void> => {
    const to = MINUTES_FROM + MINUTES * 60_000;
    const request = {
      from: isoTime(MINUTES_FROM),
      to: isoTime(to),
      timeframe: null,
      look: true,
      assumptions: DEFAULT_ASSUMPTIONS,
    } as const;
    const asked = { manifest: minutely, request, trials: { versions: 1, otherSharpes: [] }, funding: [], createdAt: to };
    sink.value = await workFromHistory(reads, asked, () => {});
  };
  const whole = (name: string, work: () => Promise<unknown>): Contender => ({
    name,
    round: () => costWithServer(server.pid, MINUTES, async () => void (sink.value = await work())),
  });
  const rows = async ({ venue, instrument, timeframe, from, to }: Parameters<BacktestReads['bars']>[0]): Promise<readonly Candle[]> =>
    candles.range({ venue, instrument, timeframe, from, to, limit: 50_000 });
  await bench({
    title: 'a backtest of a year of stored minutes, from the first statement to the report',
    contenders: [
      whole('stored bars', () => run(stored)),
      whole('stored bars as rows', () => run(given(rows))),
      whole('bars in memory', () => run(given(async ({ from, to }) => all.filter(({ openTime }) => openTime >= from && openTime < to)))),
    ],
    comparisons: [
      { what: 'against bars that come as rows', ours: 'stored bars', reference: 'stored bars as rows', goal: 1.2 },
      { what: 'share of a run on bars in memory', ours: 'stored bars', reference: 'bars in memory', goal: null },
    ],
    notes: ["rates are bars per second of processor time, ours and the server's together; the start of a process is not in them"],
  });
});
