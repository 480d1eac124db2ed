/** A backtest of the history that is kept: reads bars and events through a port, page by page, and works. */

import type { BacktestRequest } from '../../domain/backtest/request.ts';
import type { Candle } from '../../domain/candle.ts';
import { eventVersionsOf } from '../../domain/intelligence/event-versions.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { timeframeMs } from '../../domain/time.ts';
import type { ThreadPost } from '../evaluation-thread.ts';
import type { BacktestReads } from '../ports.ts';
import { type BacktestOutcome, workBacktest } from './backtest-work.ts';
import type { EventHistory, Fact } from './history.ts';
import { type BarSeries, backtestNeeds, barSeriesOf, type InstrumentNeeds, inputsOf, seriesName } from './needs.ts';
import type { Trials } from './run.ts';

/** What a backtest of the kept history is asked for. Plain JSON: it crosses into a thread. */
export interface BacktestJob {
  readonly manifest: Manifest;
  readonly request: BacktestRequest;
  readonly trials: Trials;
  /** Hourly funding by perpetual, as the venue told it. */
  readonly funding: readonly (readonly [perpetual: string, rates: readonly Fact[]])[];
  /** The instant the run was asked for. */
  readonly createdAt: number;
}

/** Bars of one reading. */
const PAGE = 20_000;
const HOUR_MS = 3_600_000;

/** Reads what a manifest needs of the history that is kept, and works. `post` hears of the progress. */
export async function workFromHistory(
  reads: BacktestReads,
  asked: BacktestJob,
  post: (message: ThreadPost<BacktestOutcome>) => void,
): Promise<BacktestOutcome> {
  const { manifest, request } = asked;
  const timeframe = request.timeframe ?? manifest.timeframe;
  const needs = backtestNeeds(manifest, timeframe);
  const [from, to] = [Date.parse(request.from), Date.parse(request.to)];
  const bars = new Map<string, readonly Candle[]>();
  const wanted = barSeriesOf(needs);
  for (const [index, series] of wanted.entries()) {
    bars.set(seriesName(series), await readBars(reads, series, from, to));
    post({ kind: 'progress', done: index + 1, total: wanted.length, what: 'reading bars' });
  }
  const events = await readEvents(reads, needs, asked.createdAt);
  const inputs = inputsOf(needs, { bars, funding: new Map(asked.funding), events });
  return workBacktest({
    manifest,
    request,
    timeframe,
    inputs,
    trials: asked.trials,
    onProgress: (done, total) => post({ kind: 'progress', done, total, what: 'simulating' }),
  });
}

/** The bars of a series that open from `from` on and have closed by `to`, page by page. */
async function readBars(reads: BacktestReads, series: BarSeries, from: number, to: number): Promise<readonly Candle[]> {
  const barMs = timeframeMs(series.timeframe) as number;
  const read: Candle[] = [];
  for (let begin = from; begin < to; ) {
    const page = await reads.bars({ ...series, from: begin, to, limit: PAGE });
    for (const bar of page) if (bar.openTime + barMs <= to) read.push(bar);
    if (page.length < PAGE) break;
    begin = (page.at(-1) as Candle).openTime + 1;
  }
  return read;
}

/**
 * Events by underlying. Somebody listened from the first report that is kept on; a rule knows its whole look-back from
 * then plus the longest look-back on.
 */
async function readEvents(reads: BacktestReads, needs: readonly InstrumentNeeds[], createdAt: number): Promise<Map<string, EventHistory>> {
  const events = new Map<string, EventHistory>();
  const asked = needs.filter(({ eventHours }) => eventHours !== null);
  if (asked.length === 0) return events;
  const reports = (await reads.reports()).filter(({ receivedAt }) => receivedAt <= createdAt);
  if (reports.length === 0) return events;
  const first = reports.reduce((least, { receivedAt }) => Math.min(least, receivedAt), createdAt);
  const versions = eventVersionsOf(reports);
  for (const { entry, eventHours } of asked) {
    events.set(entry.underlying, {
      knownFrom: first + (eventHours as number) * HOUR_MS,
      knownTo: createdAt,
      events: versions
        .filter(({ symbols }) => symbols.includes(entry.underlying))
        .map(({ id, severity, negative, rumor, observedAt, receivedAt, headline }) => {
          return { id, severity, negative, rumor, observedAt, receivedAt, headline };
        }),
    });
  }
  return events;
}
