/** Finds the slots that are due, by the time of record, and queues a tick of every shard behind them. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import { startOfSlot } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { ContainedLoop } from './containment.ts';
import { runEvery } from './run-every.ts';

/** Maximum wait for a slot's cut, after which the slot is ticked without one. */
const CUT_WAIT_MS = 8_000;
/** Interval of the dispatcher while nothing is due. */
const LOOK_MS = 1_000;
/** Time in milliseconds after which the duty of a silent process goes to another. */
const LEASE_MS = 5_000;
/** Remaining share of the lease below which it is renewed, at about every other look. */
const RENEWED_BELOW = 0.75;

interface DispatchStore {
  now(): Promise<EpochMs>;
  cutExists(slot: EpochMs): Promise<boolean>;
  writeSilence(slot: EpochMs): Promise<boolean>;
  dueShards(periodMs: number, slot: EpochMs): Promise<readonly { readonly periodMs: number; readonly shard: number }[]>;
  hold(duty: string, holder: string, forMs: number, renewedBelow: number): Promise<boolean>;
  release(duty: string, holder: string): Promise<void>;
}

interface Dispatcher {
  /** Looks once. Returns the number of jobs added. */
  look(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts the dispatcher. One process at a time is on duty. If two are, the second's jobs change nothing. A shard that stays behind gets its
 * job again at every look. The queue drops jobs it still has, and a job it lost is back within a second.
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

  /** Last slot of each period that all shards have ticked. */
  const ticked = new Map<number, EpochMs>();

  /** Adds the jobs of one period. Returns their number. */
  async function addDue(now: EpochMs, periodMs: number): Promise<number> {
    const slot = startOfSlot(now, periodMs);
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
