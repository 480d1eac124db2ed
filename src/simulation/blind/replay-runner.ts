/** Replay sessions for the evaluation actors: fetches missing data, then a thread serves the slots and waits for answers. */
import type { Worker } from 'node:worker_threads';
import type { EvaluationJob, EvaluationRunner } from '../../../actors/evaluation/run-worker.ts';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import { type BacktestRunnerOptions, backtestOutcome, fetchNeeds, trialsOfJob } from '../backtest/backtest-runner.ts';
import type { BacktestOutcome } from '../backtest/backtest-work.ts';
import type { BacktestJob } from '../backtest/from-history.ts';
import { backtestNeeds } from '../backtest/needs.ts';
import type { TrialsOf } from '../../adapters/store/evaluations/trial-reads.ts';
import { inSession, type Sessions } from './in-session.ts';

/** Request to the thread of a session, as plain JSON. */
export interface ReplayAsked extends Omit<BacktestJob, 'trials'> {
  readonly trialsOf: TrialsOf;
  readonly agentId: string;
  readonly seed: string;
}

interface ReplayRunnerOptions extends Pick<BacktestRunnerOptions, 'fetcher' | 'onMissing'>, Sessions {
  /** Runs in a thread and passes it out. It ends with the job's signal. @throws Error for a defect */
  readonly inThread: (
    asked: ReplayAsked,
    job: Pick<EvaluationJob, 'signal' | 'progress'>,
    beside: (worker: Worker) => void,
  ) => Promise<BacktestOutcome>;
}

/** Creates the runner of replay sessions. */
export function createReplayRunner(options: ReplayRunnerOptions): EvaluationRunner {
  return (job) =>
    inSession(options, job, async ({ seed, signal, attach }) => {
      const request = job.request as unknown as BacktestRequest;
      const funding = await fetchNeeds(options, backtestNeeds(job.manifest, job.manifest.timeframe), request, job);
      const { agentId, manifest, manifestHash, createdAt, progress } = job;
      const asked = { manifest, request, funding, createdAt, agentId, seed, trialsOf: trialsOfJob(job, [manifestHash]) };
      return backtestOutcome(job, request, await options.inThread(asked, { signal, progress }, attach));
    });
}
