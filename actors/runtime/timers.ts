/** Fires durable timers: sends each as an event to its actor, whose step deletes it. */
import type { DueTimer } from '../../src/domain/agents/actor-step.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { ActorStore } from './actor-store.ts';
import type { ContainedLoop } from './containment.ts';
import { runEvery } from './run-every.ts';
import type { Runtime } from './runtime.ts';

/** Interval in milliseconds of the check, and the maximum delay of a timer. */
const LOOK_MS = 250;
const BATCH = 500;

/** Groups timers by name and event. */
function groupTimers(due: readonly DueTimer[]): Iterable<readonly DueTimer[]> {
  const groups = new Map<string, DueTimer[]>();
  for (const timer of due) {
    const key = `${timer.timerId} ${JSON.stringify(timer.event)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [timer]);
    else group.push(timer);
  }
  return groups.values();
}

/**
 * Starts the timers. Any number of processes may: an actor's compare-and-set lets one of them through, and that commit deletes the timer. A
 * timer whose actor refuses its event, or is gone, is dropped. One that was set anew since it was read fires at its new time.
 */
export function startTimers(deps: {
  readonly store: Pick<ActorStore, 'dueTimers' | 'dropTimer'>;
  readonly runtime: Pick<Runtime, 'deliver' | 'deliverMany'>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly contained: ContainedLoop;
  readonly onError: (error: unknown) => void;
}): { fireDue(): Promise<number>; stop(): Promise<void> } {
  const { store, runtime, clock, contained } = deps;

  async function fire({ actorId, timerId, event }: DueTimer, dueBy: EpochMs): Promise<void> {
    const firedTimer = { timerId, dueBy };
    const outcome = await runtime.deliver(actorId, event, { cause: 'timer', firedTimer });
    if (!outcome.ok && outcome.refusal.code !== 'unavailable') await store.dropTimer(actorId, firedTimer);
  }

  /**
   * Fires timers of one name and event in one transaction: when a venue fails, the breakers of all its agents are due at once. Returns
   * false if one of them makes it fail.
   */
  async function firedTogether(timers: readonly DueTimer[], dueBy: EpochMs): Promise<boolean> {
    try {
      await fireTogether(timers, dueBy);
      return true;
    } catch {
      return false;
    }
  }

  async function fireTogether(timers: readonly DueTimer[], dueBy: EpochMs): Promise<void> {
    const { timerId, event } = timers[0] as DueTimer;
    const firedTimer = { timerId, dueBy };
    const ids = timers.map(({ actorId }) => actorId);
    const outcomes = await runtime.deliverMany(ids, event, { cause: 'timer', firedTimer });
    for (const [actorId, outcome] of outcomes)
      if (!outcome.ok && outcome.refusal.code !== 'unavailable') await store.dropTimer(actorId, firedTimer);
  }

  async function fireDue(): Promise<number> {
    const now = clock.now();
    const due = await store.dueTimers(now, BATCH + contained.waiting);
    for (const alike of groupTimers(due)) {
      if (alike.length > 1 && contained.waiting === 0 && (await firedTogether(alike, now))) continue;
      await contained.each(
        alike,
        (timer) => ({ id: `${timer.actorId} ${timer.timerId}`, orgId: null }),
        (timer) => fire(timer, now),
      );
    }
    return due.length;
  }

  const looking = runEvery(clock, 'timers', LOOK_MS, fireDue, deps.onError);
  return {
    fireDue,
    stop: looking.stop,
  };
}
