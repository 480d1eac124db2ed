// Rows that a page of a list reads, as counted by PostgreSQL: proportional to the page's length, with
// 21,000 agents and as many books, proposals and decisions, on the first page, on a deep one and under every filter.
import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentDirectory } from '../../../src/adapters/store/agents/agent-directory.ts';
import { createAgentReads } from '../../../src/adapters/store/agents/agent-reads.ts';
import { createDecisionReads } from '../../../src/adapters/store/agents/decision-reads.ts';
import { createDispatchStore } from '../../../src/adapters/store/agents/dispatch-store.ts';
import { createBookReads } from '../../../src/adapters/store/books/book-reads.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { createMarketOrderStore } from '../../../src/adapters/store/orders/market-order-store.ts';
import { createProposalStore } from '../../../src/adapters/store/orders/proposal-store.ts';
import { createSignedRows } from '../../../src/adapters/store/trail/signed-rows.ts';
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts';
import { manifestHash } from '../../../src/domain/manifest/manifest.ts';
import { batchRoot, batchText, type TrailChange } from '../../../src/domain/trail/batch.ts';
import { sampleManifest } from '../../actors/agent/sample.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { ORG, OTHER } from './reads.ts';

const AGENTS = 21_000;
const LIMIT = 50;
/** Maximum rows read per row of a page: its actor (for the organization), its manifest, its fills. */
const ROWS_EACH = 8;
const DEEP = 12_345;

let superuser: Sql;
beforeAll(async () => {
  superuser = openDatabase({ url: await testDatabase(), role: null, connections: 2, name: 'lists' });
  await superuser`insert into organizations (id, name) values (${ORG}, 'ours'), (${OTHER}, 'theirs')`;
  await fill(superuser);
});
afterAll(() => superuser.end());

/** Returns the id of a numbered agent, proposal or decision. */
const idOf = (kind: 'a' | 'b', number: number): string => `00000000-0000-7000-${kind}000-${String(number).padStart(12, '0')}`;

/** Writes rows without triggers: only the lists' reads are tested. */
async function fill(sql: Sql): Promise<void> {
  const manifest = sampleManifest();
  const [text, hash] = [canonicalJson(manifest as never), manifestHash(manifest)];
  await sql.begin(async (transaction) => {
    const tables = ['actors', 'manifests', 'agents', 'books', 'fills', 'proposals', 'steps', 'decision_rows', 'decisions'];
    for (const table of tables) await transaction`alter table ${transaction(table)} disable trigger all`;
    const agent = transaction`('00000000-0000-7000-a000-' || lpad(n::text, 12, '0'))::uuid`;
    const proposal = transaction`('00000000-0000-7000-b000-' || lpad(n::text, 12, '0'))::uuid`;
    const all = transaction`generate_series(1, ${AGENTS}) n`;
    await transaction`insert into actors (id, org_id, kind, machine, version, snapshot, status, tick_period_ms, tick_from)
      select ${agent}, ${ORG}, 'agent', 'agent@1', 3, '{}', 'running', 60000, 60000 * n from ${all}`;
    await transaction`insert into manifests (agent_id, version, hash, canonical, created_by) select ${agent}, 1, ${hash}, ${text}, 'ann' from ${all}`;
    await transaction`insert into agents (id, org_id, name, stage, autonomy, manifest_version, manifest_hash, created_by, created_at)
      select ${agent}, ${ORG}, 'agent ' || n, 'draft', 'research', 1, ${hash}, 'ann', timestamptz '2026-03-02' + n * interval '1 second' from ${all}`;
    await transaction`insert into books (id, org_id, agent_id, mode, manifest_version, capital_usd, cash_usd, opened_at, changed_at)
      select 'agent:' || ${agent} || ':paper:1', ${ORG}, ${agent}, 'paper', 1, 1000, 1000, 0, 0 from ${all}`;
    await transaction`insert into fills (id, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes)
      select 'fill-' || n, ${proposal}::text, 'agent:' || ${agent} || ':paper:1', 'spotchain:AAPLx', 'buy', 1, 200, 0, 200, 200, 0, n, '[]' from ${all}`;
    await transaction`insert into actors (id, org_id, kind, machine, version, snapshot, status)
      select ${proposal}, ${ORG}, 'proposal', 'proposal@1', 1, '{}', 'done' from ${all}`;
    // The three oldest were declined, and the newest waits for its execution; all others were filled.
    await transaction`insert into proposals (id, org_id, agent_id, decision_id, slot, side, manifest_version, manifest_hash, autonomy, epoch, mode, book_id, instrument,
        order_body, notional_usd, decision_price, reads_reference, risk, state, filled_quantity, created_at, expires_at, changed_at)
      select ${proposal}, ${ORG}, ${agent}, null, n, 'entry', 1, ${hash}, 'confirm', 0, 'paper', 'agent:' || ${agent} || ':paper:1', 'spotchain:AAPLx',
        '{"side":"buy"}', 200, 200, false, '{}', case when n <= 3 then 'declined' when n = ${AGENTS} then 'approved' else 'filled' end, case when n <= 3 then 0 else 1 end, 0, 0, 0 from ${all}`;
    // One agent has decided for a fortnight, the others once.
    await transaction`insert into decision_rows (agent_id, slot, manifest_version, disposition, reason, outcome, manifest_hash, observed_hash, previous_hash, hash)
      select ${idOf('a', 1)}, n * 60000, 1, 'hold', 'late_tick', '[]', decode(${hash}, 'hex'), '\\x'::bytea, '\\x'::bytea, sha256(n::text::bytea) from ${all}
      union all select ${agent}, 60000, 1, 'hold', 'late_tick', '[]', decode(${hash}, 'hex'), '\\x'::bytea, '\\x'::bytea, sha256(n::text::bytea) from ${all} where n > 1`;
    for (const table of tables) await transaction`alter table ${transaction(table)} enable trigger all`;
  });
  await sql`analyze`;
}

/** Counts the rows that a statement reads, by index and by full scan, with the callers' role or another. */
async function rowsRead(
  read: (sql: Sql) => Promise<unknown>,
  role = 'sevengate_api',
): Promise<{ answer: unknown; read: number; through: Record<string, number> }> {
  return superuser.begin(async (transaction) => {
    await transaction`select set_config('sevengate.organization', ${ORG}, true)`;
    await transaction`set local role ${transaction(role)}`;
    const counts = async () =>
      new Map(
        (
          await transaction<{ name: string; through: number; fetched: number }[]>`
            select relname as name, seq_tup_read::int as through, idx_tup_fetch::int as fetched from pg_stat_xact_user_tables`
        ).map((row) => [row.name, row] as const),
      );
    const before = await counts();
    const answer = await read(transaction as unknown as Sql);
    const through: Record<string, number> = {};
    let total = 0;
    for (const [name, row] of await counts()) {
      const gone = row.through - (before.get(name)?.through ?? 0);
      if (gone > 0) through[name] = gone;
      total += gone + (row.fetched ?? 0) - (before.get(name)?.fetched ?? 0);
    }
    return { answer, read: total, through };
  }) as never;
}

const page = { limit: LIMIT, after: null };
const LISTS: readonly (readonly [what: string, items: number, read: (sql: Sql) => Promise<unknown>])[] = [
  ['agents', LIMIT, (sql) => createAgentReads(sql).list(ORG, page)],
  ['agents from the middle on', LIMIT, (sql) => createAgentReads(sql).list(ORG, { limit: LIMIT, after: idOf('a', DEEP) })],
  ['proposals', LIMIT, (sql) => createProposalStore(sql).list(ORG, {}, page)],
  ['proposals from the middle on', LIMIT, (sql) => createProposalStore(sql).list(ORG, {}, { limit: LIMIT, after: String(DEEP) })],
  ['proposals in a state of few', 3, (sql) => createProposalStore(sql).list(ORG, { state: 'declined' }, page)],
  [
    'proposals in a state of nearly all, from the middle on',
    LIMIT,
    (sql) => createProposalStore(sql).list(ORG, { state: 'filled' }, { limit: LIMIT, after: String(DEEP) }),
  ],
  ['proposals in an open state', 1, (sql) => createProposalStore(sql).list(ORG, { state: 'approved' }, page)],
  [
    'proposals of an agent in an open state',
    1,
    (sql) => createProposalStore(sql).list(ORG, { agentId: idOf('a', AGENTS), state: 'approved' }, page),
  ],
  ['open proposals to cancel', 1, async (sql) => ({ items: await createAgentDirectory(sql).cancellable(ORG, null) })],
  ['proposals of an agent', 1, (sql) => createProposalStore(sql).list(ORG, { agentId: idOf('a', DEEP) }, page)],
  ['proposals of an agent in a state', 1, (sql) => createProposalStore(sql).list(ORG, { agentId: idOf('a', 2), state: 'declined' }, page)],
  ['books', LIMIT, (sql) => createBookReads(sql).list(ORG, null, page)],
  ['books of an agent', 1, (sql) => createBookReads(sql).list(ORG, idOf('a', DEEP), page)],
  ['fills of a book', 1, (sql) => createBookReads(sql).fills(ORG, `agent:${idOf('a', DEEP)}:paper:1`, page)],
  ['decisions', LIMIT, (sql) => createDecisionReads(sql).list(ORG, idOf('a', 1), page)],
  [
    'decisions from the middle on',
    LIMIT,
    (sql) => createDecisionReads(sql).list(ORG, idOf('a', 1), { limit: LIMIT, after: String(DEEP * 60_000) }),
  ],
  ["people's orders", 0, (sql) => createMarketOrderStore(sql).list(ORG, {}, page)],
];

test.each(LISTS)('%s: a page reads rows in proportion to its length, and scans no big table', async (_, items, read) => {
  const { answer, read: rows, through } = await rowsRead(read);
  expect((answer as { items: readonly unknown[] }).items).toHaveLength(items);
  expect(through).toEqual({});
  expect(rows).toBeLessThanOrEqual((items + 1) * ROWS_EACH + 10);
});

test('due shards are found by reading a few rows of each, however many agents it has', async () => {
  const shards = Math.floor(AGENTS / 500) + 1;
  const dueShards = (sql: Sql) => createDispatchStore(sql).dueShards(60_000, 60_000);
  // New shards are scanned once: each begins a period before its first agent.
  const { answer: begun } = await rowsRead(dueShards, 'sevengate_app');
  expect(begun).toEqual([{ periodMs: 60_000, shard: 0 }]);
  const { answer, read } = await rowsRead(dueShards, 'sevengate_app');
  expect(answer).toEqual(begun);
  expect(read).toBeLessThanOrEqual(4 * shards);
  const rows = await superuser<{ shard: number; last_slot: number }[]>`select shard, last_slot from tick_shards order by shard`;
  expect(rows).toEqual(Array.from({ length: shards }, (_, shard) => ({ shard, last_slot: 60_000 * (Math.max(1, 500 * shard) - 1) })));
});

test('one agent', async () => {
  const { answer, read, through } = await rowsRead((sql) => createAgentReads(sql).get(ORG, idOf('a', DEEP)));
  expect(answer).toMatchObject({ name: `agent ${DEEP}` });
  expect(through).toEqual({});
  expect(read).toBeLessThan(20);
});

/** Signs rows in one batch. From the first batch on the database accepts changes only from writers. */
async function signed(xid: string, table: 'books' | 'fills', count: number): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyId = xid.padStart(8, '0');
  const tables = ['trail_writers', 'trail_batches', 'trail_changes'];
  await superuser.begin(async (transaction) => {
    for (const one of tables) await transaction`alter table ${transaction(one)} disable trigger all`;
    await transaction`set local timezone to 'UTC'`;
    await transaction`insert into trail_writers (key_id, writer, public_key, session_digest)
      values (${keyId}, 'worker', ${publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)}, sha256(${keyId}::bytea))`;
    await transaction`insert into trail_changes (xid, name, op, key, digest)
      select ${xid}::text::xid8, ${table}, 'insert', r.id, sha256(convert_to(to_jsonb(r)::text, 'UTF8'))
      from ${transaction(table)} r order by r.id limit ${count}`;
    const changes = await transaction<TrailChange[]>`
      select name as "table", op, key, encode(digest, 'hex') as digest from trail_changes where xid = ${xid}::text::xid8 order by seq`;
    const root = batchRoot(xid, changes);
    const text = batchText({ xid, writer: 'worker', keyId, at: 1, changes: changes.length, root });
    await transaction`insert into trail_batches (xid, key_id, at, changes, root, signature)
      values (${xid}::text::xid8, ${keyId}, 1, ${changes.length}, ${root}, ${sign(null, Buffer.from(text), privateKey).toString('base64')})`;
    for (const one of tables) await transaction`alter table ${transaction(one)} enable trigger all`;
  });
  await superuser`analyze trail_changes`;
}

test('assessments read signed rows by key, each batch once, and a tenfold batch with tenfold rows', async () => {
  const small = AGENTS / 10;
  await signed('1', 'fills', small);
  await signed('2', 'books', AGENTS);
  const rowsOf = (sql: Sql) => createSignedRows({ begin: (work: (transaction: Sql) => Promise<unknown>) => work(sql) } as unknown as Sql);
  const bookOf = (number: number): string => `agent:${idOf('a', number)}:paper:1`;
  const [few, many] = [
    await rowsRead((sql) => rowsOf(sql).requireRows('fills', ['fill-1']), 'sevengate_app'),
    await rowsRead((sql) => rowsOf(sql).requireRows('books', [bookOf(DEEP)]), 'sevengate_app'),
  ];
  // Reading less than the batch would be no verification.
  expect(few.read).toBeGreaterThanOrEqual(small);
  expect(many.read).toBeLessThanOrEqual(10 * (few.read + ROWS_EACH));
  const page = Array.from({ length: LIMIT }, (_, n) => bookOf(n + 1));
  const vouched = await rowsRead((sql) => rowsOf(sql).signedOnes('books', page), 'sevengate_app');
  expect(vouched.answer).toEqual(new Set(page));
  expect(vouched.through['books']).toBeUndefined();
  expect(vouched.read).toBeLessThanOrEqual(many.read + page.length * ROWS_EACH);
  // Of the batch, only the row changed later is reported.
  await superuser.begin(async (transaction) => {
    await transaction`alter table books disable trigger all`;
    await transaction`update books set cash_usd = 1001 where id = ${bookOf(7)}`;
    await transaction`alter table books enable trigger all`;
  });
  const left = await rowsRead((sql) => rowsOf(sql).signedOnes('books', page), 'sevengate_app');
  expect(left.answer).toEqual(new Set(page.filter((id) => id !== bookOf(7))));
  await expect(createSignedRows(superuser).requireRows('books', page)).rejects.toThrow(
    `row ${bookOf(7)} of books is not as a writer signed it`,
  );
});
