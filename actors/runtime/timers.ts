/** Fires durable timers: sends each as an event to its actor, whose step deletes it. */
import type { DueTimer } from '../../src/domain/agents/actor-step.ts';
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
 * timer whose actor refuses its event, or is gone, is dropped.
 */
export function startTimers(deps: {
  readonly store: Pick<ActorStore, 'dueTimers' | 'dropTimer'>;
  readonly runtime: Pick<Runtime, 'deliver' | 'deliverMany'>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly contained: ContainedLoop;
  readonly onError: (error: unknown) => void;
}): { fireDue(): Promise<number>; stop(): Promise<void> } {
  const { store, runtime, clock, contained } = deps;

  async function fire(timer: DueTimer): Promise<void> {
    const outcome = await runtime.deliver(timer.actorId, timer.event, { cause: 'timer', firedTimer: timer.timerId });
    if (!outcome.ok && outcome.refusal.code !== 'unavailable') await store.dropTimer(timer.actorId, timer.timerId);
  }

  /**
   * Fires timers of one name and event in one transaction: when a venue fails, the breakers of all its agents are due at once. Returns
   * false if one of them makes it fail.
   */
  async function firedTogether(timers: readonly DueTimer[]): Promise<boolean> {
    try {
      await fireTogether(timers);
      return true;
    } catch {
      return false;
    }
  }

  async function fireTogether(timers: readonly DueTimer[]): Promise<void> {
    const { timerId, event } = timers[0] as DueTimer;
    const ids = timers.map(({ actorId }) => actorId);
    const outcomes = await runtime.deliverMany(ids, event, { cause: 'timer', firedTimer: timerId });
    for (const [actorId, outcome] of outcomes)
      if (!outcome.ok && outcome.refusal.code !== 'unavailable') await store.dropTimer(actorId, timerId);
  }

  async function fireDue(): Promise<number> {
    const due = await store.dueTimers(clock.now(), BATCH + contained.waiting);
    for (const alike of groupTimers(due)) {
      if (alike.length > 1 && contained.waiting === 0 && (await firedTogether(alike))) continue;
      await contained.each(alike, (timer) => ({ id: `${timer.actorId} ${timer.timerId}`, orgId: null }), fire);
    }
    return due.length;
  }

  const looking = runEvery(clock, 'timers', LOOK_MS, fireDue, deps.onError);
  return {
    fireDue,
    stop: looking.stop,
  };
}
