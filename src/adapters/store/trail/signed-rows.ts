/**
 * Checks before an assessment that its rows are as registered writers signed them. Verified signatures are cached; rows are compared every
 * time.
 */
import type { PendingQuery, Row } from 'postgres';
import { bookIds } from '../../../domain/books/book.ts';
import type { EvidenceDraft, EvidenceSeries } from '../../../domain/agents/evidence.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import { DAY_MS, type EpochMs } from '../../../domain/values/time.ts';
import type { ChangeOp, Writer } from '../../../domain/trail/batch.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../../domain/market/venue.ts';
import type { TrustedKey } from '../../signing-keys/writer-keys.ts';
import type { Sql, Transaction } from '../database.ts';
import { batchFault, readBatches } from './batch-check.ts';
import { foreignCuts } from './row-signers.ts';
import { shadowFaults } from '../gates/shadow-store.ts';
import { requireKept } from './history-archive.ts';
import { mayWrite } from './table-writers.ts';

/** Thrown if a row behind an assessment is not as a writer signed it. */
export class UnsignedRow extends Error {
  override readonly name = 'UnsignedRow';
}

/** Key columns of each assessed table with their types, in primary key order. */
const KEYS = {
  books: { id: 'text' },
  candle_stretches: { id: 'bigint' },
  cut_batches: { slot: 'bigint' },
  evidence: { id: 'uuid' },
  fills: { id: 'text' },
  shadow_orders: { fill_id: 'text' },
  shadow_windows: { fill_id: 'text' },
  manifests: { agent_id: 'uuid', version: 'int' },
  prediction_status_changes: { market_id: 'text', received_at: 'bigint', status: 'text' },
  members: { subject: 'text' },
  steps: { actor_id: 'uuid', version: 'bigint' },
  token_multipliers: { instrument: 'text', at: 'bigint' },
  vault_marks: { agent_id: 'uuid', at: 'bigint' },
  vaults: { agent_id: 'uuid' },
} as const;
type Assessed = keyof typeof KEYS;
/** Tables that assessments read. The newest leaf of each of their rows stays in the database. */
export const ASSESSED_TABLES: readonly string[] = Object.keys(KEYS);

/** Maximum number of cached signatures. */
const REMEMBERED = 200_000;
/** Bars per comparison with signed digests. */
const BARS_AT_ONCE = 10_000;

/** @param sql may read the tables and their trail: the role of the evaluator or of the application. */
export function createSignedRows(sql: Sql) {
  const good: GoodBatches = new Map();

  async function requireIn(transaction: Transaction, table: Assessed, keys: readonly string[]): Promise<void> {
    for (const fault of (await findFaults(transaction, good, table, keys)).values()) if (fault !== null) throw new UnsignedRow(fault);
  }

  /** Runs checks if a writer is registered; otherwise nothing is signed and nothing is checked. */
  async function checking(work: (transaction: Transaction) => Promise<void>): Promise<void> {
    await sql.begin(async (transaction) => {
      const [signed] = await transaction`select 1 from trail_writers limit 1`;
      if (signed === undefined) return;
      await transaction`set local timezone to 'UTC'`;
      await work(transaction);
    });
  }

  return {
    /** @throws UnsignedRow that names the first of the rows that nobody signed as it lies. */
    requireRows: (table: Assessed, keys: readonly string[]): Promise<void> =>
      checking((transaction) => requireIn(transaction, table, keys)),

    /** The cut of a slot with its observations. @throws UnsignedRow */
    requireCut: (slot: EpochMs): Promise<void> =>
      checking(async (transaction) => {
        await requireIn(transaction, 'cut_batches', [String(slot)]);
        await requireObservations(transaction, [String(slot)]);
      }),

    /** Returns the keys whose rows are as a writer signed them. */
    async signedOnes(table: Assessed, keys: readonly string[]): Promise<ReadonlySet<string>> {
      const ones = new Set(keys);
      await checking(async (transaction) => {
        for (const [key, fault] of await findFaults(transaction, good, table, keys)) if (fault !== null) ones.delete(key);
      });
      return ones;
    },

    /** The same for everything that a piece of evidence rests on. @throws UnsignedRow */
    requireBasis: (draft: EvidenceDraft): Promise<void> =>
      checking(async (transaction) => {
        await requireIn(transaction, 'manifests', [`${draft.agentId} ${draft.manifestVersion}`]);
        if (draft.kind === 'risk_signoff')
          await requireIn(transaction, 'members', [(draft.series as EvidenceSeries['risk_signoff']).subject]);
        if (draft.kind === 'paper' || draft.kind === 'shadow') {
          const { enteredAt, evaluatedAt } = draft.series as EvidenceSeries['paper'];
          await requireIn(transaction, 'fills', await readFills(transaction, draft, evaluatedAt));
          await requireIn(transaction, 'steps', await readSteps(transaction, draft.agentId));
          await requireKept(transaction, enteredAt - DAY_MS, 'the evidence');
          if (draft.kind === 'paper') {
            const slots = await readSlots(transaction, draft, enteredAt, evaluatedAt);
            await requireIn(transaction, 'cut_batches', slots);
            await requireObservations(transaction, slots);
            await requireIn(transaction, 'token_multipliers', await readMultipliers(transaction, draft, evaluatedAt));
          } else await requireShadow(transaction, draft, evaluatedAt, requireIn);
        }
        if (draft.kind === 'backtest' || draft.kind === 'stress_test')
          await requireIn(transaction, 'candle_stretches', await readStretches(transaction, await readUniverse(transaction, draft)));
      }),
  };
}

export type SignedRows = ReturnType<typeof createSignedRows>;

/** Batches with a verified signature, and their writers. */
type GoodBatches = Map<string, Writer>;

/** Returns each row's fault as a sentence; null if it is as a writer signed it. */
async function findFaults(
  transaction: Transaction,
  good: GoodBatches,
  table: Assessed,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (keys.length === 0) return new Map();
  const rows = await transaction<{ key: string; same: boolean; xid: string | null; op: ChangeOp | null }[]>`
    select w.key, coalesce(p.digest = l.digest, false) as same, l.xid::text as xid, l.op from unnest(${keys as string[]}::text[]) as w(key)
    left join lateral (
      select sha256(convert_to(to_jsonb(r)::text, 'UTF8')) as digest from ${transaction(table)} r where ${isNamed(transaction, table)}) p on true
    left join lateral (select digest, xid, op from trail_changes c 
      where c.name = ${table} and hashtext(c.key) = hashtext(w.key) and c.key = w.key order by seq desc limit 1) l on true`;
  const signed = rows.flatMap(({ same, xid }) => (same && xid !== null ? [xid] : []));
  const batches = await batchFaults(transaction, good, [...new Set(signed)]);
  return new Map(
    rows.map(({ key, same, xid, op }) => {
      if (!same) return [key, `row ${key} of ${table} is not as a writer signed it`];
      const writer = good.get(xid as string);
      // Rows of a genesis are unattested: its signer states only that they existed.
      const isForeign = writer !== undefined && op !== 'genesis' && !mayWrite(writer, table);
      return [
        key,
        isForeign ? `row ${key} of ${table} was signed by the ${writer}, which does not write it` : (batches.get(xid as string) ?? null),
      ];
    }),
  );
}

/** Returns the faults of transactions' batches. Valid ones are added to `good` and have no entry. */
async function batchFaults(transaction: Transaction, good: GoodBatches, xids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const faults = new Map<string, string>();
  const unknown = xids.filter((xid) => !good.has(xid));
  if (unknown.length === 0) return faults;
  const keys = await registeredKeys(transaction);
  const known = await readBatches(transaction, unknown);
  if (good.size > REMEMBERED) good.clear();
  for (const xid of unknown) {
    const one = known.get(xid);
    const fault = one === undefined ? `transaction ${xid} has no batch` : batchFault(one.batch, one.changes, keys, one.thinned);
    const writer = keys.find(({ id }) => id === one?.batch.key_id)?.writer;
    if (fault !== null) faults.set(xid, fault);
    else if (writer !== undefined) good.set(xid, writer);
  }
  return faults;
}

/** Returns SQL that row `r` has the key `w.key`, in a form that uses the primary key. */
function isNamed(transaction: Transaction, table: Assessed) {
  const columns = Object.entries(KEYS[table]);
  const [first, ...rest] = columns.map(([column, type], place) => {
    // A key of one column may contain blanks.
    const part = columns.length === 1 ? transaction`w.key` : transaction`split_part(w.key, ' ', ${place + 1}::int)`;
    return transaction`${transaction(`r.${column}`)} = ${ofType(transaction, part, type)}`;
  });
  return rest.reduce((before, one) => transaction`${before} and ${one}`, first as PendingQuery<Row[]>);
}

function ofType(transaction: Transaction, text: PendingQuery<Row[]>, type: 'text' | 'uuid' | 'bigint' | 'int') {
  if (type === 'text') return text;
  if (type === 'uuid') return transaction`${text}::uuid`;
  return type === 'int' ? transaction`${text}::int` : transaction`${text}::bigint`;
}

async function registeredKeys(transaction: Transaction): Promise<readonly TrustedKey[]> {
  const rows = await transaction<
    { key_id: string; writer: Writer; public_key: Buffer }[]
  >`select key_id, writer, public_key from trail_writers`;
  return rows.map(({ key_id: id, writer, public_key: publicKey }) => ({ id, name: `sevengate/${writer}`, writer, publicKey }));
}

async function readFills(
  transaction: Transaction,
  { agentId, manifestVersion }: EvidenceDraft,
  until: EpochMs,
): Promise<readonly string[]> {
  const rows = await transaction<{ id: string }[]>`
    select id from fills where book_id = ${bookIds.paper(agentId, manifestVersion)} and at <= ${until} order by number`;
  return rows.map(({ id }) => id);
}

/** Returns the multipliers of the traded tokens, whose changes move what the book held. */
async function readMultipliers(
  transaction: Transaction,
  { agentId, manifestVersion }: EvidenceDraft,
  until: EpochMs,
): Promise<readonly string[]> {
  const rows = await transaction<{ key: string }[]>`
    select instrument || ' ' || at as key from token_multipliers where at <= ${until} and instrument in (
      select instrument from fills where book_id = ${bookIds.paper(agentId, manifestVersion)} and at <= ${until})`;
  return rows.map(({ key }) => key);
}

/** Checks the windows of shadow orders: signed by the feed, with the results in their rows. @throws UnsignedRow */
async function requireShadow(
  transaction: Transaction,
  draft: EvidenceDraft,
  until: EpochMs,
  requireIn: (transaction: Transaction, table: Assessed, keys: readonly string[]) => Promise<void>,
): Promise<void> {
  const measured = await readMeasured(transaction, draft, until);
  await requireIn(transaction, 'shadow_orders', measured);
  await requireIn(transaction, 'shadow_windows', measured);
  const feeds = (await registeredKeys(transaction)).filter(({ writer }) => writer === 'feed').map(({ id }) => id);
  const [wrong] = await shadowFaults(transaction, feeds, measured);
  if (wrong !== undefined) throw new UnsignedRow(wrong.fault);
}

/** Returns the measured fills of the shadow stage. */
async function readMeasured(
  transaction: Transaction,
  { agentId, manifestVersion }: EvidenceDraft,
  until: EpochMs,
): Promise<readonly string[]> {
  const rows = await transaction<{ id: string }[]>`
    select f.id from fills f join shadow_windows w on w.fill_id = f.id and w.measured_at <= ${until}
    where f.book_id = ${bookIds.paper(agentId, manifestVersion)} and f.at <= ${until} order by f.number`;
  return rows.map(({ id }) => id);
}

/** Returns the agent's steps, from which its periods off duty follow. */
async function readSteps(transaction: Transaction, agentId: string): Promise<readonly string[]> {
  const rows = await transaction<{ key: string }[]>`select actor_id || ' ' || version as key from steps where actor_id = ${agentId}`;
  return rows.map(({ key }) => key);
}

/** Returns the slots whose observations valued the book at each day's end. */
async function readSlots(
  transaction: Transaction,
  { agentId, manifestVersion }: EvidenceDraft,
  enteredAt: EpochMs,
  evaluatedAt: EpochMs,
): Promise<readonly string[]> {
  const rows = await transaction<{ slot: string }[]>`
    with traded as (
      select distinct instrument from fills where book_id = ${bookIds.paper(agentId, manifestVersion)} and at <= ${evaluatedAt}
    ), span as (
      select ${enteredAt}::bigint - ${DAY_MS}::bigint as "from", ${enteredAt}::bigint + 1 as until
      union all
      select day, least(day + ${DAY_MS}::bigint, ${evaluatedAt}::bigint + 1)
      from generate_series(${enteredAt}::bigint - ${enteredAt}::bigint % ${DAY_MS}::bigint, ${evaluatedAt}::bigint, ${DAY_MS}::bigint) as day
    )
    select distinct o.slot::text as slot from span s cross join traded i cross join lateral (
      select slot from judged_observations where slot >= s."from" and slot < s.until and instrument = i.instrument
        and body::jsonb #>> '{quote,quality}' = 'live' and body::jsonb #>> '{quote,bid}' is not null order by slot desc limit 1) o`;
  return rows.map(({ slot }) => slot);
}

/** @throws UnsignedRow if a cut differs from what was signed, or the feed has not signed it */
async function requireObservations(transaction: Transaction, slots: readonly string[]): Promise<void> {
  const [wrong] = await transaction<{ slot: number }[]>`
    select b.slot from cut_batches b left join lateral (
      select encode(sha256(convert_to(coalesce(string_agg(instrument || ' ' || encode(sha256(convert_to(body, 'UTF8')), 'hex') || chr(10), ''
        order by instrument collate "C"), ''), 'UTF8')), 'hex') as digest from observations where slot = b.slot) o on true
    where b.slot = any(${slots as string[]}::text[]::bigint[]) and o.digest is distinct from b.digest order by 1 limit 1`;
  if (wrong !== undefined) throw new UnsignedRow(`the cut of ${new Date(wrong.slot).toISOString()} is not the one that was signed`);
  const [foreign] = await foreignCuts(transaction, await registeredKeys(transaction), slots);
  if (foreign !== undefined) throw new UnsignedRow(`the cut of ${new Date(foreign.at).toISOString()}: ${foreign.fault}`);
}

async function readUniverse(transaction: Transaction, { agentId, manifestVersion }: EvidenceDraft): Promise<readonly InstrumentKey[]> {
  const [row] = await transaction<{ canonical: string }[]>`
    select canonical from manifests where agent_id = ${agentId} and version = ${manifestVersion}`;
  return (JSON.parse(row?.canonical ?? '{"universe":[]}') as Manifest).universe.map(({ key }) => key);
}

/** Returns the signed periods of the instruments' bars. @throws UnsignedRow */
async function readStretches(transaction: Transaction, universe: readonly InstrumentKey[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const key of universe) {
    const { venue, instrument } = splitInstrumentKey(key);
    const series = await transaction<{ timeframe: string; isReal: boolean }[]>`
      select distinct timeframe, is_real as "isReal" from candles where venue = ${venue} and instrument = ${instrument} order by 1, 2`;
    for (const one of series) await requireBars(transaction, { venue, instrument, ...one });
    const rows = await transaction<{ id: string }[]>`
      select id::text as id from candle_stretches where venue = ${venue} and instrument = ${instrument}`;
    for (const { id } of rows) ids.push(id);
  }
  return ids;
}

/**
 * Compares every bar of a series with the newest signed period, some thousands per statement to stay within its timeout. @throws
 * UnsignedRow
 */
async function requireBars(
  transaction: Transaction,
  series: { readonly venue: string; readonly instrument: string; readonly timeframe: string; readonly isReal: boolean },
): Promise<void> {
  const { venue, instrument, timeframe, isReal } = series;
  let from: EpochMs | null = 0;
  while (from !== null) {
    const next: readonly { open_time: EpochMs }[] = await transaction<{ open_time: EpochMs }[]>`
      select open_time from candles where venue = ${venue} and instrument = ${instrument} and timeframe = ${timeframe} and is_real = ${isReal} and open_time >= ${from}
      order by open_time offset ${BARS_AT_ONCE} limit 1`;
    const to = next[0]?.open_time ?? Number.MAX_SAFE_INTEGER;
    // Unpack a period's digests once and not per bar.
    const [wrong] = await transaction<{ open_time: EpochMs }[]>`
      select open_time from (
        select open_time, null::bigint as stretch, ${barDigest(transaction)} as digest
        from candles where venue = ${venue} and instrument = ${instrument} and timeframe = ${timeframe} and is_real = ${isReal} and open_time >= ${from} and open_time < ${to}
        union all
        select ('x' || encode(substring(d.digest from 1 for 8), 'hex'))::bit(64)::bigint, s.id, d.digest from candle_stretches s
        cross join lateral (select s.digests || ''::bytea as digests offset 0) whole
        cross join lateral (select substring(whole.digests from n * 24 + 1 for 24) as digest from generate_series(0, s.bars - 1) n offset 0) d
        where s.venue = ${venue} and s.instrument = ${instrument} and s.timeframe = ${timeframe} and s.is_real = ${isReal} and s.last_open >= ${from} and s.first_open < ${to}
      ) bar where open_time >= ${from} and open_time < ${to}
      group by open_time having bool_or(stretch is null) and (array_agg(digest order by stretch desc nulls first))[1]
        is distinct from (array_agg(digest order by stretch desc nulls first))[2]
      order by open_time limit 1`;
    if (wrong !== undefined)
      throw new UnsignedRow(
        `nobody signed the ${timeframe} bar of ${venue}:${instrument} that opens at ${new Date(wrong.open_time).toISOString()} as it lies`,
      );
    from = next[0]?.open_time ?? null;
  }
}

/** Returns the expression over a row of `candles`: 8 bytes of its open time and the first 16 of the SHA-256 of its values. */
export function barDigest(sql: Transaction): PendingQuery<Row[]> {
  return sql`int8send(open_time) || substring(sha256(convert_to(concat_ws(' ', trim_scale(open), trim_scale(high), trim_scale(low), trim_scale(close),
    trim_scale(volume)), 'UTF8')) from 1 for 16)`;
}
