/** Runs backtests for the evaluation actors: fetches what is missing from the venues, then works in a thread of its own. */
import type { EvaluationJob, EvaluationOutcome, EvaluationRunner } from '../../../actors/evaluation/run-worker.ts';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import type { HistoryFetcher, TrialReads } from '../ports.ts';
import type { BacktestOutcome } from './backtest-work.ts';
import type { BacktestJob } from './from-history.ts';
import type { Fact } from './history.ts';
import { type BarSeries, backtestNeeds, barSeriesOf, type InstrumentNeeds } from './needs.ts';
import type { Trials } from './run.ts';

const DAY_MS = 86_400_000;
/** Ranks of funding look back so far before the first bar. */
const FUNDING_BEFORE_MS = 365 * DAY_MS;

export interface BacktestRunnerOptions {
  readonly fetcher: HistoryFetcher;
  readonly trials: TrialReads;
  /** Works in a thread; ends with the job's signal. @throws Error for a defect. */
  readonly inThread: (asked: BacktestJob, job: EvaluationJob) => Promise<BacktestOutcome>;
  /** Hears of what a venue did not give. */
  readonly onMissing: (what: { readonly [field: string]: unknown }) => void;
}

/** A runner of kind `backtest`. The main loop only waits: for venues, and for the thread. */
export function createBacktestRunner({ fetcher, trials, inThread, onMissing }: BacktestRunnerOptions): EvaluationRunner {
  /** What a venue refuses stays missing; the run then says so itself. */
  async function fetchBars(series: BarSeries, request: BacktestRequest, job: EvaluationJob, what: string): Promise<void> {
    const range = { from: Date.parse(request.from), to: Date.parse(request.to) };
    const refused = await fetcher.bars(series, range, { signal: job.signal, progress: (done, total) => job.progress(done, total, what) });
    if (refused !== null) onMissing({ ...series, runId: job.runId, code: refused.code });
  }

  async function fetchFunding(
    needs: readonly InstrumentNeeds[],
    request: BacktestRequest,
  ): Promise<(readonly [string, readonly Fact[]])[]> {
    const perpetuals = [...new Set(needs.flatMap(({ funding }) => (funding === null ? [] : [funding])))];
    const range = { from: Date.parse(request.from) - FUNDING_BEFORE_MS, to: Date.parse(request.to) };
    const found: (readonly [string, readonly Fact[]])[] = [];
    for (const perpetual of perpetuals) {
      const rates = await fetcher.funding(perpetual, range);
      if (rates === null) onMissing({ perpetual });
      else found.push([perpetual, rates]);
    }
    return found;
  }

  async function trialsOf(job: EvaluationJob): Promise<Trials> {
    const others = await trials.otherTrials(job.agentId, job.manifestHash, job.createdAt);
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
    const range = { from: Date.parse(request.from), to: Date.parse(request.to) };
    for (const need of needs) await fetcher.facts(need, range);
    const asked: BacktestJob = {
      manifest: job.manifest,
      request,
      trials: await trialsOf(job),
      funding: await fetchFunding(needs, request),
      createdAt: job.createdAt,
    };
    const outcome = await inThread(asked, job);
    if (!outcome.ok) return outcome;
    const { resultHash, summary, result, series, metrics } = outcome;
    const { agentId, manifestVersion, manifestHash, runId } = job;
    return {
      ok: true,
      resultHash,
      summary,
      result,
      report: null,
      evidence: request.look ? null : { agentId, kind: 'backtest', manifestVersion, manifestHash, series, metrics, runId, resultHash },
    };
  };
}
