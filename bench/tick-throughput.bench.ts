/**
 * From a due tick to committed decisions on a real queue and a real PostgreSQL that flushes every commit: our shard tick
 * compared with the naive design (a job, a live actor and an awaited insert of the full record per agent) and with the
 * server copying rows.
 */
import { createActor } from 'xstate';
import { agentMachine, type TickDecision } from '../actors/agent/machine.ts';
import { lateTick } from '../actors/ticking/decision-chain.ts';
import { createTradingTicker } from '../actors/ticking/trading-decisions.ts';
import { findRedisServer, startEmbeddedRedis } from '../src/adapters/queue/embedded-redis.ts';
import { openTickQueue, type TickJob } from '../src/adapters/queue/tick-queue.ts';
import { createActorStore } from '../src/adapters/store/actors/actor-store.ts';
import { writeCut } from '../src/adapters/store/agents/cut-store.ts';
import { createDispatchStore, databaseNow } from '../src/adapters/store/agents/dispatch-store.ts';
import { createTickStore } from '../src/adapters/store/agents/tick-store.ts';
import { openDatabase, type Sql } from '../src/adapters/store/database.ts';
import { migrate } from '../src/adapters/store/migrate.ts';
import type { Cut } from '../src/domain/market/cut.ts';
import { compileManifest } from '../src/domain/agents/decide.ts';
import { assembleDecision, type DecisionRow, decisionHash, EMPTY_BOOK, GENESIS_HASH, type Verdict } from '../src/domain/agents/decision.ts';
import { CutHashes } from '../src/domain/agents/observed-state.ts';
import type { InstrumentKey } from '../src/domain/market/venue.ts';
import { createVirtualClock } from '../streams/clock/virtual-clock.ts';
import { SLOT, sampleManifest, sampleObservation } from '../test/actors/agent/sample.ts';
import { actorsOn } from '../test/world/actor-world.ts';
import { withDatabase } from './database.ts';
import { bench, type Contender, cpuMicroseconds, median } from './harness.ts';
import { costWithServer } from './server-cost.ts';

/** Number of agents, in two shards: actors are numbered from 1, and 500 consecutive numbers share one. */
const AGENTS = 999;
const PERIOD = 60_000;
/** Slots of our ticks per round, and single ticks of the naive design. */
const SLOTS = 4;
const NAIVE_TICKS = 300;
const IN_FLIGHT = 10;
const ORG = '00000000-0000-7000-8000-000000000001';
const INSTRUMENTS: readonly InstrumentKey[] = ['spotchain:AAPLx', 'spotchain:TSLAx'];

const manifest = sampleManifest({ universe: INSTRUMENTS.map((key) => ({ key, kind: 'tokenized_equity' as const })) });
const compiled = compileManifest(manifest);

function cutOf(slot: number): Cut {
  const at = slot / PERIOD;
  const observe = (instrument: InstrumentKey, index: number) =>
    sampleObservation(instrument, slot, { mid: '268.5', premiumPct: Math.sin(at + index) * 2, rsi: 50 + Math.cos(at + index) * 30 });
  return { slot, observations: new Map(INSTRUMENTS.map((instrument, index) => [instrument, observe(instrument, index)])) };
}

await withDatabase(async ({ home, server, ends }) => {
  await migrate(server.url);
  const found = findRedisServer(process.env['PATH'] ?? '');
  const redis = found && (await startEmbeddedRedis({ home, server: found, log: () => {} }));
  if (redis) ends.push(() => redis.stop());
  const handler = openJobQueue(redis ? { kind: 'redis', url: redis.url } : { kind: 'postgres', url: server.url });
  ends.push(() => handler.close());
  const sql = openDatabase({ url: server.url, name: 'bench', connections: IN_FLIGHT });
  const owner = openDatabase({ url: server.url, name: 'bench owner', connections: IN_FLIGHT, role: null });
  ends.push(() => Promise.all([sql.end(), owner.end()]));
  await measure({ sql, owner, handler, postmaster: server.pid }, redis ? 'Redis' : 'PostgreSQL (no redis-server on the PATH)');
});

interface JobQueue {
  /** Has all jobs done by workers of the product's own queue. Resolves after the last. */
  run(jobs: readonly TickJob[], work: (job: TickJob) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

function openJobQueue(place: Parameters<typeof openTickQueue>[0]): JobQueue {
  let failed: (error: unknown) => void = () => {};
  let done: (job: TickJob) => Promise<void> = async () => {};
  const queue = openTickQueue(place, (error) => failed(error));
  queue.work((job) => done(job), IN_FLIGHT);
  return {
    run: (jobs, work) =>
      new Promise((resolve, reject) => {
        let open = jobs.length;
        failed = reject;
        done = async (job) => {
          await work(job).catch(reject);
          open--;
          if (open === 0) resolve();
        };
        queue.add(jobs).catch(reject);
      }),
    close: () => queue.close(),
  };
}

/** Environment of the measurement. */
interface Stage {
  readonly sql: Sql;
  readonly owner: Sql;
  readonly handler: JobQueue;
  readonly postmaster: number;
}

async function measure(stage: Stage, queueName: string): Promise<void> {
  const { sql, owner } = stage;
  await owner`insert into organizations (id, name) values (${ORG}, 'bench')`;
  const clock = createVirtualClock(SLOT + 1_000);
  const ids = await createAgents(sql, clock);
  const ours = shardTicks(stage, clock);
  const { name: oursName, nodeMicroseconds } = ours;
  const naive = await naiveTicks(stage, ids);
  const limits = await serverCopies(stage, ids);
  await bench({
    title: `due tick to committed decisions: ${AGENTS} agents in 2 shards, ${INSTRUMENTS.length} instruments, fsync on`,
    rounds: 9,
    contenders: [ours, ...naive.contenders, ...limits],
    comparisons: [
      { what: 'agents per second', ours: oursName, reference: 'naive, a job per agent', goal: 15 },
      { what: 'same, without its queue', ours: oursName, reference: 'naive, one at a time', goal: 15 },
      { what: 'same, without its queue', ours: oursName, reference: `naive, ${IN_FLIGHT} in flight`, goal: null },
      { what: 'share of the server copying full records', ours: oursName, reference: 'insert..select, full records', goal: null },
      { what: 'share of the server copying our rows', ours: oursName, reference: 'insert..select, our rows', goal: null },
    ],
    notes: [
      `jobs wait in ${queueName}, ${IN_FLIGHT} worked on at once; ours has a job per shard and reads which are due; the naive record is ${naive.recordBytes} B of JSON`,
      "rates are agents (rows) per second of processor time of this process and PostgreSQL's, without the queue's; every commit is flushed to disk",
    ],
  });
  if (!process.argv.includes('--json')) {
    process.stdout.write(`our own processor time: ${median(nodeMicroseconds).toFixed(1)} us per agent tick, without PostgreSQL's\n`);
  }
}

async function createAgents(sql: Sql, clock: ReturnType<typeof createVirtualClock>): Promise<readonly string[]> {
  const { commands } = actorsOn(sql, clock);
  const context = { orgId: ORG, subject: 'ann', permissions: [], requestId: 'bench' } as const;
  const ids: string[] = [];
  let next = 0;
  const create = async (): Promise<void> => {
    while (next < AGENTS) {
      const outcome = await commands.create(context, { ...manifest, name: `agent ${next++}` });
      if (!outcome.ok) throw new Error(outcome.refusal.detail);
      ids.push(outcome.value.id);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, create));
  return ids;
}

function shardTicks(
  { sql, handler, postmaster }: Stage,
  clock: ReturnType<typeof createVirtualClock>,
): Contender & { readonly nodeMicroseconds: number[] } {
  const store = createTickStore(sql, createActorStore(sql).incident);
  const dispatch = createDispatchStore(sql);
  const ticker = createTradingTicker({
    store,
    // Makes the round trip, but returns the benchmark's own time, in which slots pass faster.
    now: async () => {
      await databaseNow(sql);
      return clock.now();
    },
    clock,
    pause: async (id) => {
      throw new Error(`the tick of ${id} crashed`);
    },
  });
  const nodeMicroseconds: number[] = [];
  let slot = SLOT;
  return {
    name: 'shard ticks',
    nodeMicroseconds,
    async round() {
      let microseconds = 0;
      for (let n = 0; n < SLOTS; n++) {
        slot += PERIOD;
        clock.advanceTo(slot + 500);
        await writeCut(sql, cutOf(slot), 'streams');
        const cost = await costWithServer(postmaster, AGENTS, async () => {
          const began = cpuMicroseconds();
          const due = await dispatch.dueShards(PERIOD, slot);
          let decisions = 0;
          await handler.run(
            due.map(({ shard }) => ({ periodMs: PERIOD, shard, slot })),
            async ({ shard }) => {
              const ticked = await ticker.tick(PERIOD, shard, slot);
              decisions += ticked.decisions;
            },
          );
          if (decisions !== AGENTS) throw new Error(`${decisions} decisions of ${AGENTS} agents`);
          nodeMicroseconds.push((cpuMicroseconds() - began) / AGENTS);
        });
        microseconds += cost.microseconds;
      }
      return { operations: AGENTS * SLOTS, microseconds };
    },
  };
}

/** Runs a live machine per agent that decides on its own, with one awaited insert and commit of the whole record. */
async function naiveTicks(
  { owner: sql, handler, postmaster }: Stage,
  ids: readonly string[],
): Promise<{ contenders: Contender[]; recordBytes: number }> {
  await sql`create table naive_decisions (agent_id uuid not null, tick_at timestamptz not null, body jsonb not null)`;
  await sql`create index on naive_decisions (agent_id, tick_at desc)`;
  const live = ids.map((id) => {
    const state: { verdict: Verdict | null } = { verdict: null };
    const machine = agentMachine.provide({
      actions: {
        recordDecision: (_: unknown, decision: TickDecision) => {
          state.verdict = decision.verdict;
        },
      },
    });
    const actor = createActor(machine, { input: { autonomy: 'research', manifestVersion: 1, manifestHash: compiled.hash } });
    actor.start();
    return { id, actor, state, previousHash: GENESIS_HASH };
  });
  let slot = SLOT;

  function record(agent: (typeof live)[number], cut: Cut, observedHash: string): object {
    agent.actor.send({ type: 'tick', slot: cut.slot, cut, compiled, book: EMPTY_BOOK });
    const verdict = agent.state.verdict as Verdict;
    const row = {
      ...verdict,
      agentId: agent.id,
      slot: cut.slot,
      manifestVersion: 1,
      manifestHash: compiled.hash,
      observedHash,
      book: null,
      previousHash: agent.previousHash,
    };
    agent.previousHash = decisionHash(row);
    const full: DecisionRow = { ...row, hash: agent.previousHash };
    return assembleDecision(full, [...cut.observations.values()], compiled);
  }

  /** Begins a slot. Returns a function that ticks one agent and waits until its record is on disk. */
  function beginSlot(): (index: number) => Promise<void> {
    slot += PERIOD;
    const cut = cutOf(slot);
    const observedHash = new CutHashes(cut).observed(compiled.reading);
    return async (index) => {
      const agent = live[index] as (typeof live)[number];
      const body = record(agent, cut, observedHash);
      await sql`insert into naive_decisions (agent_id, tick_at, body) values (${agent.id}, ${new Date(cut.slot)}, ${sql.json(body as never)})`;
    };
  }

  const unqueued = (name: string, inFlight: number): Contender => ({
    name,
    round: () =>
      costWithServer(postmaster, NAIVE_TICKS, async () => {
        const tick = beginSlot();
        let next = 0;
        const work = async (): Promise<void> => {
          while (next < NAIVE_TICKS) await tick(next++);
        };
        await Promise.all(Array.from({ length: inFlight }, work));
      }),
  });
  const queued: Contender = {
    name: 'naive, a job per agent',
    round: () =>
      costWithServer(postmaster, NAIVE_TICKS, () => {
        const tick = beginSlot();
        // The product's queue takes a number per job; here it is an agent's instead of a shard's.
        const jobs = Array.from({ length: NAIVE_TICKS }, (_, index) => ({ periodMs: PERIOD, shard: index, slot: -slot }));
        return handler.run(jobs, ({ shard }) => tick(shard));
      }),
  };
  const cut = cutOf(slot);
  const recordBytes = Buffer.byteLength(JSON.stringify(record(live[0] as (typeof live)[number], cut, '0'.repeat(64))));
  return { contenders: [queued, unqueued('naive, one at a time', 1), unqueued(`naive, ${IN_FLIGHT} in flight`, IN_FLIGHT)], recordBytes };
}

/** Measures the server's own limit: copies the same rows between two tables like the real one, one shard per commit. */
async function serverCopies({ owner: sql, postmaster }: Stage, ids: readonly string[]): Promise<Contender[]> {
  const cut = new CutHashes(cutOf(SLOT));
  const observed = cut.observed(compiled.reading);
  const end = { manifestVersion: 1, manifestHash: compiled.hash, bookText: null, previousHash: GENESIS_HASH };
  const verdict = compiled.decide(cut.cut, EMPTY_BOOK, 'research');
  const rows = ids.map((id) => ({ ...lateTick({ id, ...end }, SLOT), ...verdict, observedHash: observed }));
  const records = rows.map((row) => ({
    agent_id: row.agentId,
    body: assembleDecision(row, [...cut.cut.observations.values()], compiled),
  }));
  await sql`create table packed_source (like decisions)`;
  await sql`create table packed_copy (like decisions including all)`;
  await sql`
    insert into packed_source
    select r.agent_id, ${SLOT}, clock_timestamp(), 1, r.disposition, r.reason, r.instrument, r.outcome, null, null,
      decode(r.manifest_hash, 'hex'), decode(r.observed_hash, 'hex'), decode(r.previous_hash, 'hex'), decode(r.hash, 'hex')
    from jsonb_to_recordset(${sql.json(
      rows.map((row) => ({
        agent_id: row.agentId,
        disposition: row.disposition,
        reason: row.reason,
        instrument: row.instrument,
        outcome: row.outcome,
        manifest_hash: row.manifestHash,
        observed_hash: row.observedHash,
        previous_hash: row.previousHash,
        hash: row.hash,
      })) as never,
    )}) as r(agent_id uuid, disposition text, reason text, instrument text, outcome text, manifest_hash text, observed_hash text, previous_hash text, hash text)`;
  await sql`create table full_source (like naive_decisions)`;
  await sql`create table full_copy (like naive_decisions including all)`;
  await sql`
    insert into full_source select agent_id, to_timestamp(${SLOT / 1_000}), body
    from jsonb_to_recordset(${sql.json(records as never)}) as r(agent_id uuid, body jsonb)`;
  await sql`analyze packed_source, full_source`;
  const halves = [0, Math.ceil(AGENTS / 2)].map((offset) => ({ offset, limit: offset === 0 ? Math.ceil(AGENTS / 2) : AGENTS }));
  let slot = SLOT;

  const copies = (name: string, copy: (offset: number, limit: number) => PromiseLike<{ count: number }>): Contender => ({
    name,
    round: () =>
      costWithServer(postmaster, AGENTS * SLOTS, async () => {
        for (let n = 0; n < SLOTS; n++) {
          slot += PERIOD;
          const copied = await Promise.all(halves.map(({ offset, limit }) => copy(offset, limit)));
          if (copied.reduce((sum, { count }) => sum + count, 0) !== AGENTS) throw new Error('not every row was copied');
        }
      }),
  });
  return [
    copies(
      'insert..select, full records',
      (offset, limit) => sql`
        insert into full_copy select agent_id, to_timestamp(${slot / 1_000}), body from full_source offset ${offset} limit ${limit}`,
    ),
    copies(
      'insert..select, our rows',
      (offset, limit) => sql`
        insert into packed_copy select agent_id, ${slot}, clock_timestamp(), manifest_version, disposition, reason, instrument, outcome, risk, book,
          manifest_hash, observed_hash, previous_hash, hash from packed_source offset ${offset} limit ${limit}`,
    ),
  ];
}
