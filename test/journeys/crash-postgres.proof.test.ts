// PostgreSQL crashes and recovers, or drops all connections: no committed data is lost, and no slot is missed. `npm run proof` repeats
// more.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { QueueAddress } from '../../src/adapters/queue/bullmq.ts';
import { processStartedAt } from '../../src/adapters/process/server-process.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/adapters/store/embedded-postgres.ts';
import { measured } from '../harness/measured.ts';
import { testDatabase, withCluster } from '../harness/postgres.ts';
import { testRedis } from '../harness/redis.ts';
import { isMet, rounds } from '../harness/rounds.ts';
import { waitFor } from '../harness/wait-for.ts';
import { withWorkers } from './crash-fixture.ts';

const redisThere = (await testRedis()) !== null;
const KINDS = redisThere ? (['redis', 'postgres'] as const) : (['postgres'] as const);
const TIME_LIMIT_MS = 300_000;
/** reliability G10: time to the first change after the server accepts connections again. */
const FIRST_CHANGE_LIMIT_MS = 5_000;
const NEXT_DECISIONS_LIMIT_MS = 20_000;
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Starts a cluster of this test's own behind an address that stays the same, though each start takes another port. */
async function crashingPostgres() {
  const home = mkdtempSync(join(tmpdir(), 'crash-postgres-'));
  chmodSync(home, 0o711);
  ends.push(() => rmSync(home, { recursive: true, force: true }));
  await withCluster(home);
  const start = (): Promise<EmbeddedPostgres> => startEmbeddedPostgres({ home, log: () => {} });
  let server = await start();
  ends.push(() => server.stop());
  const sockets = new Set<net.Socket>();
  const client = net.createServer((from) => {
    const to = net.connect({ host: '127.0.0.1', port: Number(new URL(server.url).port), noDelay: true });
    from.setNoDelay(true);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((listening) => client.listen(0, '127.0.0.1', listening));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    client.close();
  });
  const url = new URL(server.url);
  url.port = String((client.address() as net.AddressInfo).port);
  return {
    url: url.href,
    async crash(signal: NodeJS.Signals) {
      const { pid } = server;
      process.kill(pid, signal);
      await waitFor(() => processStartedAt(pid) === null, { what: 'the database to be gone', deadlineMs: 10_000 });
    },
    async startAgain() {
      server = await start();
      expect(server.adopted).toBe(false);
    },
  };
}

for (const [row, kind] of KINDS.entries()) {
  /** In the suite each fault hits one of the queues, and each queue meets some of them. */
  const inTurn = (column: number) => test.runIf(isMet(row, column, KINDS.length));

  describe.concurrent(`PostgreSQL, with the queue in ${kind}`, () => {
    const queueAt = async (databaseUrl: string): Promise<QueueAddress> => ({
      kind,
      url: kind === 'postgres' ? databaseUrl : ((await testRedis()) as string),
    });

    inTurn(0)(
      'stops in the middle of a tick and starts again: acknowledged data is there, and ticks continue',
      async () => {
        const database = await crashingPostgres();
        await withWorkers({ databaseUrl: database.url, queue: await queueAt(database.url) }, async (fixture) => {
          await Promise.all([fixture.startWorker(), fixture.startWorker()]);
          await fixture.decidedAgain();
          const agentId = fixture.agents[3] as string;
          for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
            await fixture.allGreen();
            await fixture.midTick();
            await database.crash(signal);
            await database.startAgain();
            const accepts = Date.now();
            const outcome = await fixture.commands.setAutonomy(fixture.context, agentId, signal === 'SIGQUIT' ? 'suggest' : 'research');
            measured(`${kind}: PostgreSQL back after ${signal}, first change`, Date.now() - accepts, FIRST_CHANGE_LIMIT_MS);
            expect(outcome.ok).toBe(true);
            const took = await fixture.decidedAgain();
            measured(`${kind}: PostgreSQL back after ${signal}, next decisions`, took, NEXT_DECISIONS_LIMIT_MS);
            await fixture.allGreen();
          }
        });
      },
      TIME_LIMIT_MS,
    );

    inTurn(1)(
      'ends all worker connections during ticks, repeatedly: the workers recover by themselves',
      async () => {
        const databaseUrl = await testDatabase();
        const admin = openDatabase({ url: databaseUrl, connections: 1, role: null, name: 'sevengate crash test admin' });
        try {
          await withWorkers({ databaseUrl, queue: await queueAt(databaseUrl) }, async (fixture) => {
            await Promise.all([fixture.startWorker(), fixture.startWorker()]);
            await fixture.decidedAgain();
            for (let round = 0; round < rounds({ suite: 2, proof: 6 }); round++) {
              await fixture.midTick();
              const ended = await admin`select pg_terminate_backend(pid) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid() and application_name not like 'sevengate crash test%'`;
              expect(ended.length).toBeGreaterThan(1);
              const took = await fixture.decidedAgain();
              measured(`${kind}: every connection ended, next decisions`, took, NEXT_DECISIONS_LIMIT_MS);
            }
            await fixture.allGreen();
          });
        } finally {
          await admin.end();
        }
      },
      TIME_LIMIT_MS,
    );
  });
}
