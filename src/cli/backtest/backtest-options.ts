/** Options of `sevengate backtest`, for a backtest and for a sweep. */
import type { GivenRequest } from '../../domain/backtest/request.ts';
import type { Candle } from '../../domain/candles/candle.ts';
import type { Problem } from '../../domain/values/field.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { isoTime, timeframeMs } from '../../domain/values/time.ts';
import { instrumentKey } from '../../domain/market/venue.ts';
import { type BarWindow, filesBySeries } from '../../simulation/backtest/from-bars.ts';
import { type BarSeries, seriesName } from '../../simulation/backtest/needs.ts';
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

/** Shows how far one part of the work is; the others are short. */
export function progressOf<Outcome>(part: string, onProgress: OnProgress): (message: ThreadPost<Outcome>) => void {
  return (message) => {
    if (message.kind === 'progress' && message.what === part) onProgress(message.done, message.total);
  };
}

/** A finished simulation; its result is canonical JSON. */
export interface Finished {
  readonly resultHash: string;
  readonly result: string;
  readonly summary: unknown;
}

/** Finished simulation and its text for people. */
export interface Told extends Finished {
  readonly evaluation: 'backtest' | 'sweep';
  /** Result in words, printed without `--json`. */
  readonly text: string;
}

/** A simulation that is asked for at a terminal; `tell` is given what came of it, as soon as that is known. */
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

/** The stretch that was asked for; if it was not, what the bars cover. */
export function stretchOf({ from, to }: BacktestOptions, covered: BarWindow | null = null): Stretch {
  const [first, last] = covered === null ? [from, to] : [from ?? isoTime(covered.from), to ?? isoTime(covered.to)];
  return { ...(first === undefined ? {} : { from: first }), ...(last === undefined ? {} : { to: last }) };
}

/** The options as a request of the API gives them. */
export function givenOf(options: BacktestOptions, stretch: Stretch): Omit<GivenRequest, 'look'> {
  const { costMultiplier, maxParticipationPct, minOrderUsd } = options;
  const chosen = { costMultiplier, maxParticipationPct, minOrderUsd };
  const assumptions = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
  return { ...stretch, timeframe: options.timeframe, assumptions };
}

export function problemWords(problems: readonly Problem[]): string {
  return problems.map(({ path, problem, allowed }) => `${path.slice(2)} ${problem} (allowed: ${allowed})`).join('; ');
}

/** The bars of files by the names of `seriesName`. @throws Error in one sentence if a word fits no series, or a file is no sound one. */
export async function barsOfFiles(
  words: readonly string[],
  wanted: readonly BarSeries[],
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
