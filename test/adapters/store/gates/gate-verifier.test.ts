// The trail verifier on the chain of gate records: intact as written, and changes by the owner are found.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { createEvidenceWriter, EVALUATOR_ROLE } from '../../../../src/adapters/store/gates/evidence-store.ts';
import { verifyTrail } from '../../../../src/adapters/store/trail-verifier.ts';
import { type BacktestRequest, readBacktestRequest } from '../../../../src/domain/backtest/request.ts';
import { sha256Hex } from '../../../../src/domain/values/canonical-json.ts';
import { type EvidenceRow, evidenceChainText, evidenceMetrics } from '../../../../src/domain/agents/evidence.ts';
import { manifestHash } from '../../../../src/domain/manifest/manifest.ts';
import { splitInstrumentKey } from '../../../../src/domain/market/venue.ts';
import { createVirtualClock } from '../../../../streams/clock/virtual-clock.ts';
import { SLOT, sampleManifest } from '../../../actors/agent/sample.ts';
import { backtestSeries } from '../../../domain/evidence-samples.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { actorsOn, countedIds } from '../../../world/actor-world.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
let sql: Sql;
let owner: Sql;
let evaluator: Sql;
const { newId } = countedIds(SLOT);
const manifest = sampleManifest();

beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
  owner = openDatabase({ url, name: 'owner', role: null, connections: 1 });
  evaluator = openDatabase({ url, name: 'evaluator', role: EVALUATOR_ROLE, connections: 1 });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
});
afterAll(async () => {
  await Promise.all([sql.end(), owner.end(), evaluator.end()]);
});

/** Agent that has passed the first gate by evidence that the database assessed. */
let id = '';
beforeEach(async () => {
  const { commands } = actorsOn(sql, createVirtualClock(SLOT), newId);
  const created = await commands.create({ orgId: ORG, subject: 'ann', permissions: [], requestId: 'r' }, manifest);
  if (!created.ok) throw new Error(created.refusal.detail);
  id = created.value.id;
  const proof = await createEvidenceWriter(evaluator, newId).write({
    agentId: id,
    kind: 'manifest',
    manifestVersion: 1,
    manifestHash: manifestHash(manifest),
    series: manifest as never,
    metrics: evidenceMetrics('manifest', manifest as never),
    runId: null,
    resultHash: manifestHash(manifest),
  });
  expect(proof.passed).toBe(true);
  await sql`update agents set stage = 'backtest', stage_evidence = ${proof.id}, stage_asked_by = 'ann' where id = ${id}`;
  await standsAt('backtest');
});

/** Promotes the agent to the gate's next stage. */
const standsAt = (stage: string) => sql`
  with moved as (
    update actors set version = version + 1, snapshot = jsonb_set(snapshot, '{value,stage}', to_jsonb(${stage}::text)) where id = ${id}
    returning id, version, machine, snapshot)
  insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
  select m.id, m.version, ${SLOT}, m.machine, '{"type":"gate.passed"}', before.to_value, m.snapshot -> 'value', 'a gate'
  from moved m join steps before on before.actor_id = m.id and before.version = m.version - 1`;

/** Returns the breaks found for this agent. */
async function found(): Promise<readonly { readonly part: string; readonly detail: string }[]> {
  const { breaks } = await verifyTrail(sql);
  return breaks.filter(({ agentId }) => agentId === id).map(({ part, detail }) => ({ part, detail }));
}

/** Changes rows as their owner with the table's triggers disabled. */
async function behind(table: string, change: (owner: Sql) => Promise<unknown>): Promise<void> {
  await owner`alter table ${owner(table)} disable trigger all`;
  await change(owner);
  await owner`alter table ${owner(table)} enable trigger all`;
}

/** Creates a finished backtest of the agent's manifest over the gate's period. */
async function backtestRun() {
  const runId = newId();
  const version = { manifestVersion: 1, manifestHash: manifestHash(manifest) };
  const request = readBacktestRequest({}, SLOT) as BacktestRequest;
  await owner`insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${runId}, ${ORG}, 'evaluation', 'evaluation@1', 1, '{}', 'done')`;
  await owner`
    insert into evaluation_runs (id, org_id, agent_id, evaluation, state, manifest_version, manifest_hash, request, requested_by, created_at, ended_at, attempts, result_hash, summary)
    values (${runId}, ${ORG}, ${id}, 'backtest', 'finished', 1, ${version.manifestHash}, ${owner.json(request as never)}, 'ann', ${SLOT}, ${SLOT}, 1, ${'a'.repeat(64)}, '{}')`;
  return { runId, version, request };
}

test('records written by the database are intact and counted', async () => {
  expect(await found()).toEqual([]);
  expect((await verifyTrail(sql)).gateRecords).toBeGreaterThanOrEqual(3);
});

test('an agent moved past its gates without triggers is at a stage that its records do not support', async () => {
  await behind('agents', (owner) => owner`update agents set stage = 'live' where id = ${id}`);
  expect(await found()).toEqual([
    { part: 'stage', detail: 'the agent stands at live, its gate records lead to backtest' },
    { part: 'stage', detail: 'its state chart stands at backtest, its row at live' },
  ]);
});

test('a gate opened with its guard disabled is recorded by the database, without the deciding evidence', async () => {
  await owner`alter table agents disable trigger agent_stage_gate`;
  await owner`update agents set stage = 'stress_test' where id = ${id}`;
  await owner`alter table agents enable always trigger agent_stage_gate`;
  await standsAt('stress_test');
  expect(await found()).toEqual([
    { part: 'gate', detail: 'gate record 4 opens the gate from backtest without the evidence that decides it' },
  ]);
});

test('backtest evidence from a run with another timeframe or period is found', async () => {
  const { runId, version, request } = await backtestRun();
  const series = backtestSeries();
  const metrics = evidenceMetrics('backtest', series);
  await createEvidenceWriter(evaluator, newId).write({
    agentId: id,
    kind: 'backtest',
    ...version,
    series,
    metrics,
    runId,
    resultHash: 'r',
  });
  const evidence = async () => (await found()).filter(({ part }) => part === 'evidence');
  expect(await evidence()).toEqual([]);
  const asked = (over: object) =>
    behind(
      'evaluation_runs',
      (owner) => owner`update evaluation_runs set request = ${owner.json({ ...request, ...over } as never)} where id = ${runId}`,
    );
  await asked({ timeframe: '12h' });
  expect(await evidence()).toEqual([{ part: 'evidence', detail: 'gate record 4 (backtest) is of a look at another timeframe or stretch' }]);
  await behind('evaluation_runs', (owner) => owner`update evaluation_runs set manifest_hash = 'other' where id = ${runId}`);
  expect(await evidence()).toEqual([{ part: 'evidence', detail: 'gate record 4 (backtest) is of no run of its manifest on record' }]);
});

test('evidence that claims real sources is found if the record of sources or the bars contradict it', async () => {
  const [venue = ''] = manifest.universe.map(({ key }) => splitInstrumentKey(key).venue);
  const { runId, version } = await backtestRun();
  await owner`insert into source_origins (source, at, origin) values (${venue}, 0, 'sandbox'), ('reference', 0, 'real') on conflict do nothing`;
  const series = backtestSeries();
  const evidence = { agentId: id, kind: 'backtest' as const, ...version, series, metrics: evidenceMetrics('backtest', series), runId };
  const { origins } = await createEvidenceWriter(evaluator, newId).write({ ...evidence, resultHash: 'r' });
  expect(origins).toMatchObject({ [venue]: 'sandbox' });
  const faults = async () => (await found()).filter(({ part }) => part === 'evidence').map(({ detail }) => detail);
  expect(await faults()).toEqual([]);
  // The owner of the tables forges the statement, then the record that contradicts it.
  const forged = { ...origins, [venue]: 'real' };
  await behind(
    'evidence',
    (owner) => owner`update evidence set origins = ${owner.json(forged)} where agent_id = ${id} and kind = 'backtest'`,
  );
  const said = `gate record 4 (backtest) says that ${venue} was real, and the record of sources says sandbox`;
  const barless = manifest.universe
    .filter(({ key }) => splitInstrumentKey(key).venue === venue)
    .map(({ key }) => `gate record 4 (backtest) says that it stands on real bars of ${key}, and none is kept of its stretch`);
  expect(await faults()).toEqual([said, ...barless]);
  await behind('source_origins', (owner) => owner`update source_origins set origin = 'real' where source = ${venue}`);
  expect(await faults()).toEqual(barless);
  // Omitting a source does not help either.
  await behind('evidence', (owner) => owner`update evidence set origins = '{}' where agent_id = ${id} and kind = 'backtest'`);
  expect(await faults()).toContain(`gate record 4 (backtest) says that ${venue} was nothing, and the record of sources says real`);
});

test('evidence with a changed series does not match its hash', async () => {
  await behind('evidence', (owner) => owner`update evidence set result_hash = ${'0'.repeat(64)} where agent_id = ${id}`);
  expect((await found()).map(({ part }) => part)).toEqual(['evidence']);
});

test('evidence rewritten with its hash breaks the chain after it', async () => {
  const [row] = await owner<(EvidenceRow & { hash: string })[]>`
    select agent_id as "agentId", seq, id, kind, manifest_version as "manifestVersion", manifest_hash as "manifestHash", at, run_id as "runId",
      result_hash as "resultHash", metrics, series, previous_hash as "previousHash", hash from evidence where agent_id = ${id}`;
  const forged = { ...(row as EvidenceRow), resultHash: 'f'.repeat(64) };
  await behind(
    'evidence',
    (owner) =>
      owner`update evidence set result_hash = ${forged.resultHash}, hash = ${sha256Hex(evidenceChainText(forged))} where agent_id = ${id}`,
  );
  expect((await found()).map(({ part }) => part)).toEqual(['previous_hash']);
});

test('a removed record is found, in the middle and at the end', async () => {
  await behind('stage_changes', (owner) => owner`delete from stage_changes where agent_id = ${id} and seq = 3`);
  expect((await found()).map(({ part }) => part)).toEqual(['stage', 'missing gate record']);
  await behind('stage_changes', (owner) => owner`delete from stage_changes where agent_id = ${id} and seq = 1`);
  expect((await found())[0]).toEqual({ part: 'missing gate record', detail: 'number 1 is not there; the next one is 2' });
});
