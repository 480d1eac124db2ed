/** Finds the slots that are due, by the time of record, and has every shard behind them ticked. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import { slotOf } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock.ts';
import type { ContainedLoop } from './containment.ts';
import { runEvery } from './run-every.ts';

/** Maximum wait for a slot's cut, after which the slot is ticked without one. */
export const CUT_WAIT_MS = 8_000;
/** Interval of the dispatcher while nothing is due. */
const LOOK_MS = 1_000;
/** A duty that is not renewed for so long goes to another process. */
const LEASE_MS = 5_000;
/** It is renewed once less than this share of that is left, at every other look or so. */
const RENEWED_BELOW = 0.75;

export interface DispatchStore {
  now(): Promise<EpochMs>;
  cutExists(slot: EpochMs): Promise<boolean>;
  writeSilence(slot: EpochMs): Promise<boolean>;
  dueShards(periodMs: number, slot: EpochMs): Promise<readonly { readonly periodMs: number; readonly shard: number }[]>;
  hold(duty: string, holder: string, forMs: number, renewedBelow: number): Promise<boolean>;
  release(duty: string, holder: string): Promise<void>;
}

export interface Dispatcher {
  /** Looks once; answers how many jobs it added. */
  look(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts looking. One dispatcher of all processes is on duty at a time; should two be, the second's jobs change nothing.
 * A shard that stays behind gets its job added again at every look: the queue drops what it still has, and a job that
 * the queue lost is back within a second.
 */
export function startDispatcher(deps: {
  readonly store: DispatchStore;
  readonly enqueue: (jobs: readonly { readonly periodMs: number; readonly shard: number; readonly slot: EpochMs }[]) => Promise<void>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly periodsMs: readonly number[];
  readonly holder: string;
  readonly contained: ContainedLoop;
  readonly onError: (error: unknown) => void;
}): Dispatcher {
  const { store, clock } = deps;

  /** The last slot of each period that no shard was behind any more. */
  const ticked = new Map<number, EpochMs>();

  /** Adds the jobs of one period; answers how many. */
  async function addDue(now: EpochMs, periodMs: number): Promise<number> {
    const slot = slotOf(now, periodMs);
    if (ticked.get(periodMs) === slot) return 0;
    if (!(await store.cutExists(slot))) {
      if (now < slot + CUT_WAIT_MS) return 0;
      await store.writeSilence(slot);
    }
    const jobs = (await store.dueShards(periodMs, slot)).map((due) => ({ periodMs: due.periodMs, shard: due.shard, slot }));
    await deps.enqueue(jobs);
    if (jobs.length === 0) ticked.set(periodMs, slot);
    return jobs.length;
  }

  async function look(): Promise<number> {
    if (!(await store.hold('dispatcher', deps.holder, LEASE_MS, RENEWED_BELOW))) return 0;
    const now = await store.now();
    let added = 0;
    await deps.contained.each(
      deps.periodsMs,
      (periodMs) => ({ id: `${periodMs} ms`, orgId: null }),
      async (periodMs) => {
        added += await addDue(now, periodMs);
      },
    );
    return added;
  }

  const looking = runEvery(clock, 'dispatcher', LOOK_MS, look, deps.onError);
  return {
    look,
    async stop() {
      await looking.stop();
      await store.release('dispatcher', deps.holder).catch(deps.onError);
    },
  };
}
