/** The worker thread of a backtest: reads the stored bars through a connection of its own, works, and posts what it came to. */
import { parentPort, workerData } from 'node:worker_threads';
import { createCandleStore } from '../../adapters/store/candles/candle-store.ts';
import { openDatabase, type Sql } from '../../adapters/store/database.ts';
import { createIntelligenceStore } from '../../adapters/store/intelligence/intelligence-store.ts';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import type { Candle } from '../../domain/candle.ts';
import { CATALOG, type CatalogEntry } from '../../domain/catalog.ts';
import { eventVersionsOf } from '../../domain/intelligence/event-versions.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { timeframeMs } from '../../domain/time.ts';
import type { ThreadPost } from '../evaluation-thread.ts';
import { type BacktestOutcome, workBacktest } from './backtest-work.ts';
import type { EventHistory, Fact } from './history.ts';
import { backtestNeeds, barSeriesOf, type InstrumentNeeds, inputsOf, seriesName } from './needs.ts';
import type { Trials } from './run.ts';

/** What the thread is given. */
export interface BacktestThread {
  readonly databaseUrl: string;
  readonly manifest: Manifest;
  readonly request: BacktestRequest;
  readonly trials: Trials;
  /** Hourly funding by perpetual, as the venue told it. */
  readonly funding: readonly (readonly [perpetual: string, rates: readonly Fact[]])[];
  /** The instant the run was asked for. */
  readonly createdAt: number;
}

const PAGE = 20_000;
const HOUR_MS = 3_600_000;

/** Reads what a manifest needs of the stored history, and works. `post` hears of the progress. */
export async function workFromStore(
  thread: BacktestThread,
  post: (message: ThreadPost<BacktestOutcome>) => void,
): Promise<BacktestOutcome> {
  const { manifest, request } = thread;
  const timeframe = request.timeframe ?? manifest.timeframe;
  const needs = backtestNeeds(manifest, timeframe);
  const sql = openDatabase({ url: thread.databaseUrl, connections: 1, name: 'sevengate backtest' });
  try {
    const [from, to] = [Date.parse(request.from), Date.parse(request.to)];
    const store = createCandleStore(sql);
    const bars = new Map<string, readonly Candle[]>();
    const wanted = barSeriesOf(needs);
    for (const [index, series] of wanted.entries()) {
      const barMs = timeframeMs(series.timeframe) as number;
      const read: Candle[] = [];
      for (let begin = from; begin < to; ) {
        const page = await store.range({ ...series, from: begin, to, limit: PAGE });
        for (const bar of page) if (bar.openTime + barMs <= to) read.push(bar);
        if (page.length < PAGE) break;
        begin = (page.at(-1) as Candle).openTime + 1;
      }
      bars.set(seriesName(series), read);
      post({ kind: 'progress', done: index + 1, total: wanted.length, what: 'reading bars' });
    }
    const events = await readEvents(sql, needs, thread.createdAt);
    const inputs = inputsOf(needs, { bars, funding: new Map(thread.funding), events });
    return workBacktest({
      manifest,
      request,
      timeframe,
      inputs,
      trials: thread.trials,
      onProgress: (done, total) => post({ kind: 'progress', done, total, what: 'simulating' }),
    });
  } finally {
    await sql.end({ timeout: 3 });
  }
}

/**
 * Events by underlying. Somebody listened from the first report that is kept on; a rule knows its whole look-back from
 * then plus the longest look-back on.
 */
async function readEvents(sql: Sql, needs: readonly InstrumentNeeds[], createdAt: number): Promise<Map<string, EventHistory>> {
  const events = new Map<string, EventHistory>();
  const asked = needs.filter(({ eventHours }) => eventHours !== null);
  if (asked.length === 0) return events;
  const stories = await createIntelligenceStore(sql).openStories(0);
  const reports = stories.flatMap((story) => story.reports).filter(({ receivedAt }) => receivedAt <= createdAt);
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

const port = parentPort;
if (port !== null && isBacktest(workerData)) {
  // A thread has a catalog of its own: what is listed is told to it.
  CATALOG.list((workerData as { readonly listed?: readonly CatalogEntry[] }).listed ?? []);
  const post = (message: ThreadPost<BacktestOutcome>): void => port.postMessage(message);
  post({ kind: 'outcome', outcome: await workFromStore(workerData, post) });
}

/** Whether this thread was started for a backtest: the file may be loaded in another thread for its function alone. */
function isBacktest(data: unknown): data is BacktestThread {
  return typeof data === 'object' && data !== null && 'databaseUrl' in data && 'trials' in data;
}
