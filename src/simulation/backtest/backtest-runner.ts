/** Runs backtests for the evaluation actors: fetches what is missing from the venues, then works in a thread of its own. */
import type { EvaluationJob, EvaluationOutcome, EvaluationRunner } from '../../../actors/evaluation/run-worker.ts';
import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import type { Clock } from '../../../streams/clock.ts';
import { createCandleStore } from '../../adapters/store/candles/candle-store.ts';
import { createCandleWindows } from '../../adapters/store/candles/candle-windows.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createEvaluationReads } from '../../adapters/store/evaluations/evaluation-store.ts';
import { VenueError } from '../../adapters/venues/venue-feed.ts';
import { backfillCandles } from '../../boot/candle-backfill.ts';
import type { Logger } from '../../boot/log.ts';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import { timeframeMs } from '../../domain/time.ts';
import type { Venue } from '../../domain/venue.ts';
import { inThread } from '../evaluation-thread.ts';
import type { BacktestOutcome } from './backtest-work.ts';
import type { BacktestThread } from './backtest-worker.ts';
import type { Fact } from './history.ts';
import { type BarSeries, backtestNeeds, barSeriesOf, type InstrumentNeeds } from './needs.ts';
import type { Trials } from './run.ts';

const DAY_MS = 86_400_000;

export interface BacktestRunnerOptions {
  readonly sql: Sql;
  /** Where the thread connects to. */
  readonly databaseUrl: string;
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Logger;
}

/** A runner of kind `backtest`. The main loop only waits: for venues, and for the thread. */
export function createBacktestRunner(options: BacktestRunnerOptions): EvaluationRunner {
  const { sql, clock, log } = options;
  const store = createCandleStore(sql);
  const windows = createCandleWindows(sql);
  const evaluations = createEvaluationReads(sql);

  /** What a venue refuses stays missing; the run then says so itself. */
  async function fetchBars(series: BarSeries, request: BacktestRequest, job: EvaluationJob, what: string): Promise<void> {
    const history = options.histories[series.venue];
    const barMs = timeframeMs(series.timeframe);
    if (history === undefined || barMs === null) return;
    const report = await backfillCandles({
      ...series,
      barMs,
      from: Date.parse(request.from),
      to: Date.parse(request.to),
      history,
      store,
      windows,
      clock,
      signal: job.signal,
      progress: (done, total) => job.progress(done, total, what),
    });
    if (report.stopped !== null)
      log.info({ ...series, runId: job.runId, code: report.stopped.code }, 'a venue did not give all bars of a backtest');
  }

  async function fetchFunding(needs: readonly InstrumentNeeds[], request: BacktestRequest): Promise<[string, Fact[]][]> {
    const perpetuals = [...new Set(needs.flatMap(({ funding }) => (funding === null ? [] : [funding])))];
    const found: [string, Fact[]][] = [];
    for (const perpetual of perpetuals) {
      try {
        // Ranks look back up to a year before the first bar; what the venue lacks is unknown there.
        const rates = await options.histories.evmvenue?.fetchFunding?.(
          perpetual,
          Date.parse(request.from) - 365 * DAY_MS,
          Date.parse(request.to),
        );
        if (rates !== undefined) found.push([perpetual, rates.map(({ at, hourlyFunding }) => ({ receivedAt: at, value: hourlyFunding }))]);
      } catch (error) {
        if (!(error instanceof VenueError)) throw error;
        log.info({ perpetual, code: error.code }, 'the venue gave no funding for a backtest');
      }
    }
    return found;
  }

  async function trialsOf(job: EvaluationJob): Promise<Trials> {
    const others = await evaluations.otherTrials(job.agentId, job.manifestHash, job.createdAt);
    return { versions: others.length + 1, otherSharpes: others.filter((sharpe) => sharpe !== null) };
  }

  return async (job): Promise<EvaluationOutcome> => {
    const request = job.request as unknown as BacktestRequest;
    const timeframe = request.timeframe ?? job.manifest.timeframe;
    const needs = backtestNeeds(job.manifest, timeframe);
    const wanted = barSeriesOf(needs);
    for (const [index, series] of wanted.entries()) {
      await fetchBars(series, request, job, `fetching ${series.instrument} ${series.timeframe} (${index + 1} of ${wanted.length})`);
    }
    const thread: BacktestThread = {
      databaseUrl: options.databaseUrl,
      manifest: job.manifest,
      request,
      trials: await trialsOf(job),
      funding: await fetchFunding(needs, request),
      createdAt: job.createdAt,
    };
    const outcome = await inThread<BacktestOutcome>(new URL('./backtest-thread.mjs', import.meta.url), thread, job, 'a backtest');
    if (!outcome.ok) return outcome;
    const { resultHash, summary, result, report, series, metrics } = outcome;
    const { agentId, manifestVersion, manifestHash, runId } = job;
    return {
      ok: true,
      resultHash,
      summary,
      result,
      report,
      evidence: request.look ? null : { agentId, kind: 'backtest', manifestVersion, manifestHash, series, metrics, runId, resultHash },
    };
  };
}
