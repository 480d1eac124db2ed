/** Carries out the activities of committed steps: at least once, with a key that makes them idempotent, answered by an event. */
import type { DueActivity } from '../../src/domain/actor-step.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { Clock } from '../../streams/clock.ts';
import type { ActorStore } from './actor-store.ts';
import { runEvery } from './run-every.ts';
import type { Runtime } from './runtime.ts';

const LOOK_MS = 250;
const BATCH = 100;
/** An activity worker that died in the middle is followed by another after so long, doubled with every attempt. */
const RETRY_MS = 5_000;
const ATTEMPT_LIMIT = 10;

/** Carries out one activity. `key` is the same at every attempt. @throws to be tried again later. */
export type ActivityWorker = (payload: { readonly [key: string]: Json }, key: string) => Promise<Json>;

/**
 * Starts carrying. The answer goes to the actor as `activity.done { key, kind, answer }`, and the activity is closed by that
 * step's commit; after the last attempt the actor hears `activity.given_up { key, kind, detail }`.
 */
export function startActivities(deps: {
  readonly store: Pick<ActorStore, 'takeActivities' | 'giveUpActivity'>;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly workers: { readonly [kind: string]: ActivityWorker };
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly onError: (error: unknown) => void;
}): { carryDue(): Promise<number>; stop(): Promise<void> } {
  const { store, runtime, clock } = deps;
  // The others wait for a process that carries them: an attempt here would be one lost.
  const kinds = Object.keys(deps.workers);

  async function carry(activity: DueActivity): Promise<void> {
    const worker = deps.workers[activity.kind];
    try {
      if (!worker) throw new Error(`nobody carries out activities of kind ${activity.kind}`);
      const answer = await worker(activity.payload, activity.key);
      const outcome = await runtime.deliver(
        activity.actorId,
        { type: 'activity.done', key: activity.key, kind: activity.kind, answer },
        { cause: 'activity', answeredActivity: { key: activity.key, answer } },
      );
      if (!outcome.ok && outcome.refusal.code !== 'unavailable')
        await store.giveUpActivity(activity.key, { refused: outcome.refusal.code, answer });
    } catch (error) {
      deps.onError(error);
      if (activity.attempts < ATTEMPT_LIMIT) return;
      const detail = error instanceof Error ? error.message : String(error);
      await runtime.deliver(
        activity.actorId,
        { type: 'activity.given_up', key: activity.key, kind: activity.kind, detail },
        { cause: 'activity' },
      );
      await store.giveUpActivity(activity.key, { detail });
    }
  }

  async function carryDue(): Promise<number> {
    const due = await store.takeActivities(clock.now(), RETRY_MS, BATCH, kinds);
    await Promise.all(due.map(carry));
    return due.length;
  }

  const looking = runEvery(clock, LOOK_MS, carryDue, deps.onError);
  return {
    carryDue,
    stop: looking.stop,
  };
}
