/** Runs the activities of committed steps: at least once, with a key that makes them idempotent, answered by an event. */
import type { DueActivity } from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { ActorStore } from './actor-store.ts';
import type { ContainedLoop } from './containment.ts';
import { runEvery } from './run-every.ts';
import type { Runtime } from './runtime.ts';

const LOOK_MS = 250;
/** Maximum concurrent activities. More would only wait for each other's connections. */
const AT_ONCE = 128;
/** Number of running activities below which more are taken. */
const REFILL_AT = 64;
/** Time in milliseconds after which the activity of a dead worker is taken over. It doubles with every attempt. */
const RETRY_MS = 5_000;
/** Interval at which a running activity is reserved for another `RETRY_MS`. */
const RENEW_MS = 2_000;
const ATTEMPT_LIMIT = 10;

/** Result of a worker that has already delivered the answer to its actor, in one transaction with its cause. */
export const TOLD = Symbol('the actor was told');

/** Runs one activity. `key` is the same at every attempt. @throws to retry later. */
export type ActivityWorker = (payload: { readonly [key: string]: Json }, key: string) => Promise<Json | typeof TOLD>;

interface ActivityDeps {
  readonly store: Pick<ActorStore, 'takeActivities' | 'renewActivities' | 'attend' | 'giveUpActivity'>;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly workers: { readonly [kind: string]: ActivityWorker };
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly contained: ContainedLoop;
  readonly onError: (error: unknown) => void;
}

/** Runs an activity and delivers the answer to its actor, or after the last attempt that it was given up. */
async function carry({ store, runtime, workers, onError }: ActivityDeps, activity: DueActivity): Promise<void> {
  const worker = workers[activity.kind];
  try {
    if (!worker) throw new Error(`no worker handles activities of kind ${activity.kind}`);
    const answer = await worker(activity.payload, activity.key);
    if (answer === TOLD) return;
    const outcome = await runtime.deliver(
      activity.actorId,
      { type: 'activity.done', key: activity.key, kind: activity.kind, answer },
      { cause: 'activity', answeredActivity: { key: activity.key, answer } },
    );
    if (!outcome.ok && outcome.refusal.code !== 'unavailable')
      await store.giveUpActivity(activity.key, { refused: outcome.refusal.code, answer });
  } catch (error) {
    onError(error);
    if (activity.attempts < ATTEMPT_LIMIT) return;
    const detail = errorText(error);
    const outcome = await runtime.deliver(
      activity.actorId,
      { type: 'activity.given_up', key: activity.key, kind: activity.kind, detail },
      { cause: 'activity', answeredActivity: { key: activity.key, answer: { detail }, isGivenUp: true } },
    );
    if (!outcome.ok && outcome.refusal.code !== 'unavailable') await store.giveUpActivity(activity.key, { detail });
  }
}

const carryContained = (deps: ActivityDeps, activity: DueActivity): Promise<unknown> =>
  deps.contained
    .each(
      [activity],
      ({ key }) => ({ id: key, orgId: null }),
      () => carry(deps, activity),
    )
    .catch(deps.onError);

/**
 * Starts the workers. The answer goes to the actor as `activity.done { key, kind, answer }`, and that step's commit closes the activity.
 * After the last attempt the actor receives `activity.given_up { key, kind, detail }`, which closes it too. `carryDue` resolves once all
 * due activities have run.
 */
export function startActivities(deps: ActivityDeps): { carryDue(): Promise<number>; stop(): Promise<void> } {
  const { store, clock } = deps;
  // Other kinds wait for a process that serves them. Taking one here would waste an attempt.
  const kinds = Object.keys(deps.workers);
  /** Running activities of this process, by key. */
  const underWay = new Map<string, Promise<unknown>>();
  let stopped = false;

  function begin(activity: DueActivity): void {
    // It is still running: it was slow, or its renewal was late.
    if (underWay.has(activity.key)) return;
    underWay.set(
      activity.key,
      carryContained(deps, activity).finally(() => underWay.delete(activity.key)),
    );
  }

  /** Starts due activities. A slow one delays no other, because more are started as soon as some have ended. */
  async function beginDue(): Promise<number> {
    let begun = 0;
    while (!stopped) {
      const free = AT_ONCE - underWay.size;
      if (free < AT_ONCE - REFILL_AT) {
        await Promise.race(underWay.values());
        continue;
      }
      const due = await store.takeActivities(clock.now(), RETRY_MS, free, kinds);
      begun += due.length;
      for (const activity of due) begin(activity);
      if (due.length < free) break;
    }
    return begun;
  }

  /** Renews the lease, so that no other worker takes over from a slow one. */
  async function renew(): Promise<void> {
    if (underWay.size > 0) await store.renewActivities([...underWay.keys()], clock.now() + RETRY_MS);
    // A worker that is full because venues are slow leaves due work to others.
    if (underWay.size <= REFILL_AT) await store.attend(clock.now() + RETRY_MS, kinds);
  }

  const looking = runEvery(clock, 'activities', LOOK_MS, beginDue, deps.onError);
  const renewing = runEvery(clock, 'renewing activities', RENEW_MS, renew, deps.onError);
  return {
    async carryDue() {
      const begun = await beginDue();
      await Promise.all(underWay.values());
      return begun;
    },
    async stop() {
      stopped = true;
      await looking.stop();
      await Promise.all(underWay.values());
      await renewing.stop();
      await store.attend(0, kinds);
    },
  };
}
