/**
 * A tick store that commits decisions of many slots together, as late slots are: for a process that is alone on its database and
 * lives through slots faster than one commit each would let it. What a tick leads to is committed with it at once, after
 * everything before it; what the ticks read is read anew once something may have changed it.
 */
import type { ShardProgress, TickCommit, TickDuty, TickStore } from '../../../actors/ticking/tick-store.ts';
import type { Cut } from '../../domain/cut.ts';
import type { EpochMs } from '../../domain/time.ts';

export interface BatchedTicks<Duty extends TickDuty> {
  readonly store: TickStore<Duty>;
  /** Commits what waits, and everything that it rests on. */
  flush(): Promise<void>;
  /** Something besides ticks has changed what they read: actors or books. */
  forget(): void;
}

const keyOf = (periodMs: number, shard: number): string => `${periodMs}:${shard}`;

export function createBatchedTicks<Duty extends TickDuty>(
  store: TickStore<Duty>,
  deps: {
    /** The cut of a slot. */
    readonly cut: (slot: EpochMs) => Cut | null;
    /** Called before each commit: what the rows rest on is kept first. */
    readonly before: () => Promise<void>;
    /** Called after a commit that led to something. */
    readonly traded: () => void;
  },
): BatchedTicks<Duty> {
  const waiting = new Map<string, TickCommit>();
  const ticked = new Map<string, EpochMs>();
  const known = new Map<string, Promise<unknown>>();
  const once = <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    if (!known.has(key)) known.set(key, read());
    return known.get(key) as Promise<Value>;
  };

  /** @throws Error if another process has moved the shard, and what the store throws. */
  async function write(tick: TickCommit): Promise<void> {
    await deps.before();
    if (!(await store.commit(tick))) throw new Error(`another process ticks shard ${tick.shard} of ${tick.periodMs} ms`);
    waiting.delete(keyOf(tick.periodMs, tick.shard));
  }

  return {
    async flush() {
      await deps.before();
      for (const tick of waiting.values()) await write(tick);
    },
    forget: () => known.clear(),
    store: {
      ...store,
      async begin(periodMs, shard, slot): Promise<ShardProgress | null> {
        const lastSlot = ticked.get(keyOf(periodMs, shard));
        if (lastSlot === undefined) return store.begin(periodMs, shard, slot);
        return lastSlot >= slot ? null : { lastSlot, begunTimes: 1, suspect: null, suspectTimes: 0 };
      },
      agents: (periodMs, shard) => once(`agents ${periodMs} ${shard}`, () => store.agents(periodMs, shard)),
      books: (ids) => once(`books ${ids.join()}`, () => store.books(ids)),
      cut: async (slot) => deps.cut(slot),

      async commit(tick) {
        const key = keyOf(tick.periodMs, tick.shard);
        const before = waiting.get(key);
        const whole = before === undefined ? tick : { ...tick, lastSlot: before.lastSlot, rows: [...before.rows, ...tick.rows] };
        ticked.set(key, tick.slot);
        if (tick.trades === undefined && tick.decided) {
          waiting.set(key, whole);
          return true;
        }
        await write(whole);
        known.clear();
        deps.traded();
        return true;
      },
    },
  };
}
