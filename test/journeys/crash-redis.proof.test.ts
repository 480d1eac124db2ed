// Redis dies, loses its data or stops answering: the schedule is rebuilt from PostgreSQL, no slot is missed, and
// halts and cancellations are not delayed. `npm run proof` repeats more.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { createProposalHandler } from '../../actors/proposal/commands.ts';
import { startActivities } from '../../actors/runtime/activities.ts';
import { findRedisServer, startEmbeddedRedis } from '../../src/adapters/queue/embedded-redis.ts';
import { until } from '../../src/adapters/process/server-process.ts';
import { createProposalStore } from '../../src/adapters/store/orders/proposal-store.ts';
import { refuse } from '../../src/domain/values/refusal.ts';
import { createPreTrade } from '../../src/trading/pre-trade.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { condition, sampleManifest } from '../actors/agent/sample.ts';
import { quoteOf } from '../actors/proposal/trading-fixture.ts';
import { testDatabase } from '../harness/postgres.ts';
import { isMet, rounds, testInProof } from '../harness/rounds.ts';
import { measured } from '../harness/measured.ts';
import { NO_TRADES, riskOn } from '../harness/trading.ts';
import { waitFor } from '../harness/wait-for.ts';
import { actorsOn } from '../world/actor-world.ts';
import { withWorkers, type Fixture, type WorkerProcess } from './crash-fixture.ts';
import { eachRow } from '../../actors/runtime/containment.ts';

const found = findRedisServer(process.env['PATH'] ?? '');
if (!found) console.warn('skipped what needs Redis: no redis-server or valkey-server (6.2 or later) on the PATH');
const TIME_LIMIT_MS = 600_000;
/** Duration of a fault. */
const FAULT_MS = 3_000;
/** Maximum time of a change: it never waits for Redis. */
const PROMPT_MS = 1_000;
/** reliability G10: time to rebuild the schedule. */
const REBUILT_LIMIT_MS = 30_000;
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Starts a Redis whose process the test may kill or suspend. */
async function ownRedis() {
  if (!found) throw new Error('no redis-server');
  const home = mkdtempSync(join(tmpdir(), 'crash-redis-'));
  chmodSync(home, 0o711);
  folders.push(home);
  const server = await startEmbeddedRedis({ home, server: found, log: () => {} });
  let again: ChildProcess | null = null;
  const pid = (): number => again?.pid ?? server.pid;
  const ask = async <T>(question: (redis: Redis) => Promise<T>): Promise<T> => {
    const redis = new Redis(server.url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    redis.on('error', () => {});
    try {
      await redis.connect();
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  };
  return {
    url: server.url,
    ask,
    signal: (name: NodeJS.Signals) => process.kill(pid(), name),
    /** Restarts on the same port with the same password and the data on disk. */
    async startAgain() {
      again = spawn(found.path, [join(home, 'redis', 'redis.conf')], { stdio: 'ignore' });
      await until('Redis to be back', 10_000, () => ask((redis) => redis.ping()).catch(() => null));
    },
    async stop() {
      again?.kill('SIGKILL');
      if (!again) await server.stop();
    },
  };
}

async function withRedis(
  fault: (fixture: Fixture & { readonly workers: readonly WorkerProcess[] }, redis: Awaited<ReturnType<typeof ownRedis>>) => Promise<void>,
): Promise<void> {
  const redis = await ownRedis();
  try {
    await withWorkers({ databaseUrl: await testDatabase(), queue: { kind: 'redis', url: redis.url } }, async (fixture) => {
      const workers = await Promise.all([fixture.startWorker(), fixture.startWorker()]);
      await fixture.decidedAgain();
      await fault({ ...fixture, workers }, redis);
      await fixture.allGreen();
    });
  } finally {
    await redis.stop();
  }
}

/** Proposals of the API in this process: approvals, and the activity worker that executes approved ones. */
function trading({ sql }: Fixture) {
  const clock = createLiveClock();
  const { store, runtime, workersOf } = actorsOn(sql, clock);
  const proposals = createProposalStore(sql);
  const preTrade = createPreTrade({
    ...riskOn(sql, { clock, bus: { latest: (key) => quoteOf(key, clock.now(), '268.5', '268.5', 'live', '1000') } }),
    orderBooks: { read: async () => refuse('unavailable', 'this venue has no book') },
  });
  const activities = startActivities({
    contained: eachRow(() => {}),
    store,
    runtime,
    workers: workersOf({ preTrade, clients: {}, flows: NO_TRADES }),
    clock,
    onError: () => {},
  });
  return { orders: createProposalHandler({ runtime, proposals, preTrade, clock }), stop: () => activities.stop() };
}

/** Makes every agent buy at once: those at `confirm` wait for approval, those at `policy_auto` do not. */
async function makeThemTrade(fixture: Fixture): Promise<void> {
  const context = { ...fixture.context, permissions: ['trade:execute', 'risk:manage'] } as const;
  for (const [place, id] of fixture.agents.entries()) {
    const eager = sampleManifest({ name: `eager ${place}`, entry: [condition('price_above', { price: '1' })], exit: [] });
    expect(await fixture.commands.addVersion(context, id, eager)).toMatchObject({ ok: true });
    const autonomy = place % 3 === 0 ? 'policy_auto' : 'confirm';
    expect(await fixture.commands.setAutonomy(context, id, autonomy)).toMatchObject({ ok: true });
  }
}

interface ProposalRow {
  readonly id: string;
  readonly agent_id: string;
  readonly state: string;
  readonly reason: string | null;
}
const proposalsOf = ({ sql }: Fixture) => sql<ProposalRow[]>`select id, agent_id, state, reason from proposals order by id`;

/** Returns the answer of a command, and fails if it takes too long. */
async function inTime<T>(what: string, command: () => Promise<T>): Promise<T> {
  const asked = performance.now();
  const answer = await command();
  const took = performance.now() - asked;
  measured(what, took, PROMPT_MS);
  return answer;
}

async function faultLasts(ms: number): Promise<void> {
  const end = Date.now() + ms;
  await waitFor(() => Date.now() >= end, { what: 'the fault to last', deadlineMs: ms + 5_000 });
}

describe.skipIf(!found).concurrent('Redis', () => {
  test(
    'is killed and returns: ticks continue by themselves, commands never wait for it, and a worker can stop without it',
    async () => {
      await withRedis(async (fixture, redis) => {
        for (let round = 0; round < rounds({ suite: 1, proof: 2 }); round++) {
          await fixture.midTick();
          redis.signal('SIGKILL');
          const agentId = fixture.agents[2] as string;
          const autonomy = round === 0 ? 'suggest' : 'research';
          const outcome = await inTime('a change while Redis is down', () =>
            fixture.commands.setAutonomy(fixture.context, agentId, autonomy),
          );
          expect(outcome.ok).toBe(true);
          await faultLasts(FAULT_MS);
          await (round === 0 ? fixture.workers[0] : undefined)?.stop();
          await redis.startAgain();
          const took = await fixture.decidedAgain();
          measured('Redis back after a kill, next decisions', took, REBUILT_LIMIT_MS);
        }
      });
    },
    TIME_LIMIT_MS,
  );

  test(
    'loses everything in the middle of a tick, repeatedly: the schedule is rebuilt',
    async () => {
      await withRedis(async (fixture, redis) => {
        for (let round = 0; round < rounds({ suite: 1, proof: 21 }); round++) {
          await fixture.midTick();
          expect(await redis.ask((client) => client.flushall())).toBe('OK');
          const took = await fixture.decidedAgain();
          measured('FLUSHALL, next decisions', took, REBUILT_LIMIT_MS);
        }
      });
    },
    TIME_LIMIT_MS,
  );

  testInProof(
    'stops answering for a while without closing a connection: ticks continue once it answers',
    async () => {
      await withRedis(async (fixture, redis) => {
        for (const lastsMs of [FAULT_MS, 2 * FAULT_MS].slice(0, rounds({ suite: 1, proof: 2 }))) {
          await fixture.midTick();
          redis.signal('SIGSTOP');
          await faultLasts(lastsMs);
          redis.signal('SIGCONT');
          const took = await fixture.decidedAgain();
          measured(`Redis answers again after ${lastsMs / 1_000} s of silence, next decisions`, took, REBUILT_LIMIT_MS);
        }
      });
    },
    TIME_LIMIT_MS,
  );

  // The suite runs the case that neither answers nor closes connections: a client that waits for it waits forever.
  test.each((['SIGKILL', 'SIGSTOP'] as const).filter((_, row) => isMet(row, 1, 2)))(
    'is gone (%s): proposals are cancelled and everything is halted within a second, and nothing starts afterwards',
    async (signal) => {
      await withRedis(async (fixture, redis) => {
        const context = { ...fixture.context, permissions: ['trade:execute', 'risk:manage'] } as const;
        const handler = trading(fixture);
        try {
          await makeThemTrade(fixture);
          const pending = await waitFor(
            async () => {
              const open = (await proposalsOf(fixture)).filter(({ state }) => state === 'pending_approval');
              return open.length >= 20 ? open : null;
            },
            { what: 'a proposal of every agent that waits for approval', deadlineMs: REBUILT_LIMIT_MS },
          );
          await fixture.midTick();
          redis.signal(signal);

          const [declined, lowered, paused, ...others] = pending as unknown as [ProposalRow, ProposalRow, ProposalRow, ...ProposalRow[]];
          const stateOf = async (id: string) => (await proposalsOf(fixture)).find((row) => row.id === id);
          await inTime('Redis gone, declined', () => handler.orders.decline(context, declined.id, 'not today'));
          expect(await stateOf(declined.id)).toMatchObject({ state: 'declined' });
          await inTime('Redis gone, autonomy lowered', () => fixture.commands.setAutonomy(context, lowered.agent_id, 'suggest'));
          expect(await stateOf(lowered.id)).toMatchObject({ state: 'cancelled', reason: 'autonomy_lowered' });
          await inTime('Redis gone, paused', () => fixture.commands.pause(context, paused.agent_id));
          expect(await stateOf(paused.id)).toMatchObject({ state: 'cancelled', reason: 'paused' });
          const approvals = others.slice(0, 5).map(({ id }) => handler.orders.approve(context, id));
          expect(await inTime('Redis gone, approved', () => approvals[0] as (typeof approvals)[number])).toMatchObject({ ok: true });

          const halted = await inTime('Redis gone, halted', () => fixture.commands.emergencyHalt(context));
          if (!halted.ok) throw new Error(halted.refusal.detail);
          expect(halted.value.paused.length + halted.value.pausing).toBe(fixture.agents.length - 1);
          // After the answer no agent gets a permit. Agents still being paused are paused a moment later.
          await waitFor(async () => (await fixture.sql`select 1 from control where swept_epoch = epoch`).length > 0, {
            what: 'everything to be paused',
          });
          const haltedIn = fixture.slotNow();
          const [fillsAtHalt] = await fixture.sql<{ fills: number }[]>`select count(*) as fills from fills`;
          await Promise.all(approvals);
          const before = await proposalsOf(fixture);
          expect(before.filter(({ state }) => state === 'pending_approval' || state === 'approved' || state === 'executing')).toEqual([]);
          expect(before.filter(({ reason }) => reason === 'halted').length).toBeGreaterThan(0);

          await faultLasts(FAULT_MS);
          await (signal === 'SIGKILL' ? redis.startAgain() : redis.signal('SIGCONT'));
          // Long enough for two slots and all earlier jobs.
          await faultLasts(2 * fixture.periodMs);
          // A tick that was committing at the halt may still create a proposal, which is cancelled at once.
          const known = new Set(before.map(({ id }) => id));
          const after = await proposalsOf(fixture);
          expect(after.filter(({ id }) => known.has(id))).toEqual(before);
          for (const created of after.filter(({ id }) => !known.has(id))) expect(created.state).toBe('cancelled');
          const [since] = await fixture.sql<{ fills: number; decisions: number }[]>`select (select count(*) from fills) as fills,
            (select count(*) from decisions where slot > ${haltedIn} and reason is distinct from 'late_tick') as decisions`;
          expect(since).toEqual({ fills: fillsAtHalt?.fills, decisions: 0 });

          for (const id of fixture.agents)
            expect(await fixture.commands.resume({ ...context, subject: 'rita' }, id)).toMatchObject({ ok: true });
          // Resumed agents tick from the next minute; slots of this fixture are shorter.
          await fixture.sql`update actors set tick_from = ${fixture.slotNow() + 2 * fixture.periodMs} where kind = 'agent'`;
        } finally {
          await handler.stop();
        }
      });
    },
    TIME_LIMIT_MS,
  );
});
