// Organizations take turns at due work: shards, activities, timers, runs and polls, on real PostgreSQL.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createActorStore } from '../../../../src/adapters/store/actors/actor-store.ts';
import { createDispatchStore } from '../../../../src/adapters/store/agents/dispatch-store.ts';
import { openDatabase, type Sql, type Transaction } from '../../../../src/adapters/store/database.ts';
import { createRunStore } from '../../../../src/adapters/store/evaluations/evaluation-store.ts';
import { createEvidenceWriter } from '../../../../src/adapters/store/gates/evidence-store.ts';
import { createGateKeeper } from '../../../../src/adapters/store/gates/gate-keeper.ts';
import { createShadowStore } from '../../../../src/adapters/store/gates/shadow-store.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { ORG, OTHER } from '../reads.ts';

let sql: Sql;
let owner: Sql;
beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'turns' });
  owner = openDatabase({ url, role: null, connections: 1, name: 'turns owner' });
  await owner`insert into organizations (id, name) values (${ORG}, 'ours'), (${OTHER}, 'theirs')`;
});
afterAll(async () => {
  await sql.end();
  await owner.end();
});

/** Writes rows with the triggers of their tables disabled. */
async function asTheyLie(names: readonly string[], write: (transaction: Transaction) => Promise<unknown>): Promise<void> {
  await owner.begin(async (transaction) => {
    for (const name of names) await transaction`alter table ${transaction(name)} disable trigger all`;
    await write(transaction);
    for (const name of names) await transaction`alter table ${transaction(name)} enable trigger all`;
  });
}

/** Creates actors that are active from the slot 60,000 on. */
async function onDuty(orgId: string, first: number, count: number): Promise<void> {
  await asTheyLie(
    ['actors'],
    (transaction) => transaction`
      insert into actors (id, number, org_id, kind, machine, version, snapshot, status, tick_period_ms, tick_from) overriding system value
      select gen_random_uuid(), n, ${orgId}, 'agent', 'agent@1', 3, '{}', 'running', 60000, 60000 from generate_series(${first}::int, ${first + count - 1}::int) n`,
  );
}

test("one organization's 5,000 agents do not delay another's slot: its shard comes second, not eleventh", async () => {
  await onDuty(OTHER, 1, 5_000);
  await onDuty(ORG, 5_500, 3);
  const due = await createDispatchStore(sql).dueShards(60_000, 60_000);
  expect(due.map(({ shard }) => shard)).toEqual([0, 11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  // An agent of ours in their last shard gives that shard our first turn, and ours its second.
  await onDuty(ORG, 5_001, 1);
  const shared = await createDispatchStore(sql).dueShards(60_000, 60_000);
  expect(shared.map(({ shard }) => shard)).toEqual([0, 10, 1, 11, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("one organization's 5,000 orders do not delay another's, which are all taken in the first round", async () => {
  await onDuty(OTHER, 10_001, 5_000);
  await onDuty(ORG, 20_001, 3);
  await asTheyLie(
    ['activities'],
    (transaction) => transaction`
      insert into activities (key, actor_id, kind, payload, due_at)
      select number || ':1:0', id, 'execute_order', '{}', number from actors where number > 10000`,
  );
  const store = createActorStore(sql);
  const round = () => store.takeActivities(60_000, 5_000, 128, ['execute_order']);
  const first = (await round()).map(({ key }) => Number(key.split(':')[0]));
  expect(first).toHaveLength(128);
  expect(first.slice(0, 6)).toEqual([10_001, 20_001, 10_002, 20_002, 10_003, 20_003]);
  expect(first.slice(6)).toEqual(Array.from({ length: 122 }, (_, index) => 10_004 + index));
  // Several workers at a time: each has a whole round, and no two take the same.
  const rounds = (await Promise.all([round(), round(), round()])).map((taken) => taken.map(({ key }) => key));
  expect(rounds.map((keys) => keys.length)).toEqual([128, 128, 128]);
  expect(new Set(rounds.flat()).size).toBe(384);
});

test('sales and cancellations come before openings of their organization, and delay no other', async () => {
  const [first, last] = [25_001, 25_400];
  await onDuty(OTHER, first, last - first + 1);
  await onDuty(ORG, 26_001, 2);
  await asTheyLie(
    ['activities'],
    (transaction) => transaction`
      insert into activities (key, actor_id, kind, payload, due_at)
      select number || ':1:0', id, 'precedence', case when number > ${last - 2} then '{"reduces":true}' else '{}' end::jsonb, number
      from actors where number between ${first} and 27000`,
  );
  const taken = await createActorStore(sql).takeActivities(60_000, 5_000, 6, ['precedence']);
  expect(taken.map(({ key }) => Number(key.split(':')[0]))).toEqual([last - 1, 26_001, last, 26_002, first, first + 1]);
});

describe('workers divide the organizations with due work, one worker each', () => {
  const KIND = 'divided';
  const orgs = Array.from({ length: 6 }, (_, index) => `00000000-0000-7000-8000-0000000000c${index}`);
  const worker = (name: string) => createActorStore(sql, name);
  /** Returns the organizations whose activities a worker takes, in batches. */
  async function takenBy(store: ReturnType<typeof createActorStore>, now: number): Promise<readonly string[]> {
    const actors = (await store.takeActivities(now, 5_000, 12, [KIND])).map(({ actorId }) => actorId);
    const rows = await sql<{ org: string }[]>`select distinct org_id as org from actors where id = any(${actors}::uuid[]) order by org_id`;
    return rows.map(({ org }) => org);
  }
  let now = 1_000_000;

  beforeAll(async () => {
    await owner`insert into organizations (id, name) select id, id::text from unnest(${orgs}::uuid[]) as id`;
    for (const [index, org] of orgs.entries()) await onDuty(org, 30_001 + index * 100, 100);
    await asTheyLie(
      ['activities'],
      (transaction) => transaction`
        insert into activities (key, actor_id, kind, payload, due_at)
        select number || ':1:0', id, ${KIND}, '{}', number from actors where org_id = any(${orgs}::uuid[])`,
    );
  });

  test('each worker has its share and keeps it; a new worker gets its own', async () => {
    const [one, two, three] = [worker('one'), worker('two'), worker('three')];
    for (const store of [one, two]) await store.attend(now + 5_000, [KIND]);
    const first = [await takenBy(one, now), await takenBy(two, now)];
    expect(first.map(({ length }) => length)).toEqual([3, 3]);
    expect(new Set(first.flat()).size).toBe(6);
    expect([await takenBy(one, now), await takenBy(two, now)]).toEqual(first);
    await three.attend(now + 5_000, [KIND]);
    const second = [await takenBy(one, now), await takenBy(two, now), await takenBy(three, now)];
    expect(second.map(({ length }) => length)).toEqual([2, 2, 2]);
    expect(new Set(second.flat()).size).toBe(6);
    expect([0, 1].every((index) => second[index]?.every((org) => first[index]?.includes(org)))).toBe(true);
  });

  test('a worker that leaves, or is silent for five seconds, gives up its organizations', async () => {
    const [one, two, three] = [worker('one'), worker('two'), worker('three')];
    await three.attend(0, [KIND]);
    const both = [await takenBy(one, now), await takenBy(two, now)];
    expect(both.map(({ length }) => length)).toEqual([3, 3]);
    expect(new Set(both.flat()).size).toBe(6);
    now += 5_001;
    expect(await takenBy(two, now)).toEqual(orgs);
  });

  test('a worker of other kinds, or with an endless lease, blocks no other', async () => {
    await worker('other').attend(now + 5_000, ['letter']);
    await worker('ghost').attend(now + 86_400_000, [KIND]);
    await owner`update worked_organizations set worker = case when org_id = ${orgs[0] as string} then 'other' else 'ghost' end`;
    expect(await takenBy(worker('two'), now)).toEqual(orgs);
    await owner`update worked_organizations set worker = 'ghost'`;
    // Without a name it takes everybody's.
    expect(await takenBy(createActorStore(sql), now)).toEqual(orgs);
  });
});

test("one organization's timers do not delay another's", async () => {
  await asTheyLie(
    ['timers'],
    (transaction) => transaction`
      insert into timers (actor_id, timer_id, due_at, event)
      select id, 'wait', number, '{"type": "waited"}' from actors where number between 10001 and 11000 or number = 20001`,
  );
  const due = await createActorStore(sql).dueTimers(60_000, 500);
  expect(due).toHaveLength(500);
  expect(due.slice(0, 3).map(({ dueAt }) => dueAt)).toEqual([10_001, 20_001, 10_002]);
});

test("one organization's backtests do not delay another's; running ones count as its turns", async () => {
  await asTheyLie(['manifests', 'evaluation_runs'], async (transaction) => {
    await transaction`
      insert into manifests (agent_id, version, hash, canonical, created_by)
      select id, 1, encode(sha256('{}'), 'hex'), '{}', 'ann' from actors where number between 10001 and 10050 or number in (20001, 20002)`;
    await transaction`
      insert into evaluation_runs (id, org_id, agent_id, evaluation, state, manifest_version, manifest_hash, request, requested_by, created_at, attempts)
      select a.id, a.org_id, a.id, 'backtest', 'queued', 1, m.hash, '{}', 'ann', a.number, 0 from actors a join manifests m on m.agent_id = a.id`;
  });
  const runs = createRunStore(sql);
  const claimed = async (limit: number) => (await runs.claim('worker', limit, 60_000)).map(({ createdAt }) => createdAt).sort();
  expect(await claimed(1)).toEqual([10_001]);
  expect(await claimed(1)).toEqual([20_001]);
  expect(await claimed(2)).toEqual([10_002, 20_002]);
  expect(await claimed(2)).toEqual([10_003, 10_004]);
});

test("one organization's paper agents and shadow orders do not delay another's", async () => {
  await asTheyLie(['agents', 'fills', 'shadow_orders'], async (transaction) => {
    await transaction`
        insert into agents (id, org_id, name, stage, autonomy, manifest_version, manifest_hash, created_by)
        select a.id, a.org_id, 'agent', 'paper', 'research', 1, m.hash, 'ann' from actors a join manifests m on m.agent_id = a.id`;
    await transaction`
        insert into fills (id, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes)
        select number::text, 'o', 'b', 'spotexchange:BTCUSDT', 'buy', 1, 1, 0, 1, 1, 0, number, '[]'
        from actors where number between 10001 and 10300 or number = 20001`;
    await transaction`
        insert into shadow_orders (fill_id, org_id, limit_price, sent_at)
        select f.id, a.org_id, 1, a.number from fills f join actors a on a.number::text = f.id`;
  });
  const measured = await createShadowStore(sql).unmeasured(0, 200);
  expect(measured.slice(0, 3).map(({ id }) => id)).toEqual(['10001', '20001', '10002']);
  const due = await createGateKeeper({ sql, evidence: createEvidenceWriter(sql, () => '') }).dueForToday(60_000, 4);
  const assessed = await sql<
    { org: string }[]
  >`select org_id as org from agents where id = any(${due.map(({ id }) => id)}::uuid[]) order by 1`;
  expect(assessed.map(({ org }) => org)).toEqual([ORG, ORG, OTHER, OTHER]);
});
