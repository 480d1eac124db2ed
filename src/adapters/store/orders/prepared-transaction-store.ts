/** Prepared transactions in PostgreSQL: the room that an organization has for them, and how lists and risk read them. */
import type { CapacityObstacle } from '../../../../actors/prepared-transaction/open-capacity.ts';
import {
  type PreparedTransaction,
  type PreparedTransactionView,
  preparedTransaction,
} from '../../../../actors/prepared-transaction/resource.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { OpenProposal } from '../../../domain/books/book.ts';
import { plainDecimal } from '../../../domain/values/decimal.ts';
import type { TransactionPurpose } from '../../../domain/solana/lifecycle.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { withFills } from '../books/order-fills.ts';
import type { Sql, Transaction } from '../database.ts';
import type { Query } from '../queries.ts';
import { createRowReads } from '../resource-rows.ts';

/** The open states (`OPEN_TRANSACTION_STATES`), spelled as the index of open transactions spells them. */
function isOpen(sql: Sql | Transaction) {
  return sql`state in ('prepared', 'submitted', 'verified', 'broadcast', 'confirmed', 'refused', 'unknown')`;
}

/** Thrown if an organization's exposure changed between the assessment of a transaction and its creation: nothing is written. */
export class CapacityMoved extends Error {}

/** Thrown if an organization has as many open transactions as it may: nothing is written. */
export class CapacityFull extends Error {}

/** True for the error of a creation whose message, byte for byte, was prepared before. */
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

export function createPreparedTransactionStore(sql: Sql) {
  const reads = createRowReads(sql, preparedTransaction);
  const withTheirFills = (transactions: readonly PreparedTransaction[]): Promise<PreparedTransactionView[]> =>
    withFills(
      sql,
      transactions,
      ({ state }) => state === 'finalized',
      (transaction, fills) => ({ ...transaction, fills }),
    );

  const ofPurpose = (purpose: TransactionPurpose) => ({
    async list(orgId: string, page: Page): Promise<PageOf<PreparedTransactionView>> {
      const { items, next } = await reads.list(orgId, page, sql`and purpose = ${purpose}`);
      return { items: await withTheirFills(items), next };
    },

    /** Null if the organization has no such transaction. */
    async find(orgId: string, id: string): Promise<PreparedTransactionView | null> {
      const found = await reads.one(orgId, sql`t.id = ${id} and purpose = ${purpose}`);
      return found === null ? null : ((await withTheirFills([found]))[0] as PreparedTransactionView);
    },
  });
  return { ofPurpose };
}

/** Reads of swaps, newest first; a foreign one answers null, exactly as a missing one. */
export type SwapReads = ReturnType<ReturnType<typeof createPreparedTransactionStore>['ofPurpose']>;

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

/** Returns the obstacle that made the creation of a transaction fail. */
export function obstacleOf(error: unknown): CapacityObstacle {
  if (error instanceof CapacityMoved) return 'moved';
  if (error instanceof CapacityFull) return 'full';
  return isDuplicate(error) ? 'duplicate' : null;
}
