/** Actors of every kind on a real PostgreSQL, composed by the product's own functions; a test moves the clock and says when work is done. */
import { type ActivityWorker, startActivities } from '../../actors/runtime/activities.ts';
import { createDirectory } from '../../actors/runtime/directory.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import { startTimers } from '../../actors/runtime/timers.ts';
import { createActorStore } from '../../src/adapters/store/actors/actor-store.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { createProposalStore } from '../../src/adapters/store/orders/proposal-store.ts';
import type { WorkerTrading } from '../../src/boot/capabilities/capability.ts';
import { ACTOR_KINDS, activityWorkersOf } from '../../src/boot/capabilities/index.ts';
import { openActors } from '../../src/boot/roles/worker.ts';
import { uuidV7 } from '../../src/domain/ids.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { Clock } from '../../streams/clock.ts';
import { testDatabase } from '../harness/postgres.ts';

export interface ActorWorldOptions {
  /** Names the connections. */
  readonly name: string;
  readonly clock: Clock;
  /** Ids are of this moment, and count on from it. */
  readonly at: EpochMs;
  /** Organizations that are there from the beginning, by id. */
  readonly organizations: Readonly<Record<string, string>>;
  /** A database that is there already; one of its own unless told. */
  readonly databaseUrl?: string | undefined;
  readonly connections?: number;
}

type Workers = Readonly<Record<string, ActivityWorker>>;

export async function actorWorld({ name, clock, at, organizations, databaseUrl, connections = 4 }: ActorWorldOptions) {
  const url = databaseUrl ?? (await testDatabase());
  const sql = openDatabase({ url, name, connections });
  for (const [id, called] of Object.entries(organizations))
    await sql`insert into organizations (id, name) values (${id}, ${called}) on conflict do nothing`;
  const store = createActorStore(sql);
  let made = 0;
  const count = (): number => ++made;
  const newId = (): string => uuidV7(at, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, count() >> 8, made & 255));
  const { runtime, commands } = openActors(sql, clock, newId);
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  // What is due is looked for when asked: a world is not a daemon.
  const idle = { now: () => clock.now(), deadline: () => () => {} };
  const { leaseIsHeld } = createProposalStore(sql);
  const timers = startTimers({ store, runtime, clock: idle, onError });
  return {
    url,
    sql,
    clock,
    store,
    runtime,
    /** Every kind of actor of the product. */
    directory: createDirectory(ACTOR_KINDS),
    /** Commands on agents. */
    commands,
    errors,
    onError,
    timers,
    newId,
    /** A number that was not counted before. */
    count,

    /** The activity workers of all kinds with these means, as a worker process has them; `own` is a runtime that dies, for example. */
    workersOf: (trading: Partial<WorkerTrading>, own: Runtime = runtime): Workers =>
      activityWorkersOf({ sql, store, runtime: own, clock, leaseIsHeld, trading: trading as WorkerTrading, onError: () => onError }),

    carrying: (workers: Workers, own: Runtime = runtime) => startActivities({ store, runtime: own, workers, clock: idle, onError }),

    /** Carries and fires until nothing is due. */
    async settle(activities: { carryDue(): Promise<number> }): Promise<void> {
      for (let still = 0; still < 2; ) still = (await activities.carryDue()) + (await timers.fireDue()) === 0 ? still + 1 : 0;
    },

    async close(): Promise<void> {
      await timers.stop();
      await sql.end({ timeout: 1 });
    },
  };
}
