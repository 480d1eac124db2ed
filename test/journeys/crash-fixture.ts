// Shared by the crash tests: agents in short slots on real servers, workers as separate processes, and the final checks.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { AgentCommands } from '../../actors/agent/commands.ts';
import type { CommandContext } from '../../src/core/command-context.ts';
import type { QueueAddress } from '../../src/adapters/queue/bullmq.ts';
import { writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { until } from '../../src/adapters/process/server-process.ts';
import { openActors } from '../../src/boot/roles/worker.ts';
import { uuidV7 } from '../../src/domain/values/ids.ts';
import { type EpochMs, startOfSlot } from '../../src/domain/values/time.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { sampleCut, sampleManifest } from '../actors/agent/sample.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { type ChainEnds, chainsHold } from '../invariants/chains-hold.ts';
import { oneDecisionPerSlot } from '../invariants/one-decision-per-slot.ts';
import type { WorkerOrders } from './worker-process.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const SHARD_SIZE = 500;
/** Time within which everything must be green after faults stop (I17 allows 120 s). */
export const GREEN_WITHIN_MS = 40_000;

const STOP_LIMIT_MS = 10_000;

export interface WorkerProcess {
  readonly pid: number;
  /** Exit code and signal, or null while it runs. */
  ended(): { readonly code: number | null; readonly signal: NodeJS.Signals | null } | null;
  readonly exit: Promise<unknown>;
  kill(): Promise<void>;
  /** Stops it and asserts a clean exit. */
  stop(): Promise<void>;
  said(): string;
}

export interface Fixture {
  readonly sql: Sql;
  readonly commands: AgentCommands;
  readonly context: CommandContext;
  readonly periodMs: number;
  /** Fifteen in each of two shards. */
  readonly agents: readonly string[];
  startWorker(poison?: WorkerOrders['poison']): Promise<WorkerProcess>;
  /** Current slot. */
  slotNow(): EpochMs;
  /** Waits until an agent's tick has begun but is not committed. */
  midTick(): Promise<void>;
  /** Waits until every active agent has decided, in time, a slot that begins after now. Returns the milliseconds. */
  decidedAgain(withinMs?: number): Promise<number>;
  /** Asserts I1, I8 and I17, and that no agent but `paused` was paused. */
  allGreen(paused?: readonly string[]): Promise<void>;
  lateRows(): Promise<number>;
}

/** Starts workers and their servers, runs the scenario, and stops every process cleanly. */
export async function withWorkers(
  place: { readonly databaseUrl: string; readonly queue: QueueAddress; readonly periodMs?: number },
  story: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const { databaseUrl, queue, periodMs = 2_000 } = place;
  const clock = createLiveClock();
  const sql = openDatabase({ url: databaseUrl, connections: 4, name: 'sevengate crash test' });
  const owner = openDatabase({ url: databaseUrl, connections: 1, role: null, name: 'sevengate crash test owner' });
  let made = 0;
  const { commands } = openActors(sql, clock, () => uuidV7(clock.now(), Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, ++made)));
  const context: CommandContext = { orgId: ORG, subject: 'ann', permissions: ['trade:execute'], requestId: 'r' };
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
  const agents: string[] = [];
  for (let shard = 0; shard < 2; shard++) {
    await owner`select setval(pg_get_serial_sequence('actors', 'number'), ${Math.max(1, shard * SHARD_SIZE)})`;
    for (let i = 0; i < 15; i++) {
      const created = await commands.create(context, sampleManifest({ name: `agent ${shard} ${i}` }));
      if (!created.ok) throw new Error(created.refusal.detail);
      agents.push(created.value.id);
    }
  }
  await owner.end();
  await sql`update actors set tick_period_ms = ${periodMs}, tick_from = ${startOfSlot(clock.now(), periodMs) + periodMs}`;

  // The feed writes one cut per slot. If the database refuses, the slot has none.
  let endFeed = (): void => {};
  let writing: Promise<unknown> = Promise.resolve();
  const cutNext = (): void => {
    const slot = startOfSlot(clock.now(), periodMs) + periodMs;
    endFeed = clock.deadline(slot + 5, () => {
      const premiumPct = (slot / periodMs) % 2 === 0 ? -1.5 : 0.2;
      writing = writeCut(sql, sampleCut(slot, { premiumPct, rsi: 30 }), 'streams').catch(() => {});
      cutNext();
    });
  };
  cutNext();

  const workers: WorkerProcess[] = [];
  let known: ChainEnds = new Map();
  const fixture: Fixture = {
    sql,
    commands,
    context,
    periodMs,
    agents,
    slotNow: () => startOfSlot(clock.now(), periodMs),
    async startWorker(poison) {
      const worker = await spawnWorker({ databaseUrl, queue, periodMs, ...(poison ? { poison } : {}) });
      workers.push(worker);
      return worker;
    },
    async midTick() {
      // Polls far more often than `waitFor`: a tick is over within a tenth of a second.
      await until('a tick under way', PATIENCE * GREEN_WITHIN_MS, async () => {
        const [begun] = await sql`select 1 from tick_shards where begun_times > 0`;
        return begun !== undefined;
      });
    },
    async decidedAgain(withinMs = GREEN_WITHIN_MS) {
      const began = clock.now();
      await waitFor(
        async () => {
          const [open] = await sql<{ count: number }[]>`
            select count(*) from actors a where a.kind = 'agent' and a.tick_until is null and not exists (
              select 1 from decisions d where d.agent_id = a.id and d.slot > ${began} and d.reason is distinct from 'late_tick')`.catch(
            () => [],
          );
          return open?.count === 0;
        },
        { what: 'decisions in time again', deadlineMs: withinMs },
      );
      return clock.now() - began;
    },
    async allGreen(paused = []) {
      const since = clock.now();
      await fixture.decidedAgain();
      const [{ through } = { through: 0 }] = await sql<{ through: number }[]>`select min(last_slot) as through from tick_shards`;
      expect(through).toBeGreaterThan(since);
      expect(await oneDecisionPerSlot(sql, { through })).toEqual([]);
      const { broken, ends } = await chainsHold(sql, known);
      expect(broken).toEqual([]);
      expect(ends.size).toBe(agents.length);
      known = ends;
      const off = await sql<{ id: string }[]>`select id from agents where pause_cause is not null`;
      expect(off.map(({ id }) => id)).toEqual(paused);
    },
    async lateRows() {
      const [row] = await sql<{ count: number }[]>`select count(*) from decisions where reason = 'late_tick'`;
      return row?.count ?? 0;
    },
  };
  try {
    await story(fixture);
    await Promise.all(workers.filter((worker) => worker.ended()?.signal !== 'SIGKILL').map((worker) => worker.stop()));
  } catch (error) {
    if (error instanceof Error)
      error.message += `\n${workers.map((worker) => `worker ${worker.pid}: ${worker.said().slice(-3_000)}`).join('\n')}`;
    throw error;
  } finally {
    endFeed();
    for (const worker of workers) if (worker.ended() === null) await worker.kill();
    await writing;
    await sql.end({ timeout: 2 });
  }
}

const CHILD = fileURLToPath(new URL('../harness/child-process.mjs', import.meta.url));

async function spawnWorker(orders: WorkerOrders): Promise<WorkerProcess> {
  const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [CHILD, program], {
    env: { PATH: process.env['PATH'] ?? '', WORKER: JSON.stringify(orders) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (part: Buffer) => (said += part.toString()));
  let ended: ReturnType<WorkerProcess['ended']> = null;
  let told = false;
  const exit = once(child, 'exit').then(([code, signal]) => (ended = { code, signal }));
  const first = await Promise.race([once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line'), exit]);
  if (!Array.isArray(first) || first[0] !== 'ready') throw new Error(`the worker did not start: ${said}`);
  return {
    pid: child.pid as number,
    ended: () => ended,
    exit,
    said: () => said,
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
    async stop() {
      if (!told) expect(ended, 'a worker ended by itself').toBeNull();
      told = true;
      child.kill('SIGTERM');
      await waitFor(() => ended, { what: 'a worker to stop in good order', deadlineMs: STOP_LIMIT_MS });
      expect(ended).toEqual({ code: 0, signal: null });
    },
  };
}
