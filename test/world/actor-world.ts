/** Actors of every kind on a real PostgreSQL, composed by the product's own functions. A test moves the clock and triggers the work. */
import { type ActivityWorker, startActivities } from '../../actors/runtime/activities.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import { startTimers } from '../../actors/runtime/timers.ts';
import { createTurns, type ShardTicker } from '../../actors/ticking/shard-ticker.ts';
import type { TradingTickStore } from '../../actors/ticking/trading-decisions.ts';
import { createActorStore } from '../../src/adapters/store/actors/actor-store.ts';
import { writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { createDispatchStore } from '../../src/adapters/store/agents/dispatch-store.ts';
import { createTickStore } from '../../src/adapters/store/agents/tick-store.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createProposalStore } from '../../src/adapters/store/orders/proposal-store.ts';
import type { WorkerDeps, WorkerTrading } from '../../src/boot/capabilities/capability.ts';
import { createActivityWorkers, createTickers } from '../../src/boot/capabilities/index.ts';
import { openActors } from '../../src/boot/roles/worker.ts';
import type { Cut } from '../../src/domain/market/cut.ts';
import { uuidV7 } from '../../src/domain/values/ids.ts';
import { AGENT_TICK_MS, type EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { borrowDatabase } from '../harness/reused-database.ts';
import { eachRow } from '../../actors/runtime/containment.ts';

/** Creates ids that count on from a moment, so that every run of a test creates the same ones. */
export function countedIds(at: EpochMs): { readonly newId: () => string; readonly count: () => number } {
  let made = 0;
  const count = (): number => ++made;
  return { count, newId: () => uuidV7(at, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, count() >> 8, made & 255)) };
}

type Workers = Readonly<Record<string, ActivityWorker>>;

/** Replacements for parts of a ticker. */
export interface TickerChanges {
  /** Replaces parts of the store of ticks, to inject faults. */
  readonly store?: Partial<TradingTickStore>;
  readonly trading?: Partial<WorkerTrading>;
}

type Store = ReturnType<typeof createActorStore>;

/**
 * Creates actors of every kind on a test's connections. By default ids count on from the clock's present. `own`
 * wraps the database for all of them, to inject faults.
 */
export function actorsOn(sql: Sql, clock: Clock, newId: () => string = countedIds(clock.now()).newId, own?: (store: Store) => Store) {
  const plain = createActorStore(sql);
  const store = own?.(plain) ?? plain;
  const tickStore = createTickStore(sql, store.incident);
  const { runtime, commands } = openActors(sql, clock, newId, own === undefined ? undefined : store);
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  // No timers: due work is looked for on request.
  const idle = { now: () => clock.now(), deadline: () => () => {} };
  const { leaseIsHeld } = createProposalStore(sql);
  const timersOf = (of: Runtime) => startTimers({ contained: eachRow(onError), store, runtime: of, clock: idle, onError });
  const timers = timersOf(runtime);
  const depsOf = (trading: Partial<WorkerTrading> | null, by: Runtime = runtime): WorkerDeps => ({
    sql,
    store,
    runtime: by,
    clock,
    leaseIsHeld,
    trading: trading as WorkerTrading | null,
    containment: () => eachRow(onError),
    onError: () => onError,
  });
  function ticker({ store: changed = {}, trading }: TickerChanges = {}): ShardTicker {
    const now = async () => clock.now();
    const changedStore = { ...tickStore, ...changed };
    const byPeriod = createTickers({ ...depsOf(trading ?? null), now, alone: createTurns(), tickStore: changedStore, periodsMs: {} });
    return {
      async tick(periodMs, shard, slot) {
        const one = byPeriod.get(periodMs);
        if (one === undefined) throw new Error(`no kind of actor is ticked every ${periodMs} ms`);
        return one.tick(periodMs, shard, slot);
      },
    };
  }
  return {
    store,
    tickStore,
    runtime,
    /** Commands on agents. */
    commands,
    errors,
    onError,
    timers,
    /** Creates timers for a runtime, for example one that dies. */
    timersOf,
    newId,

    /** Creates the activity workers of all kinds, as in a worker process. `own` may be a runtime that dies. */
    workersOf: (trading: Partial<WorkerTrading>, own: Runtime = runtime): Workers => createActivityWorkers(depsOf(trading, own)),

    carrying: (workers: Workers, own: Runtime = runtime) =>
      startActivities({ contained: eachRow(onError), store, runtime: own, workers, clock: idle, onError }),

    /** Runs due work and timers until nothing is due. */
    async settle(activities: { carryDue(): Promise<number> }): Promise<void> {
      for (let still = 0; still < 2; ) still = (await activities.carryDue()) + (await timers.fireDue()) === 0 ? still + 1 : 0;
    },

    /** Creates the tickers of a new worker without memory. */
    ticker,

    /** Writes the cut of a slot and ticks every shard that owes it. `feed` are connections that sign like the feed. */
    async tick(cut: Cut, worker: ShardTicker = ticker(), feed: Sql = sql): Promise<void> {
      await writeCut(feed, cut, 'streams');
      for (const { shard } of await createDispatchStore(sql).dueShards(AGENT_TICK_MS, cut.slot))
        await worker.tick(AGENT_TICK_MS, shard, cut.slot);
    },
  };
}

export interface ActorWorldOptions {
  readonly clock: Clock;
  /** Time in the first id; later ids count on from it. */
  readonly at: EpochMs;
  /** Initial organizations, by id. */
  readonly organizations: Readonly<Record<string, string>>;
  /** Existing database. Default: a new one. */
  readonly databaseUrl?: string | undefined;
  readonly connections?: number;
}

/** Creates actors of every kind on a database of their own. */
export async function actorWorld({ clock, at, organizations, databaseUrl, connections = 4 }: ActorWorldOptions) {
  const { url, sql, giveBack } = databaseUrl === undefined ? await borrowDatabase({ connections }) : openedAt(databaseUrl, connections);
  for (const [id, called] of Object.entries(organizations))
    await sql`insert into organizations (id, name) values (${id}, ${called}) on conflict do nothing`;
  const { newId, count } = countedIds(at);
  const actors = actorsOn(sql, clock, newId);
  return {
    ...actors,
    url,
    sql,
    clock,
    /** Returns a number that was not used before. */
    count,

    async close(): Promise<void> {
      await actors.timers.stop();
      await giveBack();
    },
  };
}

function openedAt(url: string, connections: number) {
  const sql = openDatabase({ url, name: 'actors of a test', connections });
  return { url, sql, giveBack: () => sql.end({ timeout: 1 }) };
}
