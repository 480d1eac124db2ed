/** Prepared transactions in PostgreSQL: their projection, the room that an organization has for them, and how lists and risk read it. */
import type { CapacityObstacle } from '../../../../actors/prepared-transaction/open-capacity.ts';
import type { SwapReads } from '../../../../api/v1/spotchain/ports.ts';
import type { ActorRecord } from '../../../domain/actor-step.ts';
import type { Fill, OpenProposal } from '../../../domain/book.ts';
import type { Json } from '../../../domain/canonical-json.ts';
import { plainDecimal } from '../../../domain/decimal.ts';
import type { PreparedTransactionState, TransactionPurpose } from '../../../domain/solana/lifecycle.ts';
import type { PreparedMessage } from '../../../domain/solana/verify.ts';
import { withFills } from '../books/order-fills.ts';
import type { Sql, Transaction } from '../database.ts';
import type { Query } from '../queries.ts';
import { pageOfRows } from '../page-of-rows.ts';

interface Row {
  readonly id: string;
  readonly number: number;
  readonly purpose: TransactionPurpose;
  readonly state: PreparedTransactionState;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly wallet: string;
  readonly subject: { readonly [key: string]: Json };
  readonly message: PreparedMessage;
  readonly unsigned: string;
  readonly signature: string | null;
  readonly slot: number | null;
  readonly fee_lamports: string | null;
  readonly prepared_by: string;
  readonly submitted_by: string | null;
  readonly created_at: number;
  readonly changed_at: number;
}

/** The open states (`OPEN_TRANSACTION_STATES`), spelled as the index of open transactions spells them. */
function isOpen(sql: Sql | Transaction) {
  return sql`state in ('prepared', 'submitted', 'verified', 'broadcast', 'confirmed', 'refused', 'unknown')`;
}

/** Thrown where an organization's exposure changed between the assessment of a transaction and its creation: nothing is written. */
export class CapacityMoved extends Error {}

/** Thrown where an organization has as many open transactions as it may: nothing is written. */
export class CapacityFull extends Error {}

/** True of the error of a creation whose message, byte for byte, was prepared before. */
export function isDuplicate(error: unknown): boolean {
  const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
  return code === '23505' && constraint === 'prepared_transactions_by_digest';
}

/** Content of a `transaction_capacity` record: the version of the assessed exposure, and the limit of open transactions. */
export interface PreparedCapacityRecord extends ActorRecord {
  readonly type: 'transaction_capacity';
  readonly orgId: string;
  readonly bookId: string | null;
  readonly exposureVersion: string;
  readonly most: number;
}

/**
 * Returns the version of the facts behind a risk assessment, as one text: the book's version, the mandate's, and what is open. Read before
 * the assessment and again in the transaction of the creation; if both are the same, the assessment holds there.
 */
export async function exposureVersionOf(sql: Sql | Transaction, orgId: string, bookId: string | null): Promise<string> {
  const [row] = await sql<{ exposureVersion: string }[]>`
    select concat_ws(' ',
      (select version from books where id = ${bookId}),
      (select coalesce(max(version), 0) from risk_preferences where org_id = ${orgId}),
      (select count(*) || '/' || coalesce(max(number), 0) || '/' || coalesce(sum(bound_usd), 0)
        from market_orders where org_id = ${orgId} and state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown')),
      (select count(*) || '/' || coalesce(max(number), 0) from prediction_orders where org_id = ${orgId} and state in ('prepared', 'submitted', 'open', 'partially_filled')),
      (select count(*) || '/' || coalesce(max(number), 0) from bridge_transfers
        where org_id = ${orgId} and state in ('submitted', 'source_confirmed', 'source_final', 'filling', 'refunding', 'unknown')),
      (select count(*) || '/' || coalesce(max(number), 0) from prepared_transactions
        where org_id = ${orgId} and ${isOpen(sql)})) as "exposureVersion"`;
  return row?.exposureVersion as string;
}

/** Lets transactions of an organization be created one after the other. @throws RoomMoved, RoomFull */
export async function requireCapacities(transaction: Transaction, records: readonly ActorRecord[]): Promise<void> {
  for (const { orgId, bookId, exposureVersion, most } of records as readonly PreparedCapacityRecord[]) {
    await transaction`select lock_prepared_transactions(${orgId as string})`;
    const [open] = await transaction<{ n: number }[]>`
      select count(*)::int as n from prepared_transactions where org_id = ${orgId} and ${isOpen(transaction)}`;
    if ((open?.n as number) >= most) throw new CapacityFull(`organization ${orgId} has ${open?.n} open transactions`);
    if ((await exposureVersionOf(transaction, orgId, bookId)) !== exposureVersion)
      throw new CapacityMoved(`the exposure of organization ${orgId} changed`);
  }
}

/** Writes where transactions stand. */
export function writePreparedTransactions(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  return transaction`
    insert into prepared_transactions (id, org_id, purpose, executor, wallet, subject, message, unsigned, book_id, instrument, side, quantity, notional_usd,
      dollars_usd, prepared_by, submitted_by, epoch, state, reason, detail, signature, broadcasts, slot, fee_lamports, expired_at_height, created_at, changed_at)
    select id, "orgId", purpose, executor, wallet, subject, message, unsigned, "bookId", instrument, side, quantity, "notionalUsd",
      "dollarsUsd", "preparedBy", "submittedBy", epoch, state, reason, detail, signature, broadcasts, slot, "feeLamports", "expiredAtHeight", "createdAt", "changedAt"
    from jsonb_to_recordset(${transaction.json(rows as never)}) as r(id uuid, "orgId" uuid, purpose text, executor text, wallet text, subject jsonb,
      message jsonb, unsigned text, "bookId" text, instrument text, side text, quantity numeric, "notionalUsd" numeric, "dollarsUsd" numeric, "preparedBy" text,
      "submittedBy" text, epoch bigint, state text, reason text, detail text, signature text, broadcasts int, slot bigint, "feeLamports" numeric,
      "expiredAtHeight" bigint, "createdAt" bigint, "changedAt" bigint)
    on conflict (id) do update set submitted_by = excluded.submitted_by, state = excluded.state, reason = excluded.reason, detail = excluded.detail,
      signature = excluded.signature, broadcasts = excluded.broadcasts, slot = excluded.slot, fee_lamports = excluded.fee_lamports,
      expired_at_height = excluded.expired_at_height, changed_at = excluded.changed_at`;
}

export function createPreparedTransactionStore(sql: Sql) {
  const columns = sql`id, number, purpose, state, reason, detail, wallet, subject, message, unsigned, signature, slot, fee_lamports::text,
    prepared_by, submitted_by, created_at, changed_at`;

  const viewsOf = (rows: readonly Row[]) => withFills(sql, rows, ({ state }) => state === 'finalized', viewOf);

  /** Reads of the transactions of one purpose. */
  const ofPurpose = (purpose: TransactionPurpose): SwapReads => ({
    /** Newest first. The position is the last one's number. */
    async list(orgId, { limit, after }) {
      const rows = await sql<Row[]>`
        select ${columns} from prepared_transactions where org_id = ${orgId} and purpose = ${purpose}
        ${after === null ? sql`` : sql`and number < ${Number(after)}`}
        order by number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row.number));
      return { items: await viewsOf(page.items), next: page.next };
    },

    /** Null if the organization has no such transaction. */
    async find(orgId, id) {
      const rows = await sql<Row[]>`
        select ${columns} from prepared_transactions where id = ${id} and org_id = ${orgId} and purpose = ${purpose}`;
      return (await viewsOf(rows))[0] ?? null;
    },
  });
  return { ofPurpose };
}

/** Reads the reservations of open transactions in a book. */
export function openPreparedTransactions(sql: Sql | Transaction, orgId: string, bookId: string): Query<readonly OpenProposal[]> {
  return {
    statement: sql`
      select id, instrument, side, quantity::text, notional_usd::text as "notionalUsd" from prepared_transactions
      where org_id = ${orgId} and ${isOpen(sql)} and book_id = ${bookId}
      order by number`,
    read: (rows: OpenProposal[]) =>
      rows.map((row) => ({ ...row, quantity: plainDecimal(row.quantity), notionalUsd: plainDecimal(row.notionalUsd) })),
  };
}

function viewOf(row: Row, fills: readonly Fill[]) {
  return {
    id: row.id,
    purpose: row.purpose,
    state: row.state,
    reason: row.reason,
    detail: row.detail,
    wallet: row.wallet,
    subject: row.subject,
    message: row.message,
    unsigned: row.unsigned,
    signature: row.signature,
    slot: row.slot,
    feeLamports: row.fee_lamports,
    fills,
    preparedBy: row.prepared_by,
    submittedBy: row.submitted_by,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

/** Returns the obstacle that made the creation of a transaction fail. */
export function obstacleOf(error: unknown): CapacityObstacle {
  if (error instanceof CapacityMoved) return 'moved';
  if (error instanceof CapacityFull) return 'full';
  return isDuplicate(error) ? 'duplicate' : null;
}
