/**
 * Verifies the signatures of the trail by public keys only: every batch, every row against the last batch that wrote it, the sums over
 * decisions, cuts and bars, and the log of batches with its checkpoints.
 */
import { type ChangeOp, decisionsDigest, logEntry, type Writer } from '../../../domain/trail/batch.ts';
import { appendLeaf, consistencyProof, emptyFrontier, frontierRoot, leafHash } from '../../../domain/trail/merkle.ts';
import type { Checkpoint } from '../../../domain/trail/signed-note.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { TrustedKey } from '../../signing-keys/writer-keys.ts';
import type { Transaction } from '../database.ts';
import { verifyShadowWindows } from '../gates/shadow-store.ts';
import { batchFault, readBatches, type StoredBatch, type StoredChange } from './batch-check.ts';
import { verifyCorrections } from './cut-corrections.ts';
import { foreignCuts, foreignSteps, foreignTicks } from './row-signers.ts';
import { barDigest } from './signed-rows.ts';
import { GUARDED_TABLES, mayWrite, SUMMED_TABLES } from './table-writers.ts';
import { readCheckpoint } from './trail-log.ts';

/** Receives one difference: time, agent, affected part, and a sentence. */
type Complain = (at: EpochMs, agentId: string | null, part: string, detail: string) => unknown;

/** Result of the verification. */
export interface SignatureReport {
  readonly batches: number;
  readonly changes: number;
  /** Number of log entries. */
  readonly logged: number;
  readonly checkpoints: number;
  /** Newest checkpoint as a signed note; null before the first. */
  readonly checkpoint: string | null;
  /** RFC 6962 hashes (base64) from the given older checkpoint to the newest one; null if none was given. */
  readonly consistency: readonly string[] | null;
}

export interface SignatureOptions {
  /** Trusted keys. Null takes those registered in the database, which its owner could have replaced. */
  readonly keys: readonly TrustedKey[] | null;
  /** Older checkpoint, a signed note, with which the log must still begin; or null. */
  readonly since: string | null;
}

const PAGE = 2_000;
/** Maximum milliseconds between the signature and the commit of a batch: a minute, and another for clocks. */
const CLOCK_MS = 120_000;
/** Maximum milliseconds between a cut's slot and its write. */
const CUT_MS = 300_000;
const MOST = 100;
/** Maximum size of a tick in which a surplus row is searched for. */
const SEARCHED = 5_000;

/** Returns null if no writer was ever registered, so that nothing is signed. */
export async function verifySignatures(sql: Transaction, options: SignatureOptions, complain: Complain): Promise<SignatureReport | null> {
  const [ready] = await sql<{ ready: boolean }[]>`select to_regclass('trail_writers') is not null as ready`;
  if (ready?.ready !== true) return null;
  const registered = await registeredKeys(sql);
  if (registered.length === 0 && (options.keys ?? []).length === 0) return null;
  await sql`set local timezone to 'UTC'`;
  const keys = options.keys ?? registered;
  for (const { id, writer, at } of registered)
    if (!keys.some((key) => key.id === id))
      complain(at, null, 'writer', `key ${id} of the ${writer} takes part in the database and is not among the trusted keys`);
  const { batches, changes } = await verifyBatches(sql, keys, complain);
  await verifyThinned(sql, keys, complain);
  const log = await verifyLog(sql, keys, options.since, complain);
  await verifyTables(sql, complain);
  await verifyTicks(sql, complain);
  for (const { at, fault } of await foreignTicks(sql, keys)) complain(at, null, 'tick', fault);
  for (const { at, fault } of await foreignSteps(sql, keys)) complain(at, null, 'step', fault);
  await verifyCuts(sql, complain);
  for (const { at, fault } of await foreignCuts(sql, keys)) complain(at, null, 'cut', fault);
  await verifyCorrections(sql, keys, complain);
  await verifyShadowWindows(sql, keys, complain);
  await verifyCandles(sql, complain);
  return { batches, changes, ...log };
}

async function registeredKeys(sql: Transaction): Promise<readonly (TrustedKey & { readonly at: EpochMs })[]> {
  const rows = await sql<{ key_id: string; writer: Writer; public_key: Buffer; at: number }[]>`
    select key_id, writer, public_key, floor(extract(epoch from registered_at) * 1000)::bigint as at from trail_writers order by registered_at`;
  return rows.map(({ key_id, writer, public_key, at }) => ({ id: key_id, name: `sevengate/${writer}`, writer, publicKey: public_key, at }));
}

/** Verifies every batch: signed by a trusted key over exactly the rows of its transaction. */
async function verifyBatches(
  sql: Transaction,
  keys: readonly TrustedKey[],
  complain: Complain,
): Promise<{ readonly batches: number; readonly changes: number }> {
  const counted = { batches: 0, changes: 0 };
  const namedAt = await writersNamedAt(sql);
  const retiredAt = await retirements(sql);
  let after = '0';
  let lastAt = 0;
  const strays = await sql<{ xid: string; name: string; key: string }[]>`
    select c.xid::text as xid, c.name, c.key from trail_changes c where not exists (select 1 from trail_batches b where b.xid = c.xid) order by c.seq limit ${MOST}`;
  for (const { xid, name, key } of strays)
    complain(0, null, 'batch', `transaction ${xid} wrote ${name} ${key}, and its batch was left out`);
  for (;;) {
    const batches = await sql<StoredBatch[]>`
      select xid::text as xid, key_id, at, changes, root, signature from trail_batches where xid > ${after}::xid8 order by trail_batches.xid limit ${PAGE}`;
    const last = batches.at(-1);
    if (last === undefined) return counted;
    const rows = await sql<StoredChange[]>`
      select xid::text as xid, name as "table", op, key, encode(digest, 'hex') as digest from trail_changes
      where xid > ${after}::xid8 and xid <= ${last.xid}::xid8 order by trail_changes.xid, seq`;
    const byXid = groupByXid(rows);
    for (const batch of batches) {
      const changes = byXid.get(batch.xid) ?? [];
      const fault = batchFault(batch, changes, keys);
      if (fault !== null) complain(batch.at ?? lastAt, null, 'signature', fault);
      const retired = retiredAt.get(batch.key_id ?? '');
      if (retired !== undefined && (batch.at ?? 0) > retired)
        complain(batch.at ?? lastAt, null, 'signature', `key ${batch.key_id} signed transaction ${batch.xid} after it was retired`);
      const foreign = foreignTable(batch, changes, keys);
      if (foreign !== null && (batch.at ?? lastAt) >= namedAt) complain(batch.at ?? lastAt, null, 'writer', foreign);
      lastAt = batch.at ?? lastAt;
    }
    counted.batches += batches.length;
    counted.changes += rows.length;
    after = last.xid;
  }
}

/** Returns the time of retirement of each retired key. */
async function retirements(sql: Transaction): Promise<ReadonlyMap<string, EpochMs>> {
  const [known] = await sql<{ there: boolean }[]>`select to_regclass('trail_retirements') is not null as there`;
  if (known?.there !== true) return new Map();
  const rows = await sql<{ key_id: string; at: EpochMs }[]>`
    select key_id, floor(extract(epoch from retired_at) * 1000)::bigint as at from trail_retirements`;
  return new Map(rows.map(({ key_id, at }) => [key_id, at]));
}

/** Returns the time at which this database received the list of table writers; earlier signatures are not compared with it. */
async function writersNamedAt(sql: Transaction): Promise<EpochMs> {
  const [row] = await sql<{ at: EpochMs }[]>`
    select floor(extract(epoch from applied_at) * 1000)::bigint as at from migrations where name = '0005_trail.sql'`;
  return row?.at ?? Number.POSITIVE_INFINITY;
}

/** Returns a table that a batch changed and its signer may not write, or null. Genesis batches are exempt. */
function foreignTable(batch: StoredBatch, changes: readonly StoredChange[], keys: readonly TrustedKey[]): string | null {
  const writer = keys.find(({ id }) => id === batch.key_id)?.writer;
  const foreign = writer && changes.find(({ table, op }) => op !== 'genesis' && !mayWrite(writer, table));
  return foreign === undefined
    ? null
    : `key ${batch.key_id} of the ${writer} signed ${foreign.table} ${foreign.key} in transaction ${batch.xid}, and the ${writer} does not write that table`;
}

/** Verifies the remaining rows of batches whose other rows are archived: they must lead to the signed root. */
async function verifyThinned(sql: Transaction, keys: readonly TrustedKey[], complain: Complain): Promise<void> {
  const [ready] = await sql<{ ready: boolean }[]>`select to_regclass('trail_thinned_batches') is not null as ready`;
  for (let after: string | null = ready?.ready === true ? '0' : null; after !== null; ) {
    const page: { xid: string }[] = await sql`
      select xid::text as xid from trail_thinned_batches where xid > ${after}::xid8 order by trail_thinned_batches.xid limit ${PAGE}`;
    for (const { batch, changes, thinned } of (
      await readBatches(
        sql,
        page.map(({ xid }) => xid),
      )
    ).values()) {
      const fault = batchFault(batch, changes, keys, thinned);
      if (fault !== null) complain(batch.at ?? 0, null, 'signature', `of the rows that stay where others have moved: ${fault}`);
    }
    after = page.at(-1)?.xid ?? null;
  }
}

function groupByXid(rows: readonly StoredChange[]): Map<string, StoredChange[]> {
  const grouped = new Map<string, StoredChange[]>();
  for (const row of rows) {
    const known = grouped.get(row.xid);
    if (known === undefined) grouped.set(row.xid, [row]);
    else known.push(row);
  }
  return grouped;
}

/** Verifies every row of every logged table: it equals its last signed change, exists unless deleted, and no others exist. */
async function verifyTables(sql: Transaction, complain: Complain): Promise<void> {
  const tables = await sql<{ name: string; key: string[] }[]>`
    select c.relname as name, (select jsonb_agg(a.attname order by k.n) from pg_index i cross join unnest(i.indkey) with ordinality as k(attnum, n)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum where i.indrelid = c.oid and i.indisprimary) as key
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migrations'
      and not starts_with(c.relname, 'trail_') and c.relname <> all(${Object.keys({ ...GUARDED_TABLES, ...SUMMED_TABLES })}::text[]) order by 1`;
  for (const { name, key } of tables) {
    const [first, ...rest] = key.map((column) => sql`${sql(`r.${column}`)}::text`);
    if (first === undefined) continue;
    const spelled = rest.reduce((before, part) => sql`${before} || ' ' || ${part}`, first);
    const rows = await sql<{ key: string; at: number | null; xid: string | null; op: ChangeOp | null; there: boolean }[]>`
      with last as (
        select distinct on (key) key, op, digest, xid from trail_changes where name = ${name} order by key, seq desc
      ), present as (
        select ${spelled} as key, sha256(convert_to(to_jsonb(r)::text, 'UTF8')) as digest from ${sql(name)} r
      )
      select coalesce(p.key, l.key) as key, l.op, l.xid::text as xid, b.at, p.key is not null as there
      from present p full join last l on l.key = p.key left join trail_batches b on b.xid = l.xid
      where p.digest is distinct from l.digest and not (p.key is null and l.op = 'delete') order by b.at nulls first limit ${MOST}`;
    for (const row of rows) complain(row.at ?? 0, null, name, rowFault(name, row));
  }
}

function rowFault(
  name: string,
  { key, xid, there }: { readonly key: string; readonly xid: string | null; readonly there: boolean },
): string {
  if (xid === null) return `row ${key} of ${name} was made up: no transaction that was logged wrote it`;
  return there
    ? `row ${key} of ${name} was changed since transaction ${xid} wrote it`
    : `row ${key} of ${name}, which transaction ${xid} wrote, was left out`;
}

/** Verifies the decisions of each tick. */
async function verifyTicks(sql: Transaction, complain: Complain): Promise<void> {
  const wrong = await sql<
    { period_ms: number; shard: number; from_slot: number; slot: number; decisions: number; digest: string; found: number }[]
  >`
    select t.period_ms, t.shard, t.from_slot, t.slot, t.decisions, t.digest, d.found from tick_batches t cross join lateral (
      select count(*)::int as found, encode(sha256(convert_to(coalesce(
        string_agg(d.agent_id || ' ' || d.slot || ' ' || encode(d.hash, 'hex') || chr(10), '' order by d.slot, d.agent_id), ''), 'UTF8')), 'hex') as digest
      from actors a join decisions d on d.agent_id = a.id and d.slot > t.from_slot and d.slot <= t.slot
      where a.tick_period_ms = t.period_ms and a.shard = t.shard
    ) d where d.digest <> t.digest order by t.slot limit ${MOST}`;
  for (const { period_ms, shard, from_slot, slot, decisions, digest, found } of wrong) {
    const rows =
      found > SEARCHED || found !== decisions + 1
        ? []
        : await sql<{ agent_id: string; slot: number; hash: string }[]>`
            select d.agent_id, d.slot, encode(d.hash, 'hex') as hash from actors a join decisions d on d.agent_id = a.id and d.slot > ${from_slot} and d.slot <= ${slot}
            where a.tick_period_ms = ${period_ms} and a.shard = ${shard}`;
    const all = rows.map(({ agent_id: agentId, ...row }) => ({ ...row, agentId }));
    const extra = all.find((one) => decisionsDigest(all.filter((row) => row !== one)) === digest);
    const which = extra === undefined ? '' : `: the one of agent ${extra.agentId} at ${new Date(extra.slot).toISOString()} was made up`;
    complain(
      extra?.slot ?? slot,
      extra?.agentId ?? null,
      'tick',
      `the worker signed ${decisions} decisions of shard ${shard}, ${found} others are there${which}`,
    );
  }
  const unsigned = await sql<{ agent_id: string; slot: number }[]>`
    select d.agent_id, d.slot from decisions d left join actors a on a.id = d.agent_id
    where not exists (select 1 from tick_batches t where t.period_ms = a.tick_period_ms and t.shard = a.shard and t.from_slot < d.slot and d.slot <= t.slot)
    order by d.slot, d.agent_id limit ${MOST}`;
  for (const { agent_id, slot } of unsigned) complain(slot, agent_id, 'tick', 'no tick that was signed made this decision');
}

/** Verifies the contents and writing time of each cut. */
async function verifyCuts(sql: Transaction, complain: Complain): Promise<void> {
  const wrong = await sql<{ slot: number; signed: boolean; source: string | null; at: number | null; same: boolean }[]>`
    select coalesce(c.slot, b.slot) as slot, b.slot is not null as signed, c.source, s.at, (c.source, c.instruments) is not distinct from (b.source, b.instruments)
      and o.digest is not distinct from b.digest as same
    from cuts c full join cut_batches b on b.slot = c.slot
    left join lateral (select encode(sha256(convert_to(coalesce(string_agg(instrument || ' ' || encode(sha256(convert_to(body, 'UTF8')), 'hex') || chr(10), ''
      order by instrument collate "C"), ''), 'UTF8')), 'hex') as digest from observations where slot = b.slot) o on true
    left join lateral (select t.at from trail_changes h join trail_batches t on t.xid = h.xid
      where h.name = 'cut_batches' and hashtext(h.key) = hashtext(b.slot::text) and h.key = b.slot::text and h.op = 'insert' order by h.seq desc limit 1) s on true
    where b.slot is null or c.slot is null or (c.source, c.instruments) is distinct from (b.source, b.instruments) or o.digest is distinct from b.digest
      or (b.source = 'streams' and (s.at < b.slot - 1000 or s.at > b.slot + ${CUT_MS}))
    order by 1 limit ${MOST}`;
  for (const { slot, signed, source, at, same } of wrong) {
    const fault = !signed
      ? 'nobody signed this cut'
      : source === null
        ? 'the cut that was signed was left out'
        : same
          ? `the cut was back-dated: it was signed at ${new Date(at ?? 0).toISOString()}`
          : 'the cut is not the one that was signed';
    complain(slot, null, 'cut', fault);
  }
}

/** Verifies every bar against the newest signed period that contains it. */
async function verifyCandles(sql: Transaction, complain: Complain): Promise<void> {
  const series = await sql<{ venue: string; instrument: string; timeframe: string; is_real: boolean }[]>`
    select venue, instrument, timeframe, is_real from candles union select venue, instrument, timeframe, is_real from candle_stretches order by 1, 2, 3, 4`;
  for (const { venue, instrument, timeframe, is_real } of series) {
    const wrong = await sql<{ open_time: number; signed: boolean; there: boolean }[]>`
      with signed as (
        select distinct on (d.open_time) d.open_time, d.digest from candle_stretches s cross join lateral (
          select ('x' || encode(substring(s.digests from n * 24 + 1 for 8), 'hex'))::bit(64)::bigint as open_time, substring(s.digests from n * 24 + 1 for 24) as digest
          from generate_series(0, s.bars - 1) n) d
        where s.venue = ${venue} and s.instrument = ${instrument} and s.timeframe = ${timeframe} and s.is_real = ${is_real}
        order by d.open_time, s.id desc
      ), present as (
        select open_time, ${barDigest(sql)} as digest from candles
        where venue = ${venue} and instrument = ${instrument} and timeframe = ${timeframe} and is_real = ${is_real}
      )
      select coalesce(p.open_time, s.open_time) as open_time, s.open_time is not null as signed, p.open_time is not null as there
      from present p full join signed s on s.open_time = p.open_time where p.digest is distinct from s.digest order by 1 limit ${MOST}`;
    for (const { open_time, signed, there } of wrong) {
      const fault = !signed ? 'was made up: nobody signed it' : there ? 'was changed since it was signed' : 'was left out';
      complain(
        open_time,
        null,
        'candle',
        `the ${timeframe} bar of ${venue}:${instrument} that opens at ${new Date(open_time).toISOString()} ${fault}`,
      );
    }
  }
}

interface LogReport {
  readonly logged: number;
  readonly checkpoints: number;
  readonly checkpoint: string | null;
  readonly consistency: readonly string[] | null;
}

/** Verifies the log: no gaps, in order of transactions, with the roots of its checkpoints. */
async function verifyLog(sql: Transaction, keys: readonly TrustedKey[], since: string | null, complain: Complain): Promise<LogReport> {
  const logKeys = keys.filter(({ writer }) => writer === 'log');
  const notes = await sql<{ size: number; note: string }[]>`select size, note from trail_checkpoints order by size`;
  const wanted = new Map<number, Checkpoint>();
  for (const { size, note } of notes) {
    const checkpoint = readCheckpoint(note, logKeys);
    if (checkpoint === null || checkpoint.size !== size)
      complain(0, null, 'checkpoint', `the checkpoint of size ${size} is not signed by a key of the log`);
    else wanted.set(size, checkpoint);
  }
  const older = since === null ? null : readCheckpoint(since, logKeys);
  if (since !== null && older === null) complain(0, null, 'checkpoint', 'the older checkpoint is not signed by a key of the log');
  const leaves: Buffer[] = [];
  const frontier = emptyFrontier();
  const check = (checkpoint: Checkpoint, what: string): void => {
    if (!frontierRoot(frontier).equals(checkpoint.root))
      complain(0, null, 'checkpoint', `${what} of size ${checkpoint.size} has another root than the log`);
  };
  let floor = 0;
  await eachLogged(sql, (batch, index, complained) => {
    if (complained !== null) complain(batch.at, null, 'log', complained);
    if (batch.at < floor - CLOCK_MS)
      complain(batch.at, null, 'log', `transaction ${batch.xid} was back-dated: the log was at ${new Date(floor).toISOString()} before it`);
    const leaf = leafHash(logEntry({ ...batch, keyId: batch.key_id }, batch.signature));
    appendLeaf(frontier, leaf);
    leaves.push(leaf);
    const checkpoint = wanted.get(index + 1);
    if (checkpoint !== undefined) {
      check(checkpoint, 'the checkpoint');
      floor = Math.max(floor, readTime(checkpoint));
    }
    if (older !== null && older.size === index + 1) check(older, 'the older checkpoint');
  });
  for (const { size } of notes)
    if (size > frontier.size) complain(0, null, 'log', `a checkpoint says ${size} entries, the log has ${frontier.size}`);
  if (older !== null && older.size > frontier.size)
    complain(0, null, 'log', `the older checkpoint says ${older.size} entries, the log has ${frontier.size}`);
  await verifyPlaces(sql, complain);
  const newest = notes.at(-1);
  const proof =
    older === null || newest === undefined || older.size > newest.size ? null : consistencyProof(leaves.slice(0, newest.size), older.size);
  return {
    logged: frontier.size,
    checkpoints: notes.length,
    checkpoint: newest?.note ?? null,
    consistency: proof === null ? null : proof.map((hash) => hash.toString('base64')),
  };
}

/** Reports signed batches that were inserted after the log had passed their position. */
async function verifyPlaces(sql: Transaction, complain: Complain): Promise<void> {
  const passed = await sql<{ xid: string; at: number }[]>`
    select b.xid::text as xid, b.at from trail_batches b where b.signature is not null and b.xid < (select max(xid) from trail_log)
      and not exists (select 1 from trail_log l where l.xid = b.xid) order by b.xid limit ${MOST}`;
  for (const { xid, at } of passed) complain(at, null, 'log', `transaction ${xid} was put in after the log had passed it`);
}

interface LoggedEntry {
  readonly index: number;
  readonly xid: string;
  readonly writer: Writer;
  readonly key_id: string;
  readonly at: EpochMs;
  readonly changes: number;
  readonly root: string;
  readonly signature: string;
}

async function eachLogged(sql: Transaction, receive: (entry: LoggedEntry, index: number, complaint: string | null) => void): Promise<void> {
  let next = 0;
  for (;;) {
    const rows = await sql<LoggedEntry[]>`
      select l.index, l.xid::text as xid, w.writer, b.key_id, b.at, b.changes, b.root, b.signature from trail_log l
      join trail_batches b on b.xid = l.xid join trail_writers w on w.key_id = b.key_id where l.index >= ${next} order by l.index limit ${PAGE}`;
    for (const row of rows) {
      receive(row, next, row.index === next ? null : `entry ${next} of the log was left out; the next one is ${row.index}`);
      next += 1;
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    next = last.index + 1;
  }
}

/** Returns the time of a checkpoint in its extension line; 0 if absent. */
function readTime({ extensions }: Checkpoint): EpochMs {
  return Number(/^at (\d+)$/.exec(extensions[0] ?? '')?.[1] ?? 0);
}
