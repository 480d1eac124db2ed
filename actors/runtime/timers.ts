/** Fires the durable timers: each as an event to its actor, taken away by the step that it causes. */
import type { DueTimer } from '../../src/domain/actor-step.ts';
import type { Clock } from '../../streams/clock.ts';
import type { ActorStore } from './actor-store.ts';
import { lookEvery } from './look.ts';
import type { Runtime } from './runtime.ts';

/** A timer fires no later than so long after it is due. */
const LOOK_MS = 250;
const BATCH = 500;

/**
 * Starts firing. Any number of processes may: an actor's compare-and-set lets one of them through, and the timer goes
 * with that commit. A timer whose actor refuses its event, or is gone, is dropped.
 */
export function startTimers(deps: {
  readonly store: Pick<ActorStore, 'dueTimers' | 'dropTimer'>;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly onError: (error: unknown) => void;
}): { fireDue(): Promise<number>; stop(): Promise<void> } {
  const { store, runtime, clock } = deps;

  async function fire(timer: DueTimer): Promise<void> {
    const outcome = await runtime.deliver(timer.actorId, timer.event, { cause: 'timer', firedTimer: timer.timerId });
    if (!outcome.ok && outcome.refusal.code !== 'unavailable') await store.dropTimer(timer.actorId, timer.timerId);
  }

  async function fireDue(): Promise<number> {
    const due = await store.dueTimers(clock.now(), BATCH);
    for (const timer of due) {
      try {
        await fire(timer);
      } catch (error) {
        deps.onError(error);
      }
    }
    return due.length;
  }

  const looking = lookEvery(clock, LOOK_MS, fireDue, deps.onError);
  return {
    fireDue,
    stop: looking.stop,
  };
}
