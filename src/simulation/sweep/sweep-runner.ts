/** Sweeps for the evaluation actors: fetches missing data, counts earlier trials, then computes in a thread of its own. */
import type { EvaluationJob, EvaluationOutcome, EvaluationRunner } from '../../../actors/evaluation/run-worker.ts';
import { isVariants, type SweepRequest, type Variant, combineVariants } from '../../domain/backtest/sweep.ts';
import type { BacktestRunnerOptions } from '../backtest/backtest-runner.ts';
import { fetchNeeds, trialsOfJob } from '../backtest/backtest-runner.ts';
import { backtestNeeds } from '../backtest/needs.ts';
import type { TrialsOf } from '../../adapters/store/evaluations/trial-reads.ts';
import type { SweepJob } from './sweep-from-history.ts';
import type { SweepOutcome } from './sweep-work.ts';

/** Request to the thread of a sweep, as plain JSON. */
export interface SweepAsked extends Omit<SweepJob, 'earlier'> {
  readonly trialsOf: TrialsOf;
}

interface SweepRunnerOptions extends Pick<BacktestRunnerOptions, 'fetcher' | 'onMissing'> {
  /** Runs in a thread that ends with the job's signal. @throws Error for a defect */
  readonly inThread: (asked: SweepAsked, job: EvaluationJob) => Promise<SweepOutcome>;
}

/** Creates the runner of kind `sweep`. */
export function createSweepRunner(options: SweepRunnerOptions): EvaluationRunner {
  return async (job): Promise<EvaluationOutcome> => {
    const request = job.request as unknown as SweepRequest;
    const variants = combineVariants(job.manifest, request.parameters);
    if (!isVariants(variants))
      return { ok: false, code: 'manifest_invalid', detail: variants.map(({ path, problem }) => `${path} ${problem}`).join('; ') };
    const needs = variants.flatMap(({ manifest }) => backtestNeeds(manifest, request.timeframe ?? manifest.timeframe));
    const distinct = [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()];
    const funding = await fetchNeeds(options, distinct, request, job);
    const trialsOf = trialsOfJob(job, listHashes(variants));
    const outcome = await options.inThread({ request, variants, trialsOf, funding, createdAt: job.createdAt }, job);
    return outcome.ok ? { ...outcome, report: null, evidence: null } : outcome;
  };
}

function listHashes(variants: readonly Variant[]): readonly string[] {
  return variants.map(({ manifestHash }) => manifestHash);
}
