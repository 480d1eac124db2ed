/** Replay sessions: each runs in its own thread and answers the steps that arrive at the API of any process. */
import type { Worker } from 'node:worker_threads';
import type { EvaluationJob } from '../../../actors/evaluation/run-worker.ts';
import { runEvery } from '../../../actors/runtime/run-every.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import type { ReplayChannel } from '../../adapters/queue/replay-channel.ts';
import type { AskedSession, StepAsk } from '../../domain/outside/replay-step.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';

/** Maximum duration of a session: one day, in milliseconds. */
const SESSION_MS = DAY_MS;

/** Terms for a session without answers. */
export interface SessionTerms {
  /** Time without an answer after which the session counts as abandoned, in milliseconds. */
  readonly idleMs: number;
  /** Sentence on how an abandoned session counts. */
  readonly countsAs: string;
}

export const TRIAL_TERMS: SessionTerms = { idleMs: 10 * MINUTE_MS, countsAs: 'it counts as a trial' };
const LOOK_MS = 5_000;

/** Messages between a session's thread and the process. */
export interface ThreadAsk {
  readonly ask: number;
  readonly step: StepAsk;
}
export interface ThreadAnswer {
  readonly kind: 'answer';
  readonly ask: number;
  readonly outcome: Outcome<string>;
}

interface Running {
  readonly job: Pick<EvaluationJob, 'orgId' | 'agentId'>;
  readonly since: EpochMs;
  readonly expire: (detail: string) => void;
  readonly terms: SessionTerms;
  readonly waiting: Map<number, (outcome: Outcome<string>) => void>;
  worker: Worker | null;
  answeredAt: EpochMs;
  asked: number;
  isAbandoned: boolean;
}

export interface ReplayHost {
  /** Answers a step of a session as JSON, or returns null if no process runs it. */
  step(of: AskedSession, step: StepAsk): Promise<Outcome<string> | null>;
  /** Stops answering the steps of a session, wherever it runs. Its run was cancelled, and its thread ends when the worker notices. */
  abandon(of: AskedSession): Promise<void>;
  /** Holds a session until `release`. Calls `expire` once if no answer comes for too long. */
  hold(
    job: AskedSession,
    expire: (detail: string) => void,
    terms?: SessionTerms,
  ): { readonly attach: (worker: Worker) => void; readonly release: () => void };
  stop(): Promise<void>;
}

const GONE = refuse('state_conflict', 'the session has ended meanwhile: read it for its ending');

/** Creates the host. @param channel channel to sessions of other processes, or null if there are none */
export function createReplayHost(
  clock: Pick<Clock, 'now' | 'deadline'>,
  onError: (error: unknown) => void,
  channel: ReplayChannel | null = null,
): ReplayHost {
  const sessions = new Map<string, Running>();
  const looking = runEvery(clock, 'replay sessions', LOOK_MS, async () => expireOld(sessions, clock.now()), onError);
  return {
    async step(of, step) {
      const session = sessions.get(of.runId);
      if (session === undefined) return channel === null ? null : channel.step(of, step);
      return isSession(session, of) ? askThread(session, step, clock) : null;
    },
    async abandon(of) {
      const session = sessions.get(of.runId);
      if (session === undefined) await channel?.abandon(of);
      else if (isSession(session, of)) session.isAbandoned = true;
    },
    hold(job, expire, terms = TRIAL_TERMS) {
      const now = clock.now();
      const session: Running = {
        job,
        since: now,
        expire,
        terms,
        waiting: new Map(),
        worker: null,
        answeredAt: now,
        asked: 0,
        isAbandoned: false,
      };
      sessions.set(job.runId, session);
      const abandon = (): void => void (session.isAbandoned = true);
      const unserve = channel?.serve(job, { answer: (step) => askThread(session, step, clock), abandon });
      return {
        attach: (worker) => attach(session, worker, clock),
        release() {
          unserve?.();
          sessions.delete(job.runId);
          for (const answer of session.waiting.values()) answer(GONE);
        },
      };
    },
    stop: () => looking.stop(),
  };
}

const isSession = ({ job }: Running, { orgId, agentId }: AskedSession): boolean => job.orgId === orgId && job.agentId === agentId;

/** Sends a step to the session's thread. */
async function askThread(session: Running, step: StepAsk, clock: Pick<Clock, 'now'>): Promise<Outcome<string>> {
  const { worker, isAbandoned } = session;
  if (isAbandoned) return GONE;
  if (worker === null) return refuse('unavailable', 'the session reads its history: ask again in a few seconds');
  session.answeredAt = clock.now();
  const ask = ++session.asked;
  return new Promise((resolve) => {
    session.waiting.set(ask, resolve);
    worker.postMessage({ ask, step } satisfies ThreadAsk);
  });
}

/** Connects the thread's messages: first `ready`, then answers. */
function attach(session: Running, worker: Worker, clock: Pick<Clock, 'now'>): void {
  worker.on('message', (message: ThreadAnswer | { readonly kind: string }) => {
    if (message.kind === 'ready') {
      session.worker = worker;
      session.answeredAt = clock.now();
    }
    if (message.kind !== 'answer') return;
    const { ask, outcome } = message as ThreadAnswer;
    session.waiting.get(ask)?.(outcome);
    session.waiting.delete(ask);
  });
}

function expireOld(sessions: ReadonlyMap<string, Running>, now: EpochMs): void {
  for (const { worker, answeredAt, since, expire, terms } of sessions.values()) {
    // Time for reading the history does not count against the code.
    if (worker !== null && now - answeredAt > terms.idleMs)
      expire(`no step was answered for ${terms.idleMs / MINUTE_MS} minutes: the session was abandoned, and ${terms.countsAs}`);
    else if (now - since > SESSION_MS) expire(`the session lasted longer than ${SESSION_MS / HOUR_MS} hours, and ${terms.countsAs}`);
  }
}
