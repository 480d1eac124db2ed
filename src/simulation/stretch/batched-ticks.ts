/**
 * Tick store that commits decisions of many slots together, for a process that is alone on its database and runs through slots faster
 * than single commits allow. Effects of a tick are committed at once, after everything before them. Reads are cached until something may
 * have changed.
 */
import type { ShardProgress, TickCommit, TickDuty, TickStore } from '../../../actors/ticking/tick-store.ts';
import type { Cut } from '../../domain/market/cut.ts';
import type { EpochMs } from '../../domain/values/time.ts';

const toKey = (periodMs: number, shard: number): string => `${periodMs}:${shard}`;

interface BatchDeps {
  readonly cut: (slot: EpochMs) => Cut | null;
  /** Runs before each commit, to store what the rows depend on. */
  readonly before: () => Promise<void>;
  /** Runs after a commit with effects. */
  readonly traded: () => void;
}

export function createBatchedTicks<Duty extends TickDuty>(store: TickStore<Duty>, deps: BatchDeps) {
  const waiting = new Map<string, TickCommit>();
  const ticked = new Map<string, EpochMs>();
  const known = new Map<string, Promise<unknown>>();
  const line = createCommitLine(store, deps.before);
  const once = <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    if (!known.has(key)) known.set(key, read());
    return known.get(key) as Promise<Value>;
  };

  function keep(): Promise<void> {
    const ticks = [...waiting.values()];
    waiting.clear();
    return line.keep(ticks);
  }

  return {
    /** Commits all waiting ticks and everything that they depend on. @throws the error of an earlier commit that `keepOn` started */
    flush: keep,
    /** Starts committing while further slots are ticked. */
    keepOn() {
      keep().catch(() => {});
    },
    /** Discards cached reads after another change of actors or books. */
    forget: () => known.clear(),
    store: {
      ...store,
      async begin(periodMs, shard, slot): Promise<ShardProgress | null> {
        const lastSlot = ticked.get(toKey(periodMs, shard));
        if (lastSlot === undefined) return store.begin(periodMs, shard, slot);
        return lastSlot >= slot ? null : { lastSlot, begunTimes: 1, suspect: null, suspectTimes: 0 };
      },
      agents: (periodMs, shard) => once(`agents ${periodMs} ${shard}`, () => store.agents(periodMs, shard)),
      books: (ids) => once(`books ${ids.join()}`, () => store.books(ids)),
      cut: async (slot) => deps.cut(slot),
      // Incidents are signed like their effects, so they wait until time does not move.
      incident: (incident) => line.settled().then(() => store.incident(incident)),
      markPoisoned: (agentId, slot) => line.settled().then(() => store.markPoisoned(agentId, slot)),
      clearCrashes: (ids) => line.settled().then(() => store.clearCrashes(ids)),

      async commit(tick) {
        const key = toKey(tick.periodMs, tick.shard);
        const before = waiting.get(key);
        const whole = before === undefined ? tick : { ...tick, lastSlot: before.lastSlot, rows: [...before.rows, ...tick.rows] };
        ticked.set(key, tick.slot);
        if (tick.trades === undefined && tick.decided) {
          waiting.set(key, whole);
          return true;
        }
        await line.settled();
        await line.write(whole);
        waiting.delete(key);
        known.clear();
        deps.traded();
        return true;
      },
    } satisfies TickStore<Duty>,
  };
}

/** Commits ticks one after the other. After a failure all following ones fail too. */
function createCommitLine<Duty extends TickDuty>(store: Pick<TickStore<Duty>, 'commit'>, before: () => Promise<void>) {
  let keeping: Promise<void> = Promise.resolve();
  /** Writes a tick. @throws Error if another process has advanced the shard, and the store's errors */
  async function write(tick: TickCommit): Promise<void> {
    await before();
    if (!(await store.commit(tick))) throw new Error(`another process ticks shard ${tick.shard} of ${tick.periodMs} ms`);
  }
  return {
    write,
    settled: () => keeping,
    keep(ticks: readonly TickCommit[]): Promise<void> {
      keeping = keeping.then(async () => {
        await before();
        for (const tick of ticks) await write(tick);
      });
      return keeping;
    },
  };
}
