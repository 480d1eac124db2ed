/** Options of `sevengate backtest`, for backtests and sweeps. */
import type { CandleSeries } from '../../domain/candles/candle.ts';
import type { GivenRequest } from '../../domain/backtest/request.ts';
import type { Candle } from '../../domain/candles/candle.ts';
import type { Problem } from '../../domain/values/field.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { isoTime, timeframeMs } from '../../domain/values/time.ts';
import { instrumentKey } from '../../domain/market/venue.ts';
import { type BarWindow, filesBySeries } from '../../simulation/backtest/from-bars.ts';
import { seriesName } from '../../simulation/backtest/needs.ts';
import type { ThreadPost } from '../../simulation/evaluation-thread.ts';
import type { Service } from '../ports.ts';

export interface BacktestOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timeframe?: string;
  readonly candles: readonly string[];
  readonly look?: true;
  readonly costMultiplier?: number;
  readonly maxParticipationPct?: number;
  readonly minOrderUsd?: number;
  readonly versionsTried: number;
  readonly sweep?: readonly string[];
  readonly trainDays?: number;
  readonly testDays?: number;
  readonly report?: string;
  readonly json?: true;
}

export type OnProgress = (done: number, total: number) => void;

/** Creates a receiver of progress that shows only one part of the work. The other parts are short. */
export function receiveProgress<Outcome>(part: string, onProgress: OnProgress): (message: ThreadPost<Outcome>) => void {
  return (message) => {
    if (message.kind === 'progress' && message.what === part) onProgress(message.done, message.total);
  };
}

/** Finished simulation. Its result is canonical JSON. */
export interface Finished {
  readonly resultHash: string;
  readonly result: string;
  readonly summary: unknown;
}

interface Told extends Finished {
  readonly evaluation: 'backtest' | 'sweep';
  /** Text of the result, printed without `--json`. */
  readonly text: string;
}

/** Arguments of a simulation at a terminal. `tell` receives the result as soon as it is known. */
export type SimulationAsked = readonly [
  service: Service,
  manifest: Manifest,
  options: BacktestOptions,
  onProgress: OnProgress,
  tell: (told: Told) => Promise<void>,
];

export interface Stretch {
  readonly from?: string;
  readonly to?: string;
}

/** Returns the requested range, or the range of the bars. */
export function chooseStretch({ from, to }: BacktestOptions, covered: BarWindow | null = null): Stretch {
  const [first, last] = covered === null ? [from, to] : [from ?? isoTime(covered.from), to ?? isoTime(covered.to)];
  return { ...(first === undefined ? {} : { from: first }), ...(last === undefined ? {} : { to: last }) };
}

/** Converts the options to a request of the API. */
export function toGivenRequest(options: BacktestOptions, stretch: Stretch): Omit<GivenRequest, 'look'> {
  const { costMultiplier, maxParticipationPct, minOrderUsd } = options;
  const chosen = { costMultiplier, maxParticipationPct, minOrderUsd };
  const assumptions = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
  return { ...stretch, timeframe: options.timeframe, assumptions };
}

export function problemWords(problems: readonly Problem[]): string {
  return problems.map(({ path, problem, allowed }) => `${path.slice(2)} ${problem} (allowed: ${allowed})`).join('; ');
}

/** Reads bars from files, by the keys of `seriesName`. @throws Error if an argument matches no series, or a file is invalid */
export async function barsOfFiles(
  words: readonly string[],
  wanted: readonly CandleSeries[],
  timeframe: string,
  now: number,
): Promise<ReadonlyMap<string, readonly Candle[]>> {
  const [{ readBars }, { isOfShare }] = await Promise.all([
    import('../../adapters/candle-files/read-bars.ts'),
    import('../../adapters/candle-files/share-hours.ts'),
  ]);
  const shares = new Map(wanted.map((series) => [seriesName(series), isOfShare(instrumentKey(series.venue, series.instrument))]));
  const read = new Map<string, readonly Candle[]>();
  for (const [name, file] of filesBySeries(words, wanted, timeframe))
    read.set(name, await readBars(file, timeframeMs(timeframe) as number, now, shares.get(name)));
  return read;
}
