// Recurring work is planned by BullMQ's job schedulers, done once per slot by any worker, and recovered if the queue loses it.
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startRecurring } from '../../../actors/runtime/recurring.ts';
import type { QueueAddress } from '../../../src/adapters/queue/bullmq.ts';
import { openWorkPlan } from '../../../src/adapters/queue/work-plan.ts';
import { createRecurringStore } from '../../../src/adapters/store/actors/recurring-store.ts';
import { openDatabase } from '../../../src/adapters/store/database.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { testRedis } from '../../harness/redis.ts';
import { waitFor } from '../../harness/wait-for.ts';

const clock = createLiveClock();
const EVERY_MS = 500;

/** Creates two workers on one database and one queue. Every run is recorded with its slot. */
async function twoWorkers(place: QueueAddress, overdueMs: number, fail: () => boolean = () => false) {
  const sql = openDatabase({ url: await testDatabase(), name: 'test' });
  const ran: number[] = [];
  const errors: string[] = [];
  const plans = [0, 1].map(() => openWorkPlan(place, () => {}));
  const parts = plans.map((plan, index) =>
    startRecurring({
      works: [
        {
          what: 'checkpoints',
          everyMs: EVERY_MS,
          run: async () => {
            if (fail()) throw new Error('not this time');
            ran.push(Math.floor(clock.now() / EVERY_MS));
          },
        },
      ],
      plan,
      store: createRecurringStore(sql),
      clock,
      holder: `worker ${index}`,
      overdueMs,
      onError: (what) => (error) => errors.push(`${what}: ${(error as Error).message}`),
    }),
  );
  return {
    sql,
    ran,
    errors,
    parts,
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await Promise.all(plans.map((plan) => plan.close()));
      await sql.end();
    },
  };
}

const redisUrl = await testRedis();

test.skipIf(redisUrl === null)('the queue has work done once per slot by two workers, and continues after losing everything', async () => {
  const url = redisUrl as string;
  // The fallback is so slow that these runs come from the queue alone.
  const workers = await twoWorkers({ kind: 'redis', url }, 3_600_000);
  try {
    await workers.parts[0]?.look();
    await waitFor(async () => workers.ran.length >= 4, { what: 'four planned runs' });
    const [row] = await workers.sql<{ done_slot: number; failure: string | null }[]>`select done_slot, failure from recurring_work`;
    expect(row?.failure).toBe(null);
    expect((row?.done_slot ?? 1) % EVERY_MS).toBe(0);
    // One claim per slot: never more runs than slots have passed.
    const first = workers.ran[0] as number;
    expect(workers.ran.length).toBeLessThanOrEqual((workers.ran.at(-1) as number) - first + 2);
  } finally {
    await workers.stop();
  }
  const patient = await twoWorkers({ kind: 'redis', url }, EVERY_MS);
  try {
    const redis = new Redis(url);
    await patient.parts[0]?.look();
    await redis.flushall();
    redis.disconnect();
    const before = patient.ran.length;
    await waitFor(async () => patient.ran.length >= before + 3, { what: 'runs that PostgreSQL found overdue' });
  } finally {
    await patient.stop();
  }
});

test('without a queue work is found overdue; a failed run is reported, recorded, and repeated', async () => {
  let failures = 2;
  const workers = await twoWorkers({ kind: 'redis', url: 'redis://127.0.0.1:9' }, EVERY_MS, () => failures-- > 0);
  try {
    await waitFor(async () => workers.ran.length >= 2, { what: 'runs without a queue' });
    expect(workers.errors.filter((error) => error === 'checkpoints: not this time')).toHaveLength(2);
  } finally {
    await workers.stop();
  }
});

test('work of a live worker is not started by another; once the worker is silent, it may be', async () => {
  const sql = openDatabase({ url: await testDatabase(), name: 'test' });
  try {
    const store = createRecurringStore(sql);
    const over = -1;
    expect(await store.claim('long', 60_000, 'first', over)).toBe(true);
    await store.renew('long', 'first', 3_600_000);
    expect(await store.claim('long', 60_000, 'second', 3_600_000)).toBe(false);
    // A worker without the lease cannot renew it.
    await store.renew('long', 'first', over);
    await store.renew('long', 'second', 3_600_000);
    expect(await store.claim('long', 60_000, 'second', 3_600_000)).toBe(true);
    await store.renew('long', 'first', over);
    expect(await store.claim('long', 60_000, 'first', 3_600_000)).toBe(false);
  } finally {
    await sql.end();
  }
});
