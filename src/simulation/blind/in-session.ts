/** Session of a run, open while its thread serves slots and waits for answers. */
import type { Worker } from 'node:worker_threads';
import type { EvaluationJob, EvaluationOutcome } from '../../../actors/evaluation/run-worker.ts';
import { type ReplayHost, type SessionTerms, TRIAL_TERMS } from './replay-host.ts';

export interface Sessions {
  readonly host: ReplayHost;
  /** Returns the seed of a run's session: 64 hexadecimal digits, constant and unknown to callers. */
  readonly seedOf: (runId: string) => string;
}

interface Held {
  readonly seed: string;
  /** Aborts with the job, or if no answer comes for too long. */
  readonly signal: AbortSignal;
  readonly attach: (worker: Worker) => void;
}

/** Runs work in a session. A session whose process died does not restart, because the code has lost its state and has seen the slots. */
export async function inSession(
  { host, seedOf }: Sessions,
  job: EvaluationJob,
  work: (held: Held) => Promise<EvaluationOutcome>,
  terms: SessionTerms = TRIAL_TERMS,
): Promise<EvaluationOutcome> {
  const seed = seedOf(job.runId);
  if ((job.attempts ?? 0) > 0)
    return {
      ok: false,
      code: 'interrupted',
      detail: `the session has no recorded end, as when its process dies; ${terms === TRIAL_TERMS ? terms.countsAs : 'it counts for nothing'} (seed ${seed})`,
    };
  const ended = new AbortController();
  const held = host.hold(job, (detail) => ended.abort(detail), terms);
  try {
    return await work({ seed, signal: AbortSignal.any([job.signal, ended.signal]), attach: held.attach });
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    return { ok: false, code: 'expired', detail: `${String(ended.signal.reason)} (seed ${seed})` };
  } finally {
    held.release();
  }
}
