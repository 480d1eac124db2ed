// Workers that are killed, hang, crash on a bad row or receive every job twice: no slot is missed or decided twice. `npm run proof` repeats
// more.
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { QueueAddress } from '../../src/adapters/queue/bullmq.ts';
import { measured } from '../harness/measured.ts';
import { testDatabase } from '../harness/postgres.ts';
import { testRedis } from '../harness/redis.ts';
import { isMet, rounds, testInProof } from '../harness/rounds.ts';
import { waitFor } from '../harness/wait-for.ts';
import { GREEN_WITHIN_MS, withWorkers } from './crash-fixture.ts';

const redisThere = (await testRedis()) !== null;
const KINDS = redisThere ? (['redis', 'postgres'] as const) : (['postgres'] as const);
const TIME_LIMIT_MS = 300_000;
/** reliability G10: time to recover. */
const RECOVERY_LIMIT_MS = 20_000;

async function place(kind: QueueAddress['kind']): Promise<{ databaseUrl: string; queue: QueueAddress }> {
  const databaseUrl = await testDatabase();
  return { databaseUrl, queue: { kind, url: kind === 'postgres' ? databaseUrl : ((await testRedis()) as string) } };
}

for (const [row, kind] of KINDS.entries()) {
  /** In the suite each fault hits one of the queues, and each queue meets some of them. */
  const inTurn = (column: number) => test.runIf(isMet(row, column, KINDS.length));

  describe.concurrent(`with the queue in ${kind}`, () => {
    inTurn(0)(
      'one of two workers is repeatedly killed during ticks: every slot is decided exactly once',
      async () => {
        await withWorkers(await place(kind), async (fixture) => {
          let workers = await Promise.all([fixture.startWorker(), fixture.startWorker()]);
          await fixture.decidedAgain();
          for (let round = 0; round < rounds({ suite: 2, proof: 5 }); round++) {
            await fixture.midTick();
            await workers[0].kill();
            const took = await fixture.decidedAgain();
            measured(`${kind}: one of two workers killed, next decisions`, took, RECOVERY_LIMIT_MS);
            workers = [workers[1], await fixture.startWorker()];
          }
          await fixture.allGreen();
        });
      },
      TIME_LIMIT_MS,
    );

    inTurn(1)(
      'the only worker is killed during a tick: the next one writes the missed slots late and continues',
      async () => {
        await withWorkers(await place(kind), async (fixture) => {
          let worker = await fixture.startWorker();
          await fixture.decidedAgain();
          for (let round = 0; round < rounds({ suite: 1, proof: 2 }); round++) {
            const lateBefore = await fixture.lateRows();
            await fixture.midTick();
            await worker.kill();
            const [killedIn, missed] = [fixture.slotNow(), 2];
            await waitFor(() => fixture.slotNow() >= killedIn + missed * fixture.periodMs, {
              what: 'two slots to pass',
              deadlineMs: 10_000,
            });
            worker = await fixture.startWorker();
            const took = await fixture.decidedAgain();
            measured(`${kind}: a worker started after the only one was killed, next decisions`, took, RECOVERY_LIMIT_MS);
            expect(await fixture.lateRows()).toBeGreaterThanOrEqual(lateBefore + fixture.agents.length);
            await fixture.allGreen();
          }
        });
      },
      TIME_LIMIT_MS,
    );

    testInProof(
      'a worker hangs during a tick: another takes it over, and the first one changes nothing when it wakes',
      async () => {
        await withWorkers({ ...(await place(kind)), periodMs: 30_000 }, async (fixture) => {
          const agentId = fixture.agents[7] as string;
          const hanging = await fixture.startWorker({ agentId, hangMs: 15_000 });
          await fixture.midTick();
          await waitFor(async () => (await fixture.sql`select 1 from tick_shards where begun_times = 1 and shard = 0`).length > 0, {
            what: 'the tick that hangs',
            deadlineMs: 5_000,
          });
          const slot = fixture.slotNow();
          const began = Date.now();
          await fixture.startWorker();
          await waitFor(
            async () => (await fixture.sql`select 1 from decisions where slot = ${slot} and agent_id = ${agentId}`).length > 0,
            {
              what: 'the tick that was taken over',
              deadlineMs: RECOVERY_LIMIT_MS,
            },
          );
          measured(`${kind}: a tick taken over from a worker that hangs`, Date.now() - began);
          expect(hanging.ended()).toBeNull();
          await fixture.allGreen();
          expect(await fixture.sql`select 1 from decisions where slot = ${slot} and reason is distinct from 'late_tick'`).toHaveLength(
            fixture.agents.length,
          );
        });
      },
      TIME_LIMIT_MS,
    );

    inTurn(3)(
      'an agent whose tick kills the process is paused after three deaths; the others continue',
      async () => {
        await withWorkers(await place(kind), async (fixture) => {
          const poison = fixture.agents[4] as string;
          const poisonOff = async () =>
            (await fixture.sql`select 1 from agents where id = ${poison} and pause_cause = 'tick_crash'`).length > 0;
          let deaths = 0;
          for (let worker = await fixture.startWorker({ agentId: poison }); ; worker = await fixture.startWorker({ agentId: poison })) {
            await waitFor(async () => worker.ended() !== null || (await poisonOff()), {
              what: 'a death, or the end of deaths',
              deadlineMs: GREEN_WITHIN_MS,
            });
            if (worker.ended() === null) break;
            deaths++;
            expect(deaths).toBeLessThan(6);
          }
          expect(deaths).toBe(3);
          await fixture.allGreen([poison]);
          // One slot, or also the next one if it began before the pause was known.
          const crashed = await fixture.sql`select disposition, reason from decisions where agent_id = ${poison} and reason <> 'late_tick'`;
          expect(new Set(crashed.map(({ disposition, reason }) => `${disposition} ${reason}`))).toEqual(
            new Set(['blocked_by_risk tick_crash']),
          );
          expect((await fixture.sql`select kind from incidents where actor_id = ${poison}`).map((row) => row['kind'])).toEqual([
            'tick_crash',
          ]);
        });
      },
      TIME_LIMIT_MS,
    );
  });
}

test.skipIf(!redisThere).concurrent(
  'the same tick is delivered ten times to two workers: nothing is decided twice, and no agent is suspected',
  async () => {
    const { databaseUrl, queue } = await place('redis');
    await withWorkers({ databaseUrl, queue }, async (fixture) => {
      await Promise.all([fixture.startWorker(), fixture.startWorker()]);
      await fixture.decidedAgain();
      const connection = new Redis(queue.url, { protocol: 2, maxRetriesPerRequest: null } as never);
      const line = new Queue('sevengate-ticks', { connection: connection as never });
      try {
        for (let round = 0; round < rounds({ suite: 2, proof: 4 }); round++) {
          const slot = fixture.slotNow() + fixture.periodMs;
          await waitFor(async () => (await fixture.sql`select 1 from cuts where slot = ${slot}`).length > 0, { what: 'the next cut' });
          await line.addBulk(
            Array.from({ length: 20 }, (_, i) => ({
              name: 'tick',
              data: { periodMs: fixture.periodMs, shard: i % 2, slot },
              opts: { jobId: `again-${slot}-${i}`, removeOnComplete: true, removeOnFail: true },
            })),
          );
          await waitFor(async () => Object.values(await line.getJobCounts()).every((count) => count === 0), {
            what: 'an empty queue',
            deadlineMs: 15_000,
          });
        }
      } finally {
        await line.close();
        connection.disconnect();
      }
      await fixture.allGreen();
    });
  },
  TIME_LIMIT_MS,
);
