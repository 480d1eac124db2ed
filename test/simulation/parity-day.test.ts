// Parity certificate of a live day with every kind of ending: the product's own run, on real PostgreSQL and a virtual
// clock, and `sevengate parity` run as a user would.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandContext } from '../../src/core/command-context.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { DEFAULT_PREFERENCES } from '../../src/domain/risk/preferences.ts';
import { readTakeFields } from '../../src/domain/take/read-take.ts';
import { isoTime, TAKE_TICK_MS } from '../../src/domain/values/time.ts';
import { liveRun, ORG, START } from '../harness/live-run.ts';
import { testDatabase } from '../harness/postgres.ts';
import { rounds } from '../harness/rounds.ts';
import { sevengate } from '../journeys/running-service.ts';

/** Agent whose mandate changes: after the first execution it may not buy. */
const CAUTIOUS = '00000000-0000-7000-8000-000000000002';
/** Agent that is halted in the middle of an execution. */
const HALTED = '00000000-0000-7000-8000-000000000003';
const APPROVAL_MS = 120_000;
/** Quiet half minutes after everything else: with them the proof's day has 24 hours. */
const QUIET = rounds({ suite: 6, proof: 2_840 });
/** Buys at the first fall. */
const FALLEN = [{ type: 'price_below', price: '60000' }];

let folder: string;
let url: string;
let sql: Sql;
let tape: string;
let day: Awaited<ReturnType<typeof liveTheDay>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parity-'));
  tape = join(folder, 'day.tape');
  url = await testDatabase();
  sql = openDatabase({ url, name: 'parity' });
  day = await liveTheDay();
});
afterAll(async () => {
  await sql.end();
  await rm(folder, { recursive: true });
});

const word = (orgId = ORG): CommandContext => ({ orgId, subject: 'ann', permissions: ['risk:manage', 'trade:execute'], requestId: 'r' });

function rulesOf(name: string, fields: object) {
  const read = readManifest({
    name,
    description: '',
    universe: ['BTCUSDT'],
    timeframe: '1m',
    entryConditions: FALLEN,
    exitConditions: [],
    maxCapitalUsd: 25_000,
    maxTradeNotionalUsd: 2_500,
    stopLossPct: 20,
    takeProfitPct: 30,
    maxDailyDrawdownPct: 20,
    maxOpenPositions: 1,
    maxSlippageBps: 60,
    ...fields,
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

/** Agents of the day, by the fate of their order. */
const CAST: Readonly<Record<string, { readonly autonomy: Autonomy; readonly orgId?: string; readonly rules?: object }>> = {
  filled: { autonomy: 'policy_auto', rules: { exitConditions: [{ type: 'price_above', price: '62000' }] } },
  stopped: { autonomy: 'autonomous', rules: { stopLossPct: 2 } },
  sliced: { autonomy: 'policy_auto', rules: { stopLossPct: 2, algorithm: 'twap', urgency: 'low' } },
  rested: { autonomy: 'policy_auto', rules: { algorithm: 'smart_order_routing_maker_first', urgency: 'low' } },
  approved: { autonomy: 'confirm' },
  declined: { autonomy: 'confirm' },
  expired: { autonomy: 'confirm' },
  replaced: { autonomy: 'confirm' },
  lowered: { autonomy: 'policy_auto' },
  paused: { autonomy: 'policy_auto' },
  closed: { autonomy: 'policy_auto' },
  // The price leaves its limit before its order is executed.
  unfilled: {
    autonomy: 'policy_auto',
    rules: { entryConditions: [{ type: 'price_above', price: '65000' }], algorithm: 'taker_immediate', maxSlippageBps: 20 },
  },
  suggesting: { autonomy: 'suggest' },
  researching: { autonomy: 'research' },
  refused: { autonomy: 'policy_auto', orgId: CAUTIOUS },
  halted: { autonomy: 'policy_auto', orgId: HALTED },
  haltedWaiting: { autonomy: 'confirm', orgId: HALTED },
};

async function liveTheDay() {
  const run = await liveRun(sql, tape, { approvalMs: APPROVAL_MS, orgs: [ORG, CAUTIOUS, HALTED] });
  const ids: Record<string, string> = {};
  for (const [name, { autonomy, orgId, rules = {} }] of Object.entries(CAST)) {
    const made = await run.commands.create(word(orgId), rulesOf(name, rules));
    if (!made.ok) throw new Error(made.refusal.detail);
    ids[name] = made.value.id;
    if (autonomy !== 'research') expect(await run.commands.setAutonomy(word(orgId), made.value.id, autonomy)).toMatchObject({ ok: true });
  }
  const id = (name: string) => ids[name] as string;
  const proposalOf = async (name: string) =>
    (await sql<{ id: string }[]>`select id from proposals where agent_id = ${id(name)} and state = 'pending_approval'`)[0]?.id as string;
  const armed = async (below: string, exit: readonly object[]): Promise<string> => {
    const read = readTakeFields(
      { symbol: 'BTCUSDT', target: { kind: 'price', direction: 'below', value: below }, conditions: { exit }, allocationUsd: '1000' },
      { catalog: CATALOG, now: run.clock.now() },
    );
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const made = await run.takes.create(word(), read.take, { thesis: null, understood: [], assumed: [], notUnderstood: [], open: [] });
    if (!made.ok) throw new Error(made.refusal.detail);
    expect(await run.takes.arm(word(), made.value.id, 'paper')).toMatchObject({ ok: true });
    return made.value.id;
  };
  ids['take'] = await armed('60000', [{ type: 'price_above', price: '62000' }]);
  ids['disarmed'] = await armed('1000', []);
  await run.refreshNeeds();
  await run.look();

  for (const number of [1, 2, 3]) await run.half(number, '61000');
  // All agents that waited for the fall propose to buy, and some lose their execution permit before anything is executed.
  await run.half(4, '59500', {
    meanwhile: async () => {
      expect(await run.commands.setAutonomy(word(), id('lowered'), 'research')).toMatchObject({ ok: true });
      expect(await run.commands.pause(word(), id('paused'))).toMatchObject({ ok: true });
      expect(await run.preferences.replace(word(CAUTIOUS), { ...DEFAULT_PREFERENCES, reduceOnly: true })).toMatchObject({ ok: true });
      expect(await run.commands.emergencyHalt(word(HALTED))).toMatchObject({ ok: true });
    },
  });
  run.quote('59500', run.clock.now());
  expect(await run.orders.approve(word(), await proposalOf('approved'))).toMatchObject({ ok: true });
  expect(await run.orders.decline(word(), await proposalOf('declined'), 'no')).toMatchObject({ ok: true });
  expect(await run.commands.addVersion(word(), id('replaced'), rulesOf('replaced', { stopLossPct: 10 }))).toMatchObject({ ok: true });
  await run.half(5, '59500');
  expect(await run.takes.disarm(word(), id('disarmed'))).toMatchObject({ ok: true });
  // Stop-losses are hit while slices remain; then the venue is silent, and a slot is missed.
  for (const number of [6, 7]) await run.half(number, '58000');
  for (const number of [8, 9]) await run.half(number, null);
  await run.half(10, '58000', { missed: true });
  expect(await run.commands.close(word(), id('closed'), { instrument: null, limitPrice: null })).toMatchObject({ ok: true });
  for (const number of [11, 12, 13]) await run.half(number, '61000');
  for (const number of [14, 15]) await run.half(number, '63000');
  await run.half(16, '65500', { meanwhile: async () => run.quote('67500', run.clock.now()) });
  expect(await run.commands.resume(word(), id('paused'))).toMatchObject({ ok: true });
  for (let number = 17; number < 17 + QUIET; number++) await run.half(number, '64000');
  await run.stop();
  return { ids, id, from: START + 2 * TAKE_TICK_MS, to: START + (17 + QUIET) * TAKE_TICK_MS };
}

const certify = (out: string) =>
  sevengate(['parity', tape, '--from', isoTime(day.from), '--to', isoTime(day.to), '--out', out], {
    DATABASE_URL: url,
    SEVENGATE_HOME: folder,
  });

test('the day has every kind of ending of a paper order', async () => {
  const endings = await sql<{ agent: string; ending: string }[]>`
    select agent_id as agent, side || ' ' || state || coalesce(': ' || reason, '') as ending from proposals order by created_at, id`;
  const nameOf = new Map(Object.entries(day.ids).map(([name, id]) => [id, name]));
  const byName: Record<string, string[]> = {};
  for (const { agent, ending } of endings) (byName[nameOf.get(agent) as string] ??= []).push(ending);
  const lapsed = 'entry expired: approval_window_over';
  expect(byName).toEqual({
    filled: ['entry filled', 'exit filled'],
    stopped: ['entry filled', 'exit filled'],
    sliced: ['entry partially_filled: stop_loss', 'exit filled'],
    rested: ['entry filled'],
    approved: ['entry filled'],
    declined: ['entry declined: no', lapsed],
    expired: [lapsed],
    replaced: ['entry cancelled: manifest_changed', lapsed],
    lowered: ['entry cancelled: autonomy_lowered'],
    paused: ['entry cancelled: paused'],
    closed: ['entry filled', 'exit filled'],
    unfilled: ['entry failed: limit_price_passed'],
    refused: ['entry blocked_by_risk: reduce_only'],
    halted: ['entry cancelled: halted'],
    haltedWaiting: ['entry cancelled: halted'],
    take: ['entry filled', 'exit filled'],
  });
  const decided = await sql<{ kind: string }[]>`
    select distinct disposition || coalesce(': ' || reason, '') as kind from decisions where slot >= ${day.from} order by 1`;
  expect(decided.map(({ kind }) => kind)).toEqual([
    'blocked_by_risk: quote_not_live',
    'blocked_by_risk: reduce_only',
    'hold',
    'hold: late_tick',
    'hold: proposal_pending',
    'hold: research_only',
    'propose_entry',
    'propose_exit',
  ]);
});

test('`sevengate parity` certifies the day: every tick is replayed, and the signature is valid', async () => {
  const file = join(folder, 'certificate.txt');
  const made = await certify(file);
  expect([made.stderr, made.code]).toEqual(['', 0]);
  const text = await readFile(file, 'utf8');
  expect(made.stdout).toBe(text);
  const [written] = await sql<{ n: number }[]>`
    select count(*)::int as n from decisions where slot >= ${day.from} and slot < ${day.to}`;
  expect(text).toContain(`decisions of the live run ${written?.n} `);
  expect(text).toContain('different 0\nmade by the replay alone 0\nmade by the live run alone 0\nfirst difference: none\n');
  expect(text).toContain('verdict: the replay and the live run are equal\n');
  const checked = await sevengate(['parity', '--check', file], { SEVENGATE_HOME: folder });
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringMatching(/signed by sevengate\/parity\+[0-9a-f]{8}\n$/)]);
});

test('`tape replay --compare` finds no difference either, also after a proposal that was declined, expired, cancelled or not filled', async () => {
  const run = await sevengate(['tape', 'replay', tape, '--compare', '--json'], { DATABASE_URL: url, SEVENGATE_HOME: folder });
  const { comparison } = JSON.parse(run.stdout) as { comparison: { compared: number; different: number; firstDifference: string | null } };
  expect([run.code, comparison.different, comparison.firstDifference]).toEqual([0, 0, null]);
  // Each is compared at slots after its order ended, where an error would show.
  for (const name of ['declined', 'expired', 'replaced', 'unfilled']) {
    const [later] = await sql<{ n: number }[]>`
      select count(*)::int as n from decisions d
      where d.agent_id = ${day.id(name)} and d.slot > (select min(changed_at) from proposals p where p.agent_id = d.agent_id)`;
    expect(later?.n, name).toBeGreaterThan(0);
  }
  expect(comparison.compared).toBeGreaterThan(100);
});

test('one altered tick of the record is named, and nothing else', async () => {
  const [tick] = await sql<{ slot: number }[]>`
    select slot from decisions where agent_id = ${day.id('stopped')} and disposition = 'propose_exit'`;
  const slot = tick?.slot as number;
  const owner = openDatabase({ url, name: 'owner', role: null, connections: 1 });
  await owner.begin(async (transaction) => {
    await transaction`alter table decisions disable trigger user`;
    // Its hash is left unchanged: the replay is compared with the row.
    await transaction`update decisions set disposition = 'hold' where agent_id = ${day.id('stopped')} and slot = ${slot}`;
    await transaction`alter table decisions enable trigger user`;
  });
  await owner.end();
  const file = join(folder, 'altered.txt');
  const made = await certify(file);
  expect([made.stderr, made.code]).toEqual(['', 1]);
  expect(await readFile(file, 'utf8')).toContain(
    `different 1\nmade by the replay alone 0\nmade by the live run alone 0\nfirst difference: agent ${day.id('stopped')}, slot ${isoTime(slot)}: disposition was hold live and is propose_exit in the replay\nverdict: the replay and the live run differ\n`,
  );
});
