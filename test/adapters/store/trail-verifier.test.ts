// The trail of agents that ticked on real PostgreSQL: intact as written, and any alteration is found and named.
import { createHash } from 'node:crypto';
import type { TransactionInstruction } from '@solana/web3.js';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { writeCut } from '../../../src/adapters/store/agents/cut-store.ts';
import { createDispatchStore } from '../../../src/adapters/store/agents/dispatch-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { verifyTrail } from '../../../src/adapters/store/trail-verifier.ts';
import { sha256Hex } from '../../../src/domain/values/canonical-json.ts';
import type { Cut } from '../../../src/domain/market/cut.ts';
import { compileManifest } from '../../../src/domain/agents/decide.ts';
import { type DecisionRow, decisionHash, GENESIS_HASH } from '../../../src/domain/agents/decision.ts';
import { CutHashes } from '../../../src/domain/agents/observed-state.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { SLOT, sampleCut, sampleManifest } from '../../actors/agent/sample.ts';
import { own, route, SHARE, STRANGER, sharedRoute, WALLET } from '../../domain/solana/delegated-messages.ts';
import { BLOCKHASH } from '../../domain/solana/honest-transactions.ts';
import { wireMessage } from '../../domain/solana/wire-message.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { twoAgents } from './two-agents.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const PERIOD = 60_000;
const context = { orgId: ORG, subject: 'ann', permissions: [], requestId: 'r' } as const;
const iso = (slot: number): string => new Date(slot).toISOString();
let sql: Sql;
let owner: Sql;
let ids: string[] = [];

/** Two agents decide in the slots 1 to 10. The second is paused from within slot 3 to within slot 5. Slot 7 was missed. */
beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
  owner = openDatabase({ url, name: 'test owner', role: null, connections: 1 });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
  const clock = createVirtualClock(SLOT + 1_000);
  const { commands, ticker, ...agents } = await twoAgents(sql, clock, context, SLOT);
  ids = agents.ids;
  for (let number = 1; number <= 10; number++) {
    const slot = SLOT + number * PERIOD;
    clock.advanceTo(slot + 500);
    if (number === 7) continue;
    await writeCut(sql, sharedCut(slot, 30 + number), 'streams');
    await createDispatchStore(sql).dueShards(PERIOD, slot);
    await ticker.tick(PERIOD, 0, slot);
    if (number === 3) await commands.pause(context, ids[1] as string);
    if (number === 5) await commands.resume(context, ids[1] as string);
  }
  return async () => {
    await sql.end();
    await owner.end();
  };
});

/** Returns the sample's cut with an indicator that only another organization's agent reads. */
function sharedCut(slot: number, rsi: number): Cut {
  const { observations } = sampleCut(slot, { premiumPct: -1.5, rsi });
  const shared = { 'ema:77@15m': { value: 271.25, previous: 271, barOpenTime: slot - 900_000 } };
  return {
    slot,
    observations: new Map([...observations].map(([key, seen]) => [key, { ...seen, indicators: { ...seen.indicators, ...shared } }])),
  };
}

let forged: string | null = null;

/** Changes rows with the owner's rights. Rolled back after the test. */
async function forge(table: 'decisions' | 'observations', change: (sql: Sql) => Promise<{ readonly count: number }>): Promise<void> {
  forged = table;
  await owner`create table before_forgery as select * from ${owner(table)}`;
  await owner`alter table ${owner(table)} disable trigger all`;
  const { count } = await change(owner);
  expect(count).toBeGreaterThan(0);
}

afterEach(async () => {
  if (forged === null) return;
  await owner`delete from ${owner(forged)}`;
  await owner`insert into ${owner(forged)} select * from before_forgery`;
  await owner`drop table before_forgery`;
  await owner`alter table ${owner(forged)} enable always trigger append_only_rows`;
  forged = null;
});

test('the trail of agents that were paused, resumed and late is intact', async () => {
  const seen: number[] = [];
  const report = await verifyTrail(sql, (done) => seen.push(done));
  expect(report).toMatchObject({ whole: true, breaks: [], agents: 2, manifests: 2 });
  // Ten slots of the first; the second lacks 4 and 5 while paused.
  expect(report.decisions).toBe(18);
  expect(seen.at(-1)).toBe(18);
  expect(report.observations).toBeGreaterThan(0);
});

const at = (number: number): number => SLOT + number * PERIOD;

/** Rewrites an agent's first six decisions by the old rule of observed hashes, and chains the later ones to them. */
async function asBefore(owner: Sql, id: string): Promise<{ readonly count: number }> {
  const rows = await owner<(Omit<DecisionRow, 'risk'> & { risk: string | null })[]>`
    select agent_id as "agentId", slot, manifest_version as "manifestVersion", encode(manifest_hash, 'hex') as "manifestHash",
      encode(observed_hash, 'hex') as "observedHash", disposition, reason, instrument, outcome, risk, book from decisions where agent_id = ${id} order by slot`;
  const { reading } = compileManifest(sampleManifest());
  let previousHash = GENESIS_HASH;
  for (const row of rows) {
    const number = (row.slot - SLOT) / PERIOD;
    const observedHash =
      number > 6 ? row.observedHash : new CutHashes({ ...sharedCut(row.slot, 30 + number), hashedBy: 1 }).observed(reading);
    const risk = row.risk === null ? null : (JSON.parse(row.risk) as DecisionRow['risk']);
    const hash = decisionHash({ ...row, risk, observedHash, previousHash });
    await owner`
      update decisions set observed_hash = decode(${observedHash}, 'hex'), previous_hash = decode(${previousHash}, 'hex'), hash = decode(${hash}, 'hex')
      where agent_id = ${id} and slot = ${row.slot}`;
    previousHash = hash;
  }
  return rows;
}

test('records of the first rule verify next to those of the second, and an altered one is found', async () => {
  const id = ids[0] as string;
  await forge('decisions', (sql) => asBefore(sql, id));
  expect((await verifyTrail(sql)).breaks).toEqual([]);
  await owner`update decisions set observed_hash = sha256('forged') where agent_id = ${id} and slot = ${at(2)}`;
  expect((await verifyTrail(sql)).breaks).toMatchObject([{ agentId: id, part: 'observed_hash', slot: iso(at(2)) }]);
});
test.each<[string, string, (sql: Sql, id: string) => Promise<{ readonly count: number }>, Partial<{ part: string; slot: string | null }>]>([
  [
    'a disposition',
    'decisions',
    (owner, id) => owner`update decisions set disposition = 'propose_entry' where agent_id = ${id} and slot = ${at(4)}`,
    { part: 'disposition', slot: iso(at(4)) },
  ],
  [
    'a reason',
    'decisions',
    (owner, id) => owner`update decisions set reason = 'late_tick' where agent_id = ${id} and slot = ${at(4)}`,
    { part: 'one of reason, instrument, outcome, risk, book, hash', slot: iso(at(4)) },
  ],
  [
    'an outcome',
    'decisions',
    (owner, id) => owner`update decisions set outcome = replace(outcome, '1', '2') where agent_id = ${id} and slot = ${at(6)}`,
    { part: 'one of reason, instrument, outcome, risk, book, hash', slot: iso(at(6)) },
  ],
  [
    'a hash',
    'decisions',
    (owner, id) => owner`update decisions set hash = sha256('forged') where agent_id = ${id} and slot = ${at(2)}`,
    { part: 'hash', slot: iso(at(2)) },
  ],
  [
    'a previous hash',
    'decisions',
    (owner, id) => owner`update decisions set previous_hash = sha256('forged') where agent_id = ${id} and slot = ${at(2)}`,
    { part: 'previous_hash', slot: iso(at(2)) },
  ],
  [
    'an observed hash',
    'decisions',
    (owner, id) => owner`update decisions set observed_hash = sha256('forged') where agent_id = ${id} and slot = ${at(9)}`,
    { part: 'observed_hash', slot: iso(at(9)) },
  ],
  [
    'a manifest hash',
    'decisions',
    (owner, id) => owner`update decisions set manifest_hash = sha256('forged') where agent_id = ${id} and slot = ${at(1)}`,
    { part: 'manifest_hash', slot: iso(at(1)) },
  ],
  [
    'a risk attribution that is not JSON any more',
    'decisions',
    (owner, id) => owner`update decisions set risk = '{' where agent_id = ${id} and slot = ${at(3)}`,
    { part: 'risk', slot: iso(at(3)) },
  ],
  [
    'a decision that was taken out',
    'decisions',
    (owner, id) => owner`delete from decisions where agent_id = ${id} and slot = ${at(5)}`,
    { part: 'missing decision', slot: iso(at(5)) },
  ],
  [
    'the first decision',
    'decisions',
    (owner, id) => owner`delete from decisions where agent_id = ${id} and slot = ${at(1)}`,
    { part: 'missing decision', slot: iso(at(1)) },
  ],
  [
    'the last decision',
    'decisions',
    (owner, id) => owner`delete from decisions where agent_id = ${id} and slot = ${at(10)}`,
    { part: 'missing decision', slot: iso(at(10)) },
  ],
  [
    'a price that was observed',
    'observations',
    (owner) => owner`update observations set body = replace(body, '-1.5', '-1.6') where slot = ${at(8)} and body like '%-1.5%'`,
    { part: 'observation', slot: iso(at(8)) },
  ],
])('%s that was altered is the first break', async (_, table, change, expected) => {
  await forge(table as 'decisions', (owner) => change(owner, ids[0] as string));
  const report = await verifyTrail(sql);
  expect(report.whole).toBe(false);
  expect(report.breaks[0]).toMatchObject(expected);
  if (table === 'decisions') expect(report.breaks[0]?.agentId).toBe(ids[0]);
});

test('a forged chain with correct hashes is revealed by its observations', async () => {
  const [row] = await owner<
    { body: string; instrument: string }[]
  >`select body, instrument from observations where slot = ${at(10)} limit 1`;
  const body = String(row?.body).replace('-1.5', '-9.5');
  await forge(
    'observations',
    (sql) =>
      sql`update observations set body = ${body}, hash = ${sha256Hex(body)} where slot = ${at(10)} and instrument = ${row?.instrument as string}`,
  );
  const report = await verifyTrail(sql);
  expect(report.breaks[0]).toMatchObject({ part: 'observed state', slot: iso(at(10)) });
});

test('a decision while paused is a break', async () => {
  await forge(
    'decisions',
    (sql) =>
      sql`insert into decisions select ${ids[1] as string}, ${at(4)}, clock_timestamp(), manifest_version, disposition, reason, instrument, outcome, risk, book, manifest_hash, observed_hash, previous_hash, hash from decisions where agent_id = ${ids[1] as string} and slot = ${at(3)}`,
  );
  const report = await verifyTrail(sql);
  expect(report.breaks[0]).toMatchObject({ agentId: ids[1], slot: iso(at(4)), part: 'slot' });
});

test('an agent removed with all its rows is found', async () => {
  const id = '019a5b1e-7c00-7000-8000-00000000beef';
  // Only the record of its creation is left.
  await sql`
    insert into audit (org_id, subject, permission, action, request_id, target, at)
    values (${ORG}, 'ann', 'trade:execute', 'agent.create', 'r', ${id}, ${new Date(SLOT - 1)})`;
  const report = await verifyTrail(sql);
  expect(report.breaks).toEqual([{ agentId: id, slot: null, part: 'agent', detail: 'it was created, and nothing of it is on record' }]);
});

test('signed routes that paid a stranger, ended elsewhere or cannot be decoded are reported; unsigned and honest ones are not', async () => {
  const terms = { given: 1_000n, quoted: 1_000n, slippage: 50 };
  const fees = own(STRANGER, SHARE);
  let made = 0;
  const prepared = async (bytes: Uint8Array, state: string) => {
    const id = `019a5b1e-7c00-7000-8000-00000000f0${String(++made).padStart(2, '0')}`;
    const message = {
      messageBase64: Buffer.from(bytes).toString('base64'),
      digest: createHash('sha256').update(bytes).digest('hex'),
      lastValidBlockHeight: 1,
    };
    const signature = state === 'prepared' ? null : `signature ${made}`;
    await sql`insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${id}, ${ORG}, 'prepared_transaction', 'x@1', 1, '{}', 'running')`;
    await sql`
      insert into prepared_transactions (id, org_id, purpose, executor, wallet, subject, message, unsigned, prepared_by, submitted_by, epoch, state,
        signature, created_at, changed_at)
      values (${id}, ${ORG}, 'swap', 'delegated', ${WALLET}, '{}', ${sql.json(message)}, '', 'ann', ${signature && 'ann'}, 0, ${state}, ${signature}, 1, ${made})`;
    return { transactionId: id, orgId: ORG, wallet: WALLET, executor: 'delegated', state, at: made };
  };
  const messageOf = (instruction: TransactionInstruction) => wireMessage(WALLET, BLOCKHASH, [instruction], null).message;
  await prepared(messageOf(route(terms)), 'finalized');
  const charged = await prepared(messageOf(route({ ...terms, fee: 255, instead: { 6: fees } })), 'finalized');
  await prepared(messageOf(route({ ...terms, fee: 254, instead: { 6: fees } })), 'prepared');
  const elsewhere = await prepared(messageOf(sharedRoute({ ...terms, instead: { 6: fees } })), 'submitted');
  const unreadable = await prepared(Uint8Array.of(1, 2, 3), 'failed');
  const { routes } = await verifyTrail(sql);
  expect(routes).toEqual({
    searched: 4,
    found: [
      { ...charged, findings: [`instruction 0 pays a fee of 255 basis points to ${fees}`] },
      { ...elsewhere, findings: [`instruction 0 ends at ${fees}, which is not the wallet's account of ${SHARE.mint}`] },
      { ...unreadable, findings: [expect.stringMatching(/^its message cannot be read: /)] },
    ],
  });
});
