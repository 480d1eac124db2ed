/** Holds the session of a run while its thread serves slots and waits for answers. */
import type { Worker } from 'node:worker_threads';
import type { EvaluationJob, EvaluationOutcome } from '../../../actors/evaluation/run-worker.ts';
import { type ReplayHost, type SessionTerms, TRIAL_TERMS } from './replay-host.ts';

export interface Sessions {
  readonly host: ReplayHost;
  /** The seed of a session, 64 hexadecimal digits: the same whenever it is asked for, and unknown to callers. */
  readonly seedOf: (runId: string) => string;
}

interface Held {
  readonly seed: string;
  /** Ends with the job, or when nobody answers for too long. */
  readonly signal: AbortSignal;
  readonly attach: (worker: Worker) => void;
}

/** Works in a session. One whose process died is not begun again: the code has lost its place, and has seen the slots. */
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
