// A bad row in any table that a tick reads affects only its own agent: all others of the shard decide in the same slot.
import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentCommands } from '../../../actors/agent/commands.ts';
import { stalledShards } from '../../../src/adapters/store/agents/shard-health.ts';
import { writeCut } from '../../../src/adapters/store/agents/cut-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { verifyTrail } from '../../../src/adapters/store/trail-verifier.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { condition, SLOT, sampleCut, sampleManifest } from './sample.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const OTHER_ORG = '00000000-0000-7000-8000-000000000002';
const PERIOD = 60_000;
const NEXT = SLOT + PERIOD;
let sql: Sql;
let owner: Sql;
let commands: AgentCommands;
let clock: ReturnType<typeof createVirtualClock>;
let actors: ReturnType<typeof actorsOn>;
let poison: string;
let neighbours: readonly string[];

beforeEach(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
  owner = openDatabase({ url, role: null, connections: 1, name: 'test owner' });
  for (const id of [ORG, OTHER_ORG]) await sql`insert into organizations (id, name) values (${id}, 'ours')`;
  clock = createVirtualClock(SLOT + 1_000);
  actors = actorsOn(sql, clock);
  commands = actors.commands;
  let made = 0;
  const create = async (orgId: string): Promise<string> => {
    const context = { orgId, subject: 'ann', permissions: ['trade:execute', 'risk:manage'], requestId: 'r' } as const;
    // Eager, at an autonomy at which risk is assessed: its ticks read every table that a tick can read.
    const eager = sampleManifest({ name: `agent ${++made}`, entry: [condition('price_above', { price: '1' })], exit: [] });
    const outcome = await commands.create(context, eager);
    if (!outcome.ok) throw new Error(outcome.refusal.detail);
    await commands.setAutonomy(context, outcome.value.id, 'confirm');
    return outcome.value.id;
  };
  poison = await create(ORG);
  neighbours = [await create(ORG), await create(ORG), await create(OTHER_ORG)];
  return async () => {
    await sql.end();
    await owner.end();
  };
});

async function tickOn(slot: number): Promise<void> {
  clock.advanceTo(slot + 500);
  await actors.tick(sampleCut(slot, { premiumPct: -1.5, rsi: 30 }));
}

const dispositions = async (slot: number): Promise<Record<string, string>> => {
  const rows = await sql<{ agent_id: string; disposition: string; reason: string | null }[]>`
    select agent_id, disposition, reason from decisions where slot = ${slot}`;
  return Object.fromEntries(rows.map(({ agent_id, disposition, reason }) => [agent_id, reason ?? disposition]));
};

/** Writes rows as the owner with triggers disabled. */
async function poisoned(statement: (sql: Sql) => Promise<unknown>): Promise<void> {
  await owner.begin(async (transaction) => {
    for (const table of ['books', 'manifests', 'agents', 'observations'])
      await transaction`alter table ${transaction(table)} disable trigger user`;
    // Maintained by their triggers, which stay enabled.
    const kept = ['actors', 'proposals', 'exposures', 'book_exposures', 'tick_inputs'];
    for (const table of kept) await transaction`alter table ${transaction(table)} disable trigger user`;
    await statement(transaction as unknown as Sql);
    for (const table of kept) await transaction`alter table ${transaction(table)} enable trigger user`;
  });
}

const bookRow = (columns: { readonly fills?: number; readonly cash?: string; readonly holdings?: object }) => (on: Sql) =>
  on`
    insert into books (id, org_id, agent_id, mode, manifest_version, version, capital_usd, cash_usd, holdings, realized_pnl_usd, fees_usd, fills, turnover_usd, slippage_usd, opened_at, changed_at)
    values (${`paper:${poison}:1`}, ${ORG}, ${poison}, 'paper', 1, 1, 1000, ${columns.cash ?? '1000'}, ${on.json((columns.holdings ?? []) as never)}, 0, 0, ${columns.fills ?? 0}, 0, 0, ${SLOT}, ${SLOT})`;

/** Writes an open proposal of the agent without a step. */
const proposalRow = (order: object) => async (on: Sql) => {
  const [actor] = await on<{ id: string }[]>`
    insert into actors (id, org_id, kind, machine, version, snapshot, status) values (gen_random_uuid(), ${ORG}, 'proposal', 'proposal@1', 1, '{}', 'running') returning id`;
  await on`
    insert into proposals (id, org_id, agent_id, slot, side, manifest_version, manifest_hash, autonomy, epoch, mode, book_id, instrument, order_body,
      notional_usd, decision_price, reads_reference, risk, state, created_at, expires_at, changed_at)
    values (${actor?.id ?? ''}, ${ORG}, ${poison}, ${SLOT}, 'entry', 1, 'x', 'confirm', 0, 'paper', ${`paper:${poison}:1`}, 'spotchain:AAPLx', ${on.json(order as never)},
      'NaN', 1, false, '{}', 'pending_approval', ${SLOT}, ${SLOT}, ${SLOT})`;
};

const FAULTS: Readonly<Record<string, (on: Sql) => Promise<unknown>>> = {
  'books: one fill without any turnover': bookRow({ fills: 1 }),
  'books: cash that is not a number': bookRow({ cash: 'NaN' }),
  'books: a position of nothing that can be counted': bookRow({
    holdings: [{ instrument: 'spotchain:AAPLx', quantity: 'many', costUsd: '1', openedAt: 0 }],
  }),
  'manifests: text that is not JSON': (on) =>
    on`update manifests set canonical = 'schemaVersion: 1', hash = encode(sha256('schemaVersion: 1'), 'hex') where agent_id = ${poison}`,
  'manifests: JSON that is no manifest': (on) =>
    on`update manifests set canonical = '[]', hash = encode(sha256('[]'), 'hex') where agent_id = ${poison}`,
  'actors: a snapshot that is no state': (on) => on`update actors set snapshot = '{"value":{"stage":"nowhere"}}' where id = ${poison}`,
  'proposals: an order that is no order': proposalRow({ side: 'sideways' }),
  'tick_inputs: text that is not JSON': (on) => on`insert into tick_inputs (agent_id, slot, body) values (${poison}, ${SLOT}, 'no JSON')`,
  'decisions: the next slot is there already': (on) => on`
    insert into decision_rows (agent_id, slot, manifest_version, disposition, outcome, manifest_hash, observed_hash, previous_hash, hash)
    values (${poison}, ${NEXT}, 1, 'hold', '[]', '\\x00', '\\x00', '\\x00', '\\x00')`,
};

describe.each(Object.entries(FAULTS))('%s', (_, fault) => {
  test('is contained: every other agent decides in that slot and in the next', async () => {
    await poisoned(fault);
    await tickOn(NEXT);
    const first = await dispositions(NEXT);
    for (const id of neighbours) expect(first[id]).toBe('propose_entry');
    await tickOn(NEXT + PERIOD);
    const second = await dispositions(NEXT + PERIOD);
    for (const id of neighbours) expect(second[id], JSON.stringify(second)).toBe('proposal_pending');
    expect(await sql`select last_slot from tick_shards`).toEqual([{ last_slot: NEXT + PERIOD }]);
  });
});

describe.each([
  'books: one fill without any turnover',
  'books: cash that is not a number',
  'manifests: text that is not JSON',
  'decisions: the next slot is there already',
])('%s', (name) => {
  test('quarantines its agent with an incident and an alert', async () => {
    await poisoned(FAULTS[name] as (on: Sql) => Promise<unknown>);
    await tickOn(NEXT);
    expect(await sql`select status from actors where id = ${poison}`).toEqual([{ status: 'quarantined' }]);
    const incidents = await sql`select kind, detail from incidents where actor_id = ${poison}`;
    expect(incidents.length).toBeGreaterThan(0);
    expect(incidents[0]).toMatchObject({ kind: 'quarantined', detail: expect.stringMatching(/cannot be read/) });
    expect(await sql`select count(*) as count from announcements where channel = 'alerts' and actor_id = ${poison}`).not.toEqual([
      { count: 0 },
    ]);
    expect(await sql`select count(*) as count from actors where status = 'quarantined'`).toEqual([{ count: 1 }]);
  });
});

test('once its rows are repaired, a quarantined agent is released, resumed by another person, and decides again; its trail is intact', async () => {
  const manager = { orgId: ORG, subject: 'bob', permissions: ['risk:manage'], requestId: 'r' } as const;
  expect(await commands.release(manager, poison)).toMatchObject({
    ok: false,
    refusal: { code: 'state_conflict', detail: expect.stringMatching(/is not quarantined/) },
  });
  await poisoned(FAULTS['books: one fill without any turnover'] as (on: Sql) => Promise<unknown>);
  await tickOn(NEXT);
  expect(await commands.resume(manager, poison)).toMatchObject({ ok: false, refusal: { detail: expect.stringMatching(/quarantined/) } });
  // Released too early, it fails again at its next tick.
  expect(await commands.release(manager, poison)).toMatchObject({ ok: true, value: { pauseCause: 'quarantine' } });
  expect(await commands.resume(manager, poison)).toMatchObject({ ok: true });
  await tickOn(NEXT + PERIOD);
  expect(await sql`select status from actors where id = ${poison}`).toEqual([{ status: 'quarantined' }]);
  await poisoned((on) => on`delete from books where agent_id = ${poison}`);
  expect(await commands.release({ ...manager, orgId: OTHER_ORG }, poison)).toMatchObject({ ok: false, refusal: { code: 'not_found' } });
  expect(await commands.release(manager, poison)).toMatchObject({ ok: true, value: { pauseCause: 'quarantine' } });
  expect(await commands.resume({ ...manager, subject: 'ann' }, poison)).toMatchObject({
    ok: false,
    refusal: { code: 'resume_by_creator' },
  });
  await tickOn(NEXT + 2 * PERIOD);
  expect(await dispositions(NEXT + 2 * PERIOD)).not.toHaveProperty(poison);
  expect(await commands.resume(manager, poison)).toMatchObject({ ok: true, value: { pauseCause: null } });
  await tickOn(NEXT + 3 * PERIOD);
  expect((await dispositions(NEXT + 3 * PERIOD))[poison]).toBe('propose_entry');
  expect(await sql`select action from audit where target = ${poison} and action = 'agent.release'`).toHaveLength(2);
  expect((await verifyTrail(sql)).breaks).toEqual([]);
});

test('an unreadable observation counts as missing: its agents hold, and none is quarantined', async () => {
  clock.advanceTo(NEXT + 500);
  await writeCut(sql, sampleCut(NEXT, { premiumPct: -1.5, rsi: 30 }), 'streams');
  await poisoned((on) => on`update observations set body = '{"quote":' where slot = ${NEXT}`);
  await tickOn(NEXT);
  expect(new Set(Object.values(await dispositions(NEXT)))).toEqual(new Set(['no_observation']));
  expect(await sql`select 1 from incidents`).toEqual([]);
});

/** Rows of an organization, not of an agent. */
const OF_THE_ORGANIZATION: Readonly<Record<string, (on: Sql) => Promise<unknown>>> = {
  'risk_preferences: texts that are not numbers': (on) =>
    on`insert into risk_preferences (org_id, version, body, set_by) values (${ORG}, 1, '{"maxPositionWeightPct": "much", "maxDailyDrawdownPct": {}}', 'x')`,
  'exposures: a sum that is not a number': (on) =>
    on`insert into exposures (org_id, mode, asset, lane, quantity, cost_usd, reserved_usd) values (${ORG}, 'paper', 'spotchain:AAPLx', 7, 'NaN', 'NaN', 'NaN')`,
  'book_exposures: a list in the place of sums': (on) =>
    on`insert into book_exposures (book_id, org_id, mode, adds) values (${`paper:${poison}:1`}, ${ORG}, 'paper', '[1]')`,
  'reserve_checks: dollars of accounts that are not amounts': (on) =>
    on`insert into reserve_checks (org_id, at, verdict, lines, unknown, dollars) values (${ORG}, ${SLOT}, 'backed', '[{"asset": {}}]', '{}',
      '{"places": [{"place": "exchange", "usd": "much"}], "booksCashUsd": [], "booksCapitalUsd": null}')`,
};

test.each(Object.entries(OF_THE_ORGANIZATION))('%s: it delays at most its own organization', async (_, fault) => {
  await poisoned(fault);
  await tickOn(NEXT);
  expect((await dispositions(NEXT))[neighbours[2] as string]).toBe('propose_entry');
});

/** Tables that a tick reads without a fault of their own, and why a row of each cannot disturb others. */
const WITHOUT_A_FAULT: Readonly<Record<string, string>> = {
  agents: 'its stage, its autonomy and its version of the manifest are checked by the table itself',
  organizations: 'its key alone is looked up',
  takes: 'beside agents: Takes are ticked in shards of their own by the same code',
  cuts: 'numbers and a source that the table checks; what is in a cut are observations',
  control: 'a number per organization, which the table checks',
  tick_shards: 'numbers; a shard that is behind is found by its own test below',
  timers: 'written and not read: a timer is carried out by itself',
  gate_heads: 'locked by triggers, and not read',
  clock_shift: 'the clock of the tests',
  simulated_time: 'the clock of a sandbox',
  trail_writers: 'written by the owner alone',
  trail_batches: 'written by triggers alone',
};

test('every table that a tick reads is in this matrix, or has a reason why not', async () => {
  await tickOn(NEXT);
  await owner`select pg_stat_reset()`;
  await tickOn(NEXT + PERIOD);
  // A session's counts become visible when it ends.
  await sql.end();
  const read = await owner<{ name: string }[]>`
    select relname as name from pg_stat_user_tables where schemaname = 'public' and coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0 order by 1`;
  const names = read.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['books', 'decision_rows', 'manifests']));
  const known = new Set([
    ...Object.keys({ ...FAULTS, ...OF_THE_ORGANIZATION }).map((fault) => fault.split(':')[0]),
    ...Object.keys(WITHOUT_A_FAULT),
    'decision_rows',
    'observations',
  ]);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

test('a shard that does not advance is found, but only while one of its agents is active', async () => {
  await tickOn(NEXT);
  // The database's clock is years of slots ahead of this test's: nothing was ticked since.
  expect(await stalledShards(sql)).toMatchObject([{ periodMs: PERIOD, shard: 0 }]);
  await sql`update tick_shards set last_slot = (floor(extract(epoch from clock_timestamp()) / 60) * 60000)::bigint`;
  // A slot moved ahead is compared with the decisions, which do not exist.
  expect(await stalledShards(sql)).toMatchObject([{ periodMs: PERIOD, shard: 0 }]);
  await sql`update tick_shards set last_slot = ${NEXT}`;
  await sql`update actors set tick_until = ${NEXT} where tick_period_ms is not null`;
  expect(await stalledShards(sql)).toEqual([]);
});
