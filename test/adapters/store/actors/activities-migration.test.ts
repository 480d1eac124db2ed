// What was on record before a migration: work under way is carried on under the same key, and evidence of earlier rules is listed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createActorStore } from '../../../../src/adapters/store/actors/actor-store.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { migrate } from '../../../../src/adapters/store/migrate.ts';
import { testDatabase } from '../../../harness/postgres.ts';

const MIGRATIONS = new URL('../../../../migrations/', import.meta.url);
const ORG = '00000000-0000-7000-8000-000000000001';
const ACTOR = '00000000-0000-7000-8000-00000000000a';

const MANIFEST_HASH = createHash('sha256').update('{}').digest('hex');
const DAY = 20_000 * 86_400_000;
const TIMES = { enteredAt: DAY, evaluatedAt: DAY + 86_400_000 };
/** Series as they were written before the rules of their gates changed, and of a gate whose rules did not. */
const EVIDENCE = {
  stress_test: { maxDailyDrawdownPct: 3, runs: [] },
  backtest: {
    startEquityUsd: '100',
    firstCandleAt: DAY,
    lastCandleAt: DAY,
    annualisation: 365,
    days: [[DAY, '100', '100', '100', 0]],
    fills: 0,
    closedTrades: 0,
    slippageBps: null,
  },
  paper: { ...TIMES, startEquityUsd: '100', days: [[DAY, '100']], trades: [] },
  shadow: { ...TIMES, maxSlippageBps: 30, fills: [] },
};

async function writeEvidence(owner: Sql): Promise<void> {
  for (const table of ['manifests', 'evidence']) await owner`alter table ${owner(table)} disable trigger all`;
  await owner`insert into manifests (agent_id, version, hash, canonical, created_by) values (${ACTOR}, 1, ${MANIFEST_HASH}, '{}', 'ann')`;
  for (const [index, [kind, series]] of Object.entries(EVIDENCE).entries()) {
    await owner`
      insert into evidence (id, agent_id, seq, kind, manifest_version, manifest_hash, at, result_hash, metrics, series, previous_hash, hash)
      select gen_random_uuid(), ${ACTOR}, ${index + 1}, ${kind}, 1, ${MANIFEST_HASH}, ${DAY}, 'r', evidence_metrics(${kind}, s)::text, s::text, '', ''
      from (select ${owner.json(series)}::jsonb as s) of`;
  }
  for (const table of ['manifests', 'evidence']) await owner`alter table ${owner(table)} enable trigger all`;
}

test('activities and evidence from before a migration: taken with their keys and attempts, and listed where their rules have changed', async () => {
  const url = await testDatabase('empty');
  const owner = openDatabase({ url, connections: 1, role: null, name: 'test' });
  await owner`create table migrations (name text primary key, hash text not null, applied_at timestamptz not null default clock_timestamp())`;
  for (const name of readdirSync(MIGRATIONS).sort()) {
    if (!name.endsWith('.sql') || name >= '0026') continue;
    const text = readFileSync(new URL(name, MIGRATIONS), 'utf8');
    await owner.begin(async (transaction) => {
      await transaction.unsafe(text);
      await transaction`insert into migrations (name, hash) values (${name}, ${createHash('sha256').update(text).digest('hex')})`;
    });
  }
  await owner`insert into organizations (id, name) values (${ORG}, 'ours')`;
  await owner`
    insert into actors (id, org_id, kind, machine, version, snapshot, status)
    values (${ACTOR}, ${ORG}, 'proposal', 'proposal@1', 3, '{"value":"approved","context":{},"status":"active"}', 'running')`;
  await owner`
    insert into errands (key, actor_id, kind, payload, attempts, due_at)
    values (${`${ACTOR}:3:0`}, ${ACTOR}, 'execute_order', ${owner.json({ proposalId: ACTOR })}, 2, 1000)`;
  await writeEvidence(owner);
  await owner.end();

  expect((await migrate(url)).applied[0]).toBe('0026_activities.sql');
  const sql = openDatabase({ url, connections: 1, name: 'test' });
  expect(await createActorStore(sql).takeActivities(2_000, 5_000, 10, ['execute_order'])).toEqual([
    { key: `${ACTOR}:3:0`, actorId: ACTOR, kind: 'execute_order', payload: { proposalId: ACTOR }, attempts: 3 },
  ]);
  expect(
    await sql`select e.kind, s.rules_version, s.rule_change from superseded_evidence s join evidence e on e.id = s.evidence_id order by e.seq`,
  ).toEqual([
    { kind: 'backtest', rules_version: 1, rule_change: 'its result has to lie above what the best of all trials would show by luck' },
    { kind: 'paper', rules_version: 1, rule_change: 'days on which the agent is paused do not count' },
    { kind: 'shadow', rules_version: 1, rule_change: 'each order is held against the flow of its venue' },
  ]);
  await sql.end();
});
