// A shard's tick on real PostgreSQL: every slot once, missed slots late, throws contained, poisonous agents found and paused.
import { beforeEach, expect, test } from 'vitest';
import type { AgentCommands } from '../../../actors/agent/commands.ts';
import { LATE_AFTER_MS, movedWindow } from '../../../actors/ticking/tick-window.ts';
import type { TradingTickStore } from '../../../actors/ticking/trading-decisions.ts';
import { writeCut } from '../../../src/adapters/store/agents/cut-store.ts';
import { createDispatchStore } from '../../../src/adapters/store/agents/dispatch-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { verifyTrail } from '../../../src/adapters/store/trail-verifier.ts';
import { decisionHash, GENESIS_HASH } from '../../../src/domain/agents/decision.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { oneDecisionPerSlot } from '../../invariants/one-decision-per-slot.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { SLOT, sampleCut, sampleManifest } from './sample.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const PERIOD = 60_000;
let sql: Sql;
let store: TradingTickStore;
let commands: AgentCommands;
let clock: ReturnType<typeof createVirtualClock>;
let actors: ReturnType<typeof actorsOn>;

beforeEach(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'test' });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
  clock = createVirtualClock(SLOT + 1_000);
  actors = actorsOn(sql, clock);
  ({ tickStore: store, commands } = actors);
  return () => sql.end();
});

const context = { orgId: ORG, subject: 'ann', permissions: [], requestId: 'r' } as const;
async function agents(count: number, changes: Parameters<typeof sampleManifest>[0] = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const outcome = await commands.create(context, sampleManifest({ name: `agent ${i}`, ...changes }));
    if (outcome.ok) ids.push(outcome.value.id);
  }
  return ids;
}
const ticker = (changes: Partial<TradingTickStore> = {}) => actors.ticker({ store: changes });
async function at(slot: number, cut: Parameters<typeof sampleCut>[1] = { premiumPct: -1.5, rsi: 30 }): Promise<void> {
  clock.advanceTo(slot + 500);
  await writeCut(sql, sampleCut(slot, cut), 'streams');
  await createDispatchStore(sql).dueShards(PERIOD, slot);
}
const decisions = (id: string) =>
  sql`select slot, disposition, reason, manifest_version, outcome, encode(previous_hash, 'hex') as previous, encode(hash, 'hex') as hash, encode(observed_hash, 'hex') as observed, encode(manifest_hash, 'hex') as manifest, instrument, risk, book from decisions where agent_id = ${id} order by slot`;

test('every agent of the shard decides once per slot, however often and by however many workers it is ticked', async () => {
  const ids = await agents(5);
  const slot = SLOT + PERIOD;
  await at(slot);
  const results = await Promise.all([ticker(), ticker(), ticker()].map((worker) => worker.tick(PERIOD, 0, slot)));
  expect(results.reduce((sum, { decisions }) => sum + decisions, 0)).toBe(5);
  await ticker().tick(PERIOD, 0, slot);
  for (const id of ids) expect(await decisions(id)).toHaveLength(1);
});

test('the chain holds across slots, workers and restarts, and each hash matches its row', async () => {
  const [id] = (await agents(1)) as [string];
  const steady = ticker();
  for (let n = 1; n <= 6; n++) {
    await at(SLOT + n * PERIOD, { premiumPct: n % 2 ? -1.5 : 0.2, rsi: 30 });
    await (n % 3 === 0 ? ticker() : steady).tick(PERIOD, 0, SLOT + n * PERIOD);
  }
  const rows = await decisions(id);
  expect(rows).toHaveLength(6);
  let previous = GENESIS_HASH;
  for (const row of rows) {
    expect(row['previous']).toBe(previous);
    const { slot, disposition, reason, outcome, instrument, risk, book, observed, manifest } = row as unknown as Record<string, string>;
    const text = {
      agentId: id,
      slot,
      manifestVersion: 1,
      manifestHash: manifest,
      disposition,
      reason,
      instrument,
      outcome,
      risk: risk === null ? null : JSON.parse(risk as string),
      book,
      observedHash: observed,
      previousHash: previous,
    };
    expect(decisionHash(text as never)).toBe(row['hash']);
    previous = row['hash'] as string;
  }
  expect(rows.map(({ disposition }) => disposition)).toEqual(['hold', 'hold', 'hold', 'hold', 'hold', 'hold']);
  expect(rows.map(({ reason }) => reason)).toEqual(['research_only', null, 'research_only', null, 'research_only', null]);
});

test('missed slots are written late as holds, in order; the slot that is due is decided on its own cut', async () => {
  const [id] = (await agents(1)) as [string];
  await at(SLOT + PERIOD);
  await ticker().tick(PERIOD, 0, SLOT + PERIOD);
  await at(SLOT + 5 * PERIOD);
  await ticker().tick(PERIOD, 0, SLOT + 5 * PERIOD);
  expect((await decisions(id)).map(({ slot, reason }) => [slot - SLOT, reason])).toEqual([
    [PERIOD, 'research_only'],
    [2 * PERIOD, 'late_tick'],
    [3 * PERIOD, 'late_tick'],
    [4 * PERIOD, 'late_tick'],
    [5 * PERIOD, 'research_only'],
  ]);
});

test('a slot ticked too late is a hold, never a proposal on old data', async () => {
  const [id] = (await agents(1)) as [string];
  await at(SLOT + PERIOD);
  clock.advanceTo(SLOT + PERIOD + LATE_AFTER_MS + 1);
  await ticker().tick(PERIOD, 0, SLOT + PERIOD);
  expect(await decisions(id)).toMatchObject([{ disposition: 'hold', reason: 'late_tick' }]);
});

test('a paused agent is not ticked, a resumed one from its next slot on, and a slot without a cut is a hold', async () => {
  const [id, other] = (await agents(2)) as [string, string];
  await commands.pause(context, id);
  await at(SLOT + PERIOD);
  await ticker().tick(PERIOD, 0, SLOT + PERIOD);
  await commands.resume(context, id);
  clock.advanceTo(SLOT + 2 * PERIOD + 100);
  await createDispatchStore(sql).writeSilence(SLOT + 2 * PERIOD);
  await ticker().tick(PERIOD, 0, SLOT + 2 * PERIOD);
  expect((await decisions(id)).map(({ slot, reason }) => [slot, reason])).toEqual([[SLOT + 2 * PERIOD, 'no_observation']]);
  expect(await decisions(other)).toHaveLength(2);
});

test('an agent paused and resumed twice before its shard was ticked decides exactly the slots in which it was active', async () => {
  const [id] = (await agents(1)) as [string];
  await at(SLOT + PERIOD);
  await ticker().tick(PERIOD, 0, SLOT + PERIOD);
  // Active in the slots up to 2, in 6 and 7, and from 10 on.
  for (const [slot, order] of [
    [2, 'pause'],
    [5, 'resume'],
    [7, 'pause'],
    [9, 'resume'],
  ] as const) {
    clock.advanceTo(SLOT + slot * PERIOD + 2_000);
    expect(await commands[order](context, id)).toMatchObject({ ok: true });
  }
  await at(SLOT + 11 * PERIOD);
  await ticker().tick(PERIOD, 0, SLOT + 11 * PERIOD);
  expect((await decisions(id)).map(({ slot, reason }) => [(slot - SLOT) / PERIOD, reason])).toEqual([
    [1, 'research_only'],
    [2, 'late_tick'],
    [6, 'late_tick'],
    [7, 'late_tick'],
    [10, 'late_tick'],
    [11, 'research_only'],
  ]);
  const missing = async () =>
    (await oneDecisionPerSlot(sql, { through: SLOT + 11 * PERIOD })).filter((what) => /has no decision|off duty/.test(what));
  expect(await missing()).toEqual([]);
  expect((await verifyTrail(sql)).breaks).toEqual([]);
  // Once every earlier slot is ticked, new agents can be paused.
  await commands.pause(context, id);
  await commands.resume(context, id);
  expect(await sql`select tick_from, tick_until, rests::text from actors`).toEqual([
    { tick_from: SLOT + 12 * PERIOD, tick_until: null, rests: '{}' },
  ]);
});

test('the tick window in memory follows the steps: a gap between two active periods, none if the earlier one had no slot', () => {
  const created = movedWindow(undefined, { from: 60, until: null });
  expect(created).toEqual({ from: 60, until: null, rests: [] });
  const paused = movedWindow(created, { from: null, until: 130 });
  expect(paused).toEqual({ from: 60, until: 130, rests: [] });
  const resumed = movedWindow(paused, { from: 300, until: null });
  expect(resumed).toEqual({ from: 60, until: null, rests: [{ from: 130, until: 300 }] });
  const again = movedWindow(movedWindow(resumed, { from: null, until: 400 }), { from: 480, until: null });
  expect(again.rests).toEqual([
    { from: 130, until: 300 },
    { from: 400, until: 480 },
  ]);
  expect(movedWindow(movedWindow(created, { from: null, until: 59 }), { from: 120, until: null })).toEqual({
    from: 120,
    until: null,
    rests: [],
  });
});

test('an agent that killed its worker is not tried again in that slot, though it was resumed before the slot was committed', async () => {
  const [poison] = (await agents(2)) as [string];
  const slot = SLOT + PERIOD;
  await at(slot);
  for (let start = 0; start < 4; start++) {
    const dying: Partial<TradingTickStore> = {
      suspect: async (periodMs, shard, agentId) => {
        await store.suspect(periodMs, shard, agentId);
        if (agentId === poison) throw new Error('the process died');
      },
      commit: () => Promise.reject(new Error('the process died')),
    };
    await expect(ticker(dying).tick(PERIOD, 0, slot)).rejects.toThrow('the process died');
  }
  expect(await sql`select id from agents where pause_cause is not null`).toEqual([{ id: poison }]);
  // Another person must resume an agent that a crash has paused.
  const manager = { ...context, subject: 'bob', permissions: ['risk:manage'] } as const;
  expect(await commands.resume(manager, poison)).toMatchObject({ ok: true });
  const tried: (string | null)[] = [];
  const watching = (): Partial<TradingTickStore> => ({
    suspect: async (periodMs, shard, agentId) => {
      tried.push(agentId);
      await store.suspect(periodMs, shard, agentId);
    },
  });
  await ticker(watching()).tick(PERIOD, 0, slot);
  expect(tried).not.toContain(poison);
  await at(slot + PERIOD);
  await ticker().tick(PERIOD, 0, slot + PERIOD);
  expect((await decisions(poison)).map(({ reason }) => reason)).toEqual(['tick_crash', 'research_only']);
});

test('a tick that throws is blocked with an incident; its neighbours decide; after three in a row the agent is paused', async () => {
  const ids = await agents(3);
  const [, bad] = ids as [string, string, string];
  const broken: Partial<TradingTickStore> = {
    // A manifest whose rules the compiler did not write: reading its universe throws in the middle of `decide`.
    duties: async (wanted) =>
      (await store.duties(wanted)).map((duty) =>
        duty.id === bad ? { ...duty, manifestHash: 'bad0'.repeat(16), manifest: throwing() } : duty,
      ),
  };
  const worker = ticker(broken);
  for (let n = 1; n <= 4; n++) {
    await at(SLOT + n * PERIOD);
    await worker.tick(PERIOD, 0, SLOT + n * PERIOD);
  }
  expect((await decisions(bad)).map(({ disposition, reason }) => [disposition, reason])).toEqual([
    ['blocked_by_risk', 'tick_crash'],
    ['blocked_by_risk', 'tick_crash'],
    ['blocked_by_risk', 'tick_crash'],
  ]);
  for (const id of ids.filter((id) => id !== bad)) expect(await decisions(id)).toHaveLength(4);
  expect(await sql`select pause_cause from agents where id = ${bad}`).toMatchObject([{ pause_cause: 'tick_crash' }]);
  expect((await sql`select kind from incidents where actor_id = ${bad} order by id`).map(({ kind }) => kind)).toEqual([
    'tick_threw',
    'tick_threw',
    'tick_threw',
    'tick_crash',
  ]);
});

test('only consecutive throwing ticks count: a good one in between, by any worker, resets the count', async () => {
  const [bad] = (await agents(2)) as [string, string];
  const broken: Partial<TradingTickStore> = {
    duties: async (wanted) => (await store.duties(wanted)).map((duty) => (duty.id === bad ? { ...duty, manifest: throwing() } : duty)),
  };
  for (const [n, throws] of [true, true, false, true, true, false, true].entries()) {
    await at(SLOT + (n + 1) * PERIOD);
    await ticker(throws ? broken : {}).tick(PERIOD, 0, SLOT + (n + 1) * PERIOD);
  }
  expect((await decisions(bad)).filter(({ reason }) => reason === 'tick_crash')).toHaveLength(5);
  expect(await sql`select id from agents where pause_cause is not null`).toEqual([]);
});

/** Returns a manifest that compiles, and whose premium rule throws when it is evaluated. */
function throwing() {
  const manifest = sampleManifest();
  let reads = 0;
  return {
    ...manifest,
    get maxOpenPositions(): number {
      if (++reads > 0) throw new Error('this manifest cannot be read');
      return 0;
    },
  };
}

test('an agent whose tick kills its worker is found and paused after three deaths, and no other is affected', async () => {
  const ids = await agents(4);
  const [, , poison] = ids as [string, string, string, string];
  const slot = SLOT + PERIOD;
  await at(slot);
  let deaths = 0;
  for (let start = 0; start < 5; start++) {
    // A crash leaves what was committed before it: the start, and in a careful run the suspect.
    const dying: Partial<TradingTickStore> = {
      suspect: async (periodMs, shard, agentId) => {
        await store.suspect(periodMs, shard, agentId);
        if (agentId === poison) throw new Error('the process died');
      },
      commit: async (tick) => {
        if (start === 0) throw new Error('the process died');
        return store.commit(tick);
      },
    };
    try {
      await ticker(dying).tick(PERIOD, 0, slot);
      break;
    } catch {
      deaths++;
    }
  }
  expect(deaths).toBe(3);
  expect(await decisions(poison)).toMatchObject([{ disposition: 'blocked_by_risk', reason: 'tick_crash' }]);
  for (const id of ids.filter((id) => id !== poison)) expect(await decisions(id)).toMatchObject([{ reason: 'research_only' }]);
  expect(await sql`select id from agents where pause_cause is not null`).toEqual([{ id: poison }]);
});

test('rows refused by the database fail the whole batch at once, and the next attempt is clean', async () => {
  const [id] = (await agents(1)) as [string];
  await at(SLOT + PERIOD);
  const spoiled: Partial<TradingTickStore> = {
    commit: (tick) => store.commit({ ...tick, rows: tick.rows.map((row) => ({ ...row, hash: 'no hash' })) }),
  };
  await expect(ticker(spoiled).tick(PERIOD, 0, SLOT + PERIOD)).rejects.toThrow(/aborted/);
  expect(await decisions(id)).toEqual([]);
  await ticker().tick(PERIOD, 0, SLOT + PERIOD);
  expect(await decisions(id)).toHaveLength(1);
});

test('one announcement per committed batch tells the feeds its decisions', async () => {
  await agents(3);
  await at(SLOT + PERIOD);
  await ticker().tick(PERIOD, 0, SLOT + PERIOD);
  expect(await sql`select body, org_id from announcements where channel = 'decisions'`).toEqual([
    { body: { periodMs: PERIOD, shard: 0, fromSlot: SLOT + PERIOD, slot: SLOT + PERIOD, actors: 3 }, org_id: null },
  ]);
});

test('a shard of 500 agents catches up an hour of missed slots without losing or repeating one', async () => {
  await agents(1);
  await sql`insert into actors (id, org_id, kind, machine, version, snapshot, status, tick_period_ms, tick_from)
    select gen_random_uuid(), org_id, kind, machine, 1, snapshot, status, tick_period_ms, tick_from from actors cross join generate_series(1, 498)`;
  await sql`insert into manifests (agent_id, version, hash, canonical, created_by) select a.id, 1, m.hash, m.canonical, 'ann' from actors a cross join (select * from manifests limit 1) m where a.id <> m.agent_id`;
  await sql`insert into agents (id, org_id, name, stage, autonomy, manifest_version, manifest_hash, created_by)
    select a.id, a.org_id, 'copy', 'draft', 'research', 1, m.hash, 'ann' from actors a join manifests m on m.agent_id = a.id where not exists (select 1 from agents g where g.id = a.id)`;
  await at(SLOT + 60 * PERIOD);
  await ticker().tick(PERIOD, 0, SLOT + 60 * PERIOD);
  const [counted] =
    await sql`select count(*) as rows, count(distinct agent_id) as agents, count(*) filter (where reason = 'late_tick') as late from decisions`;
  expect(counted).toEqual({ rows: 499 * 60, agents: 499, late: 499 * 59 });
});

/**
 * Ticks slot after slot, each with a new worker that the poisonous agents kill, until `slots` workers in a row survive. Returns the number
 * of deaths.
 */
async function untilItLives(poison: readonly string[], slots: number): Promise<number> {
  let deaths = 0;
  let lived = 0;
  for (let start = 0; lived < slots && start < 20; start++) {
    const slot = SLOT + PERIOD * (1 + start);
    await at(slot);
    let careful = false;
    const dying: Partial<TradingTickStore> = {
      begin: async (periodMs, shard, due) => {
        const progress = await store.begin(periodMs, shard, due);
        careful = (progress?.begunTimes ?? 0) > 1;
        return progress;
      },
      suspect: async (periodMs, shard, agentId) => {
        await store.suspect(periodMs, shard, agentId);
        if (agentId !== null && poison.includes(agentId)) throw new Error('the process died');
      },
      commit: async (tick) => {
        // A batch runs every active agent before the commit.
        const runs = tick.rows.some((row) => poison.includes(row.agentId) && row.reason !== 'tick_crash');
        if (tick.decided && !careful && runs) throw new Error('the process died');
        return store.commit(tick);
      },
    };
    try {
      await ticker(dying).tick(PERIOD, 0, slot);
      lived++;
    } catch {
      deaths++;
      lived = 0;
    }
  }
  return deaths;
}

test('deaths are counted across slots, because a dead worker may be replaced only in the next one', async () => {
  const ids = await agents(4);
  const [, , poison] = ids as [string, string, string, string];
  expect(await untilItLives([poison], 2)).toBe(3);
  expect(await sql`select id from agents where pause_cause is not null`).toEqual([{ id: poison }]);
  const rows = await decisions(poison);
  expect(rows.map(({ reason }) => reason)).toEqual(['late_tick', 'late_tick', 'late_tick', 'tick_crash']);
  for (const id of ids.filter((id) => id !== poison))
    expect((await decisions(id)).map(({ reason }) => reason)).toEqual([
      'late_tick',
      'late_tick',
      'late_tick',
      'research_only',
      'research_only',
    ]);
});

test('two poisonous agents of one shard are both found, though each kills the process before the other runs', async () => {
  const ids = await agents(4);
  const [first, , second] = ids as [string, string, string, string];
  expect(await untilItLives([first, second], 2)).toBe(5);
  expect((await sql`select id from agents where pause_cause is not null order by id`).map(({ id }) => id)).toEqual([first, second].sort());
});

test('a worker that dies while ticking a whole batch, or repeated failed commits, suspect no agent', async () => {
  const [only] = (await agents(1)) as [string];
  for (let n = 1; n <= 6; n++) {
    await at(SLOT + n * PERIOD);
    const failing: Partial<TradingTickStore> = {
      commit: async (tick) => {
        if (tick.decided) throw new Error('the disk is full');
        return store.commit(tick);
      },
    };
    await expect(ticker(failing).tick(PERIOD, 0, SLOT + n * PERIOD)).rejects.toThrow('the disk is full');
  }
  await at(SLOT + 7 * PERIOD);
  await ticker().tick(PERIOD, 0, SLOT + 7 * PERIOD);
  expect((await decisions(only)).at(-1)).toMatchObject({ disposition: 'hold', reason: 'research_only' });
  expect(await sql`select id from agents where pause_cause is not null`).toEqual([]);
});

test('overlapping ticks of one shard in a process take turns, so that none looks like a dead start', async () => {
  await agents(3);
  const slot = SLOT + PERIOD;
  await at(slot);
  let inside = 0;
  let most = 0;
  const worker = ticker({
    agents: async (periodMs, shard) => {
      most = Math.max(most, ++inside);
      return store.agents(periodMs, shard);
    },
    commit: async (tick) => {
      const moved = await store.commit(tick);
      inside--;
      return moved;
    },
  });
  const results = await Promise.all(Array.from({ length: 8 }, () => worker.tick(PERIOD, 0, slot)));
  expect(most).toBe(1);
  expect(results.reduce((sum, { decisions }) => sum + decisions, 0)).toBe(3);
  expect(await sql`select begun_times, suspect from tick_shards`).toEqual([{ begun_times: 0, suspect: null }]);
});

test('suspects are ticked alone in the whole process: an agent of another shard is not blamed for the same death', async () => {
  const ids = await agents(6);
  await sql`update actors set tick_period_ms = ${PERIOD / 2} where id = any(${ids.slice(3)})`;
  const slot = SLOT + PERIOD;
  await at(slot);
  await createDispatchStore(sql).dueShards(PERIOD / 2, slot);
  const shards = [PERIOD, PERIOD / 2];
  for (const period of shards) await store.begin(period, 0, slot);
  const alone: (string | null)[] = [];
  const worker = ticker({
    suspect: async (periodMs, shard, agentId) => {
      alone.push(agentId && `${periodMs}`);
      await store.suspect(periodMs, shard, agentId);
    },
  });
  await Promise.all(shards.map((period) => worker.tick(period, 0, slot)));
  const first = alone[0] as string;
  const second = `${shards.find((period) => String(period) !== first)}`;
  expect(alone).toEqual([first, first, first, null, second, second, second, null]);
});
