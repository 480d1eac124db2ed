/** Runs replay sessions for the evaluation actors: fetches what is missing, then a thread serves the slots and waits for each answer. */
import type { Worker } from 'node:worker_threads';
import type { EvaluationJob, EvaluationOutcome, EvaluationRunner } from '../../../actors/evaluation/run-worker.ts';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import { type BacktestRunnerOptions, backtestOutcome, fetchNeeds, trialsOfJob } from '../backtest/backtest-runner.ts';
import type { BacktestOutcome } from '../backtest/backtest-work.ts';
import type { BacktestJob } from '../backtest/from-history.ts';
import { backtestNeeds } from '../backtest/needs.ts';
import type { TrialsOf } from '../ports.ts';
import type { ReplayHost } from './replay-host.ts';

/** Request to the thread of a session. Plain JSON. */
export interface ReplayAsked extends Omit<BacktestJob, 'trials'> {
  readonly trialsOf: TrialsOf;
  readonly agentId: string;
  readonly seed: string;
}

interface ReplayRunnerOptions extends Pick<BacktestRunnerOptions, 'fetcher' | 'onMissing'> {
  readonly host: ReplayHost;
  /** The seed of a session, 64 hexadecimal digits: the same whenever it is asked for, and unknown to callers. */
  readonly seedOf: (runId: string) => string;
  /** Works in a thread and hands it out; ends with the job's signal. @throws Error for a defect. */
  readonly inThread: (
    asked: ReplayAsked,
    job: Pick<EvaluationJob, 'signal' | 'progress'>,
    beside: (worker: Worker) => void,
  ) => Promise<BacktestOutcome>;
}

/** A runner of sessions. One whose process died is not begun again: the code has lost its place, and has seen the slots. */
export function createReplayRunner(options: ReplayRunnerOptions): EvaluationRunner {
  const { host, seedOf, inThread } = options;
  return async (job): Promise<EvaluationOutcome> => {
    const seed = seedOf(job.runId);
    if ((job.attempts ?? 0) > 0)
      return {
        ok: false,
        code: 'interrupted',
        detail: `the session had begun and no end of it was kept, as when its process dies; it counts as a trial (seed ${seed})`,
      };
    const request = job.request as unknown as BacktestRequest;
    const funding = await fetchNeeds(options, backtestNeeds(job.manifest, job.manifest.timeframe), request, job);
    const { agentId, manifest, manifestHash, createdAt } = job;
    const asked = { manifest, request, funding, createdAt, agentId, seed, trialsOf: trialsOfJob(job, [manifestHash]) };
    const ended = new AbortController();
    const held = host.hold(job, (detail) => ended.abort(detail));
    try {
      const signal = AbortSignal.any([job.signal, ended.signal]);
      return backtestOutcome(job, request, await inThread(asked, { signal, progress: job.progress }, held.attach));
    } catch (error) {
      if (!ended.signal.aborted) throw error;
      return { ok: false, code: 'expired', detail: `${String(ended.signal.reason)} (seed ${seed})` };
    } finally {
      held.release();
    }
  };
}
