/** Backtest on given bars without a store. The bars determine the simulated range. */
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import type { Candle, CandleSeries } from '../../domain/candles/candle.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { type EpochMs, timeframeMs } from '../../domain/values/time.ts';
import { type BacktestOutcome, workBacktest } from './backtest-work.ts';
import type { InstrumentInput } from './history.ts';
import { backtestNeeds, type InstrumentNeeds, toInstrumentInputs, seriesName } from './needs.ts';

export interface BarWindow {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

export interface BarsJob {
  readonly manifest: Manifest;
  /** Timeframe of decisions. */
  readonly timeframe: string;
  /** Bars by the keys of `seriesName`, ascending. */
  readonly bars: ReadonlyMap<string, readonly Candle[]>;
  /** Returns the request for the range that the bars cover, or for another one. */
  readonly requested: (covered: BarWindow) => BacktestRequest;
  readonly trials: Parameters<typeof workBacktest>[0]['trials'];
  readonly now: EpochMs;
  readonly onProgress: (done: number, total: number) => void;
}

export async function workFromBars(job: BarsJob): Promise<BacktestOutcome> {
  const { manifest, timeframe, trials, onProgress } = job;
  const { request, inputs } = seenBars(job, backtestNeeds(manifest, timeframe));
  return workBacktest({ manifest, request, timeframe, inputs, trials, onProgress });
}

/** Returns the request for the bars' range, and the bars within it. */
export function seenBars<Asked extends BacktestRequest>(
  job: Pick<BarsJob, 'timeframe' | 'bars' | 'now'> & { readonly requested: (covered: BarWindow) => Asked },
  needs: readonly InstrumentNeeds[],
): { readonly request: Asked; readonly inputs: readonly InstrumentInput[] } {
  const { timeframe, now } = job;
  const barMs = timeframeMs(timeframe) as number;
  const own = needs.map(({ candles }) => job.bars.get(seriesName(candles)) ?? []);
  const [first, last] = [
    Math.min(...own.map((bars) => bars[0]?.openTime ?? now)),
    Math.max(...own.map((bars) => (bars.at(-1)?.openTime ?? 0) + barMs)),
  ];
  const request = job.requested({ from: Math.min(first, now - 1), to: Math.max(Math.min(last, now), 1) });
  const [from, to] = [Date.parse(request.from), Date.parse(request.to)];
  const bars = new Map<string, readonly Candle[]>();
  for (const [name, list] of job.bars)
    bars.set(
      name,
      list.filter(({ openTime }) => openTime >= from && openTime + barMs <= to),
    );
  const nothing = { funding: new Map(), events: new Map(), marks: new Map(), liquidity: new Map(), halfSpreads: new Map() };
  return { request, inputs: toInstrumentInputs(needs, { bars, ...nothing }) };
}

/**
 * Maps files to series by the keys of `seriesName`.
 * @param words a single file if one series is needed, or `<instrument>=<file>` for each
 * @throws Error if a word matches no series
 */
export function filesBySeries(words: readonly string[], wanted: readonly CandleSeries[], timeframe: string): Map<string, string> {
  const own = wanted.filter((series) => series.timeframe === timeframe);
  const names = own.map(({ venue, instrument }) => `${venue}:${instrument}`);
  const files = new Map<string, string>();
  for (const word of words) {
    const match = /^([A-Za-z0-9:._@-]+)=(.+)$/.exec(word);
    if (match === null && own.length !== 1) throw new Error(`--candles ${word}: use <instrument>=<file>; needed are ${names.join(', ')}`);
    const [name, file] = match === null ? [names[0] as string, word] : [match[1] as string, match[2] as string];
    const series = own.find(({ venue, instrument }) => name === instrument || name === `${venue}:${instrument}`);
    if (series === undefined) throw new Error(`--candles ${word}: the manifest does not use ${name}; needed are ${names.join(', ')}`);
    files.set(seriesName(series), file);
  }
  return files;
}
