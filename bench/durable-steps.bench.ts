/**
 * Durable steps compared with those of other libraries on the same PostgreSQL: a signed step of an actor, a step of a plain DBOS
 * workflow, and a job of pg-boss and graphile-worker from enqueueing to completion.
 */
import { createDirectory } from '../actors/runtime/directory.ts';
import { createRuntime } from '../actors/runtime/runtime.ts';
import { openWriterKeys } from '../src/adapters/signing-keys/writer-keys.ts';
import { createActorStore } from '../src/adapters/store/actors/actor-store.ts';
import { shareCommits } from '../src/adapters/store/actors/shared-commits.ts';
import { openDatabase } from '../src/adapters/store/database.ts';
import { migrate } from '../src/adapters/store/migrate.ts';
import { registerWriters } from '../src/adapters/store/trail/writer-registry.ts';
import { createVirtualClock } from '../streams/clock/virtual-clock.ts';
import { lampKind } from '../test/actors/runtime/lamp.ts';
import { withDatabase } from './database.ts';
import { bench, type Contender } from './harness.ts';
import { dbos, graphileWorker, peerVersion, pgBoss, pgPool } from './peers.ts';
import { costWithServer } from './server-cost.ts';

/** Concurrent workflows or actors. */
const AT_ONCE = 16;
/** Steps of each of them. */
const STEPS = 10;
const ORG = '00000000-0000-7000-8000-000000000001';
const OPERATIONS = AT_ONCE * STEPS;

await withDatabase(async ({ home, server, ends }) => {
  const keys = openWriterKeys(home, ['worker']);
  await migrate(server.url);
  const owner = openDatabase({ url: server.url, role: null, name: 'bench owner', connections: 1 });
  ends.push(() => owner.end());
  await owner`insert into organizations (id, name) values (${ORG}, 'steps')`;
  await owner`create database peers`;
  await registerWriters(server.url, [keys.worker]);
  const sql = openDatabase({ url: server.url, name: 'bench', connections: 8, writer: keys.worker });
  ends.push(() => sql.end());
  const peers = new URL(server.url);
  peers.pathname = '/peers';

  const boss = await startedBoss(peers.href);
  ends.push(() => boss.stop());
  const graphile = await startedGraphile(peers.href);
  ends.push(() => graphile.stop());
  const workflow = await startedDbos(peers.href);
  ends.push(() => workflow.stop());

  const life = lives(sql);
  const contender = (name: string, one: () => Promise<void>, atOnce: number): Contender => ({
    name,
    round: () =>
      costWithServer(server.pid, (OPERATIONS / AT_ONCE) * atOnce, async () => {
        await Promise.all(Array.from({ length: atOnce }, one));
      }),
  });
  await bench({
    title: `durable steps, ${STEPS} after each other, one life at a time and ${AT_ONCE} at once`,
    rounds: 9,
    warmUps: 12,
    contenders: [
      contender('signed step', life, AT_ONCE),
      contender('signed step alone', life, 1),
      contender('DBOS', workflow.run, AT_ONCE),
      contender('DBOS alone', workflow.run, 1),
      contender('pg-boss', boss.run, AT_ONCE),
      contender('graphile-worker', graphile.run, AT_ONCE),
    ],
    comparisons: [
      { what: `signed steps against steps of a workflow, ${AT_ONCE} at once`, ours: 'signed step', reference: 'DBOS', goal: 3 },
      { what: 'the same, one at a time', ours: 'signed step alone', reference: 'DBOS alone', goal: null },
      { what: 'signed steps against jobs put in, taken and ended', ours: 'signed step', reference: 'pg-boss', goal: null },
      { what: 'the same', ours: 'signed step', reference: 'graphile-worker', goal: null },
    ],
    notes: [
      "rates are per second of processor time, ours and the server's together",
      ['@dbos-inc/dbos-sdk', 'pg-boss', 'graphile-worker'].map(peerVersion).join(', '),
    ],
  });
});

/** Starts actors and delivers steps, each loaded, committed and signed. */
function lives(sql: ReturnType<typeof openDatabase>) {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2));
  const store = shareCommits(createActorStore(sql));
  const runtime = createRuntime({ store, directory: createDirectory([lampKind]), clock });
  let made = 0;
  return async (): Promise<void> => {
    const id = `00000000-0000-7000-8000-${String(++made).padStart(12, '0')}`;
    await runtime.start('lamp', id, ORG, {}, { cause: 'bench' });
    for (let step = 0; step < STEPS; step++) {
      const outcome = await runtime.deliver(id, { type: 'count' }, { cause: 'bench' });
      if (!outcome.ok) throw new Error(outcome.refusal.detail);
    }
  };
}

async function startedDbos(url: string) {
  const DBOS = dbos();
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, systemDatabasePoolSize: 8, logLevel: 'error', runAdminServer: false });
  const count = DBOS.registerWorkflow(
    async () => {
      let presses = 0;
      for (let step = 0; step < STEPS; step++) presses = await DBOS.runStep(() => Promise.resolve(presses + 1), { name: 'count' });
      return presses;
    },
    { name: 'lamp' },
  );
  await DBOS.launch();
  return {
    async run(): Promise<void> {
      if ((await count()) !== STEPS) throw new Error('a workflow lost a step');
    },
    stop: () => DBOS.shutdown(),
  };
}

async function startedBoss(url: string) {
  const boss = pgBoss({ connectionString: url, max: 8, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue('lamp');
  return {
    async run(): Promise<void> {
      for (let step = 0; step < STEPS; step++) {
        await boss.send('lamp', { presses: step });
        const [job] = await boss.fetch('lamp');
        if (job !== undefined) await boss.complete('lamp', job.id);
      }
    },
    stop: () => boss.stop({ graceful: false }),
  };
}

async function startedGraphile(url: string) {
  const { runMigrations, runOnce, makeWorkerUtils } = graphileWorker();
  const logger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {}, scope: () => logger };
  const pool = pgPool({ connectionString: url, max: 8 });
  const options = { pgPool: pool, logger };
  await runMigrations(options);
  const utils = await makeWorkerUtils(options);
  return {
    /** Enqueues its jobs and runs all that are queued. */
    async run(): Promise<void> {
      for (let step = 0; step < STEPS; step++) await utils.addJob('lamp', { presses: step });
      await runOnce({ ...options, concurrency: 1, noHandleSignals: true, taskList: { lamp: () => {} } });
    },
    async stop(): Promise<void> {
      await utils.release();
      await pool.end();
    },
  };
}
