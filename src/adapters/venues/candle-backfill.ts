/** Fetches a venue's history of one series bit by bit: within its request budget, resumable, and with every answer remembered. */
import type { Stretch } from '../../domain/values/stretches.ts';
import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { Candle, CandleSeries } from '../../domain/candles/candle.ts';
import { type CandleWindow, OUT_OF_REACH } from '../../domain/candles/candle-gaps.ts';
import { type EpochMs, MINUTE_MS, isoTime, startOfSlot } from '../../domain/values/time.ts';
import type { Waiting, WorkProgress } from '../../domain/values/work-progress.ts';
import type { createCandleStore } from '../store/candles/candle-store.ts';
import type { CandleWindows } from '../store/candles/candle-windows.ts';
import { seriesText, type WorkRecorder } from '../store/long-work-store.ts';
import { VenueError } from './venue-feed.ts';

/** Bars of one step: one or a few requests, so that an interruption costs little. */
const STEP_BARS = 1_000;
/** A venue may need a moment for its newest bar: its absence counts only once it is this old. */
const SETTLE_MS = 10 * MINUTE_MS;
/** A refusal of one of these statuses is of the question, so that asking again changes nothing. */
const FINAL_STATUSES = new Set([400, 401, 403, 404, 422]);
/** An answer of the wrong shape, and a token that no pool is known of, stay what they are. */
const FINAL_CODES = new Set(['bad_answer', 'unknown_instrument']);
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;
const FIRST_PAUSE_MS = 1_000;
/** Maximum attempts of a step while the venue is busy or away. */
const TRIES = 8;

export interface BackfillReport extends CandleSeries {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Bars that the venue sent, and how many of them are new or corrected. */
  readonly fetched: number;
  readonly saved: number;
  /** Bars' worth of time that had been answered before, and that the venue cannot reach any more. */
  readonly skippedBars: number;
  readonly unreachableBars: number;
  readonly steps: number;
  /** Reason for ending early; null if it reached the end. */
  readonly stopped: { readonly at: EpochMs; readonly code: string; readonly detail: string } | null;
}

/** Reports the completed and total time in bars, and the id under which others read it; null before it is recorded. */
type BackfillProgress = (doneBars: number, totalBars: number, workId: string | null) => void;

export interface BackfillOptions extends CandleSeries {
  readonly barMs: number;
  readonly from: EpochMs;
  /** Default: the last bar that is closed by now. */
  readonly to?: EpochMs;
  readonly history: CandleHistory;
  readonly store: Pick<ReturnType<typeof createCandleStore>, 'save'>;
  readonly windows: Pick<CandleWindows, 'windows' | 'record'>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  /** Is told how many bars' worth of time are done, of how many. */
  readonly progress?: BackfillProgress;
  /** Is told what it waits for, whenever that is something else. */
  readonly waits?: (waitingFor: Waiting | null) => void;
  readonly signal?: AbortSignal;
}

/** Asks the venue for every stretch of [from, to) that it has not answered yet. What was answered is never asked again. */
export async function backfillCandles(options: BackfillOptions): Promise<BackfillReport> {
  const { barMs, history, store, windows, clock } = options;
  const series: CandleSeries = { venue: options.venue, instrument: options.instrument, timeframe: options.timeframe };
  const to = startOfSlot(Math.min(options.to ?? Number.POSITIVE_INFINITY, clock.now()), barMs);
  const from = Math.min(startOfSlot(options.from + barMs - 1, barMs), to);
  const reach = history.reachableBars?.(series.timeframe);
  const reachable = reach === undefined ? from : Math.min(to, Math.max(from, startOfSlot(clock.now(), barMs) - reach * barMs));
  if (reachable > from) await windows.record(series, { from, to: reachable }, 'refused', OUT_OF_REACH, clock.now());
  const known = await windows.windows(series, { from: reachable, to });
  const open = unanswered({ from: reachable, to }, known);
  const total = (to - from) / barMs;
  let done = total - open.reduce((sum, range) => sum + (range.to - range.from) / barMs, 0);
  const report = {
    ...series,
    from,
    to,
    fetched: 0,
    saved: 0,
    skippedBars: done - (reachable - from) / barMs,
    unreachableBars: (reachable - from) / barMs,
    steps: 0,
    stopped: null as BackfillReport['stopped'],
  };
  options.progress?.(done, total, null);
  const isMade = (history.madeBy?.(series.instrument) ?? null) !== null;
  const askingNow: Waiting | null = isMade ? null : { cause: 'venue', detail: `the request budget of ${series.venue} limits the speed` };
  const onPause = (pause: Waiting | null): void => options.waits?.(pause ?? askingNow);
  onPause(null);
  for (const range of open) {
    for (let begin = range.from; begin < range.to; begin += STEP_BARS * barMs) {
      const step = { from: begin, to: Math.min(range.to, begin + STEP_BARS * barMs) };
      options.signal?.throwIfAborted();
      let bars: readonly Candle[];
      try {
        const ask = () => history.fetchCandles(series.instrument, series.timeframe, step.from, step.to);
        bars = await asking(ask, clock, options.signal, onPause);
      } catch (error) {
        if (!(error instanceof VenueError)) throw error;
        await windows.record(series, step, 'refused', error.code, clock.now());
        return { ...report, stopped: { at: step.from, code: error.code, detail: error.message } };
      }
      const receivedAt = clock.now();
      report.saved += await store.save({ kind: 'candles', ...series, source: `${series.venue}:candles`, receivedAt, candles: bars });
      await windows.record(series, answered(step, bars, barMs, receivedAt), 'asked', '', receivedAt);
      report.fetched += bars.length;
      report.steps++;
      done += (step.to - step.from) / barMs;
      options.progress?.(done, total, null);
    }
  }
  return report;
}

/** A backfill that everybody can look at while it goes on. @throws what `backfillCandles` throws */
export function recordedBackfill(
  recorder: WorkRecorder,
  recorded: 'always' | 'long',
  { onProgress, ...options }: BackfillOptions & { readonly onProgress?: (progress: WorkProgress) => void },
): Promise<BackfillReport> {
  const { venue, instrument, timeframe } = options;
  const series = { venue, instrument, timeframe };
  let workId: string | null = null;
  let counted: readonly [done: number, total: number] | null = null;
  const toldOn = (): void => {
    if (counted !== null) options.progress?.(...counted, workId);
  };
  return recorder.during(
    {
      kind: 'backfill',
      subject: seriesText(series),
      series,
      source: venue,
      unit: 'bars',
      recorded,
      failureOf: ({ stopped }) => (stopped === null ? null : `${stopped.detail} (${stopped.code})`),
      thrownFailureOf: () =>
        options.signal?.aborted === true ? 'it was interrupted' : 'it failed for a reason that the log or the terminal tells',
      ...(onProgress === undefined ? {} : { onProgress }),
      onRecorded(id) {
        workId = id;
        toldOn();
      },
    },
    (tell) =>
      backfillCandles({
        ...options,
        progress(done, total) {
          tell.progress(done, total);
          counted = [done, total];
          toldOn();
        },
        waits: (waitingFor) => tell.waits(waitingFor),
      }),
  );
}

/** The stretch that an answer settles: all of it, but not the newest bars that the venue may only be late with. */
export function answered(asked: Stretch, bars: readonly Candle[], barMs: number, now: EpochMs): Stretch {
  const last = bars.at(-1);
  const after = last === undefined ? asked.from : last.openTime + barMs;
  const settled = startOfSlot(now - SETTLE_MS, barMs);
  return { from: asked.from, to: Math.max(Math.min(asked.to, settled), Math.min(asked.to, after), asked.from) };
}

/** Returns the parts of a stretch that no venue has answered yet, ascending. */
export function unanswered(range: Stretch, known: readonly CandleWindow[]): Stretch[] {
  const open: Stretch[] = [];
  let begin = range.from;
  for (const window of known) {
    if (window.state !== 'asked') continue;
    if (window.from > begin) open.push({ from: begin, to: Math.min(window.from, range.to) });
    begin = Math.max(begin, window.to);
  }
  if (begin < range.to) open.push({ from: begin, to: range.to });
  return open;
}

/** Asks until the venue answers or refuses for good; a spent budget and a busy venue are waited out. */
async function asking<Answer>(
  ask: () => Promise<Answer>,
  clock: Pick<Clock, 'now' | 'deadline'>,
  signal: AbortSignal | undefined,
  onPause: (pause: Waiting | null) => void,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof VenueError) || FINAL_STATUSES.has(error.status) || FINAL_CODES.has(error.code) || attempt >= TRIES)
        throw error;
      const pause = Math.min(LONGEST_PAUSE_MS, Math.max(error.retryAfterMs ?? 0, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
      onPause({
        cause: 'venue',
        detail: `${error.venue} is requested again at ${isoTime(clock.now() + pause)}: ${error.message} (${error.code})`,
      });
      await paused(pause, clock, signal);
      onPause(null);
    }
  }
}

/** Waits, but not past an abort. @throws the reason of the abort. */
async function paused(pauseMs: number, clock: Pick<Clock, 'now' | 'deadline'>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resume) => {
    const cancel = clock.deadline(clock.now() + pauseMs, resume);
    signal?.addEventListener('abort', () => (cancel(), resume()), { once: true });
  });
  signal?.throwIfAborted();
}

/** The fetching in words. */
export function backfillText(report: BackfillReport): string {
  return [
    `${report.venue} ${report.instrument} ${report.timeframe}, ${isoTime(report.from)} to ${isoTime(report.to)}: ${report.fetched} bars fetched in ${report.steps} steps, ${report.saved} new or corrected`,
    ...(report.skippedBars > 0 ? [`  ${report.skippedBars} bars' worth of time had been answered before`] : []),
    ...(report.unreachableBars > 0
      ? [`  ${report.unreachableBars} bars lie further back than the venue serves; import them from files`]
      : []),
    ...(report.stopped === null
      ? []
      : [
          `  stopped at ${isoTime(report.stopped.at)}: ${report.stopped.detail} (${report.stopped.code}); the same command goes on from there`,
        ]),
  ].join('\n');
}
