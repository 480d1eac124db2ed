/** Backtests for the evaluation actors: fetches missing data from the venues, then computes in a thread of its own. */
import type { EvaluationJob, EvaluationOutcome, EvaluationRunner } from '../../../actors/evaluation/run-worker.ts';
import { type BacktestRequest, isLook } from '../../domain/backtest/request.ts';
import { DAY_MS } from '../../domain/values/time.ts';
import type { TrialsOf } from '../../adapters/store/evaluations/trial-reads.ts';
import type { HistoryFetcher } from '../../adapters/venues/history-fetcher.ts';
import { type BacktestOutcome, computeDailyReturns } from './backtest-work.ts';
import type { BacktestJob } from './from-history.ts';
import type { Fact } from '../../domain/backtest/fact.ts';
import { backtestNeeds, listBarSeries, type InstrumentNeeds } from './needs.ts';

/** Lookback of funding ranks before the first bar. */
const FUNDING_BEFORE_MS = 365 * DAY_MS;

/** Request to a backtest thread, as plain JSON. A null `trialsOf` requests no other trials. */
export interface BacktestAsked extends Omit<BacktestJob, 'trials'> {
  readonly trialsOf: TrialsOf | null;
}

export interface BacktestRunnerOptions {
  readonly fetcher: HistoryFetcher;
  /** False for previews, which report no deflated Sharpe ratio. */
  readonly asksForTrials: boolean;
  /** Runs in a thread that ends with the job's signal. @throws Error for a defect */
  readonly inThread: (asked: BacktestAsked, job: EvaluationJob) => Promise<BacktestOutcome>;
  /** Receives a report of data that a venue did not return. */
  readonly onMissing: (what: { readonly [field: string]: unknown }) => void;
}

/**
 * Fetches the missing history of these needs from the venues, and returns their funding. Data that a venue refuses stays missing, and the
 * run reports it.
 */
export async function fetchNeeds(
  { fetcher, onMissing }: Pick<BacktestRunnerOptions, 'fetcher' | 'onMissing'>,
  needs: readonly InstrumentNeeds[],
  request: BacktestRequest,
  job: EvaluationJob,
): Promise<BacktestJob['funding']> {
  const range = { from: Date.parse(request.from), to: Date.parse(request.to) };
  const wanted = listBarSeries(needs);
  for (const [index, series] of wanted.entries()) {
    const maker = fetcher.madeBy(series);
    const of = `${series.instrument} ${series.timeframe} (${index + 1} of ${wanted.length})`;
    const what = maker === null ? `fetching ${of}` : `making ${of} by ${maker}`;
    const progress = (done: number, total: number, workId: string | null): void => job.progress(done, total, what, workId);
    const refused = await fetcher.bars(series, range, { signal: job.signal, progress });
    if (refused !== null) onMissing({ ...series, runId: job.runId, code: refused.code });
  }
  for (const need of needs) await fetcher.facts(need, range);
  const found: (readonly [string, readonly Fact[]])[] = [];
  for (const perpetual of new Set(needs.flatMap(({ funding }) => (funding === null ? [] : [funding])))) {
    const rates = await fetcher.funding(perpetual, { from: range.from - FUNDING_BEFORE_MS, to: range.to });
    if (rates === null) onMissing({ perpetual });
    else found.push([perpetual, rates]);
  }
  return found;
}

/** Returns the query for the family's other trials. @param hashes manifests that the run itself tries */
export function trialsOfJob({ orgId, agentId, createdAt, request }: EvaluationJob, hashes: readonly string[]): TrialsOf {
  return { orgId, agentId, createdAt, request, hashes };
}

/** Creates the runner of kind `backtest`. The main loop only waits for venues and the thread. */
export function createBacktestRunner(options: BacktestRunnerOptions): EvaluationRunner {
  return async (job): Promise<EvaluationOutcome> => {
    const asked = job.request as unknown as BacktestRequest;
    const request = { ...asked, look: isLook(asked, job.manifest.timeframe, job.createdAt) };
    const needs = backtestNeeds(job.manifest, request.timeframe ?? job.manifest.timeframe);
    const funding = await fetchNeeds(options, needs, request, job);
    const trialsOf = options.asksForTrials ? trialsOfJob(job, [job.manifestHash]) : null;
    const outcome = await options.inThread({ manifest: job.manifest, request, trialsOf, funding, createdAt: job.createdAt }, job);
    return backtestOutcome(job, request, outcome);
  };
}

/** Returns the evaluation outcome of a run: a trial, and evidence unless it was exploratory. */
export function backtestOutcome(job: EvaluationJob, { look }: Pick<BacktestRequest, 'look'>, outcome: BacktestOutcome): EvaluationOutcome {
  if (!outcome.ok) return outcome;
  const { resultHash, summary, result, series, metrics } = outcome;
  const { agentId, manifestVersion, manifestHash, runId } = job;
  return {
    ok: true,
    resultHash,
    summary,
    result,
    report: null,
    trials: [{ manifestHash, sharpe: metrics['sharpe'] ?? null, returns: computeDailyReturns(series) }],
    evidence: look ? null : { agentId, kind: 'backtest', manifestVersion, manifestHash, series, metrics, runId, resultHash },
  };
}
