/**
 * Sweep of a thousand variants over ten instruments and five years of hourly bars, on one thread and on as many as there are
 * processors. Both give the same trials.
 */
import { keepFigures } from './measured.ts';
import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_ASSUMPTIONS } from '../src/domain/backtest/assumptions.ts';
import { isVariants, combineVariants } from '../src/domain/backtest/sweep.ts';
import { CATALOG } from '../src/domain/catalog/catalog.ts';
import { readManifest } from '../src/domain/manifest/reader.ts';
import { splitInstrumentKey } from '../src/domain/market/venue.ts';
import { type History, type InstrumentColumns, QUOTE_KNOWN, QUOTE_LIVE } from '../src/simulation/backtest/history.ts';
import { tryInThreads } from '../src/simulation/sweep/trial-threads.ts';

const HOUR = 3_600_000;
const HOURS = 5 * 365 * 24;
const LISTED = CATALOG.fixed.entries.filter(({ key }) => /^(spotexchange|spotchain):/.test(key)).slice(0, 10);

/** Returns a seeded random walk of hourly bars. */
function columnsOf({ key, kind }: (typeof LISTED)[number], seed: number): InstrumentColumns {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const column = (): Float64Array => new Float64Array(HOURS);
  const [open, high, low, close, volume] = [column(), column(), column(), column(), column().fill(1_000)];
  let price = 100;
  for (let i = 0; i < HOURS; i++) {
    open[i] = price;
    price = Math.min(1_000, Math.max(10, Math.round(price * (1 + (random() - 0.5) * 0.012) * 100) / 100));
    close[i] = price;
    high[i] = Math.max(open[i] as number, price);
    low[i] = Math.min(open[i] as number, price);
  }
  const nothing = { benchmarkKind: null, benchmark: null, reference: null, referenceAt: null, perpMark: null, spotMid: null };
  return {
    ...nothing,
    key,
    kind,
    decimals: 6,
    open,
    high,
    low,
    close,
    volume,
    state: new Uint8Array(HOURS).fill(QUOTE_LIVE | QUOTE_KNOWN),
    whole: true,
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

const read = readManifest({
  name: 'bench',
  universe: LISTED.map(({ key }) => splitInstrumentKey(key).instrument),
  timeframe: '1h',
  entryConditions: [
    { type: 'rsi_below', period: 14, value: 30 },
    { type: 'ema_below', fast: 12, slow: 26 },
  ],
  exitConditions: [{ type: 'rsi_above', period: 14, value: 60 }],
  maxCapitalUsd: 100_000,
  maxTradeNotionalUsd: 5_000,
  stopLossPct: 5,
  takeProfitPct: 10,
  maxDailyDrawdownPct: 50,
  maxOpenPositions: 10,
  maxSlippageBps: 500,
});
if (!read.ok) throw new Error(JSON.stringify(read.problems));
const steps = (from: number, by: number): number[] => Array.from({ length: 10 }, (_, step) => from + step * by);
const variants = combineVariants(read.manifest, [
  { path: 'entryConditions[0].value', values: steps(20, 2) },
  { path: 'exitConditions[0].value', values: steps(52, 2) },
  { path: 'stopLossPct', values: steps(2, 1) },
]);
if (!isVariants(variants)) throw new Error(JSON.stringify(variants));
const history: History = {
  timeframe: '1h',
  barMs: HOUR,
  firstSlot: Date.UTC(2020, 0, 1) + HOUR,
  length: HOURS,
  instruments: LISTED.map((entry, index) => columnsOf(entry, index + 1)),
  hash: '0',
};

async function timed(threads: number, tried = variants as Exclude<typeof variants, readonly { path: string }[]>) {
  const began = performance.now();
  const trials = await tryInThreads({ history, variants: tried, assumptions: DEFAULT_ASSUMPTIONS }, threads, () => {});
  return { trials, seconds: (performance.now() - began) / 1_000 };
}

// A quarter on one thread is enough for the comparison. The whole sweep runs on all threads.
const part = variants.slice(0, 250);
const one = await timed(1, part);
const all = await timed(availableParallelism(), part);
if (!isDeepStrictEqual(one.trials, all.trials)) throw new Error('threads came to other trials than one of them alone');
const whole = await timed(availableParallelism());
keepFigures('A sweep of 1,000 variants, 10 instruments and five years of hours', [
  { what: `whole, on ${availableParallelism()} threads`, value: `${whole.seconds.toFixed(1)} s`, spread: '', goal: '≤ 60 s on two cores' },
  {
    what: `a quarter of it, ${availableParallelism()} threads against one`,
    value: `${(one.seconds / all.seconds).toFixed(2)} times as fast`,
    spread: '',
    goal: 'near-linear',
  },
]);
process.stdout.write(
  `${variants.length} variants, ${LISTED.length} instruments, ${HOURS} hours: ${whole.seconds.toFixed(1)} s on ${availableParallelism()} threads\n`,
);
process.stdout.write(
  `${part.length} of them: ${one.seconds.toFixed(1)} s on one thread, ${all.seconds.toFixed(1)} s on all: ${(one.seconds / all.seconds).toFixed(2)} times as fast\n`,
);
