/** Store of prepared transactions: the capacity of an organization, and the reads of lists and risk. */
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

/** Returns the condition of open transactions (`OPEN_TRANSACTION_STATES`) with literals, so that their partial index is used. */
function isOpen(sql: Sql | Transaction) {
  return sql`state in ('prepared', 'submitted', 'verified', 'broadcast', 'confirmed', 'refused', 'unknown')`;
}

/** Thrown if the organization's exposure changed between the risk assessment and the creation. Nothing is written. */
class CapacityMoved extends Error {}

/** Thrown if the organization has the maximum number of open transactions. Nothing is written. */
class CapacityFull extends Error {}

/** Returns true for the error of creating a transaction with an existing message. */
function isDuplicate(error: unknown): boolean {
  const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
  return code === '23505' && constraint === 'prepared_transactions_by_digest';
}

/** Content of a `transaction_capacity` record: the version of the assessed exposure, and the limit of open transactions. */
interface PreparedCapacityRecord extends ActorRecord {
  readonly type: 'transaction_capacity';
  readonly orgId: string;
  readonly bookId: string | null;
  readonly exposureVersion: string;
  readonly most: number;
}

/**
 * Returns the version of the facts behind a risk assessment as one text: of the book, the mandate and open work. It is read before the
 * assessment and again when the transaction is created; if both are equal, the assessment is still valid.
 */
export async function readExposureVersion(sql: Sql | Transaction, orgId: string, bookId: string | null): Promise<string> {
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

/** Checks capacity and serializes the creation of an organization's transactions. @throws CapacityMoved, CapacityFull */
export async function requireCapacities(transaction: Transaction, records: readonly ActorRecord[]): Promise<void> {
  for (const { orgId, bookId, exposureVersion, most } of records as readonly PreparedCapacityRecord[]) {
    await transaction`select lock_prepared_transactions(${orgId as string})`;
    const [open] = await transaction<{ n: number }[]>`
      select count(*)::int as n from prepared_transactions where org_id = ${orgId} and ${isOpen(transaction)}`;
    if ((open?.n as number) >= most) throw new CapacityFull(`organization ${orgId} has ${open?.n} open transactions`);
    if ((await readExposureVersion(transaction, orgId, bookId)) !== exposureVersion)
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

    /** Returns a transaction; null if the organization has none with the id. */
    async find(orgId: string, id: string): Promise<PreparedTransactionView | null> {
      const found = await reads.one(orgId, sql`t.id = ${id} and purpose = ${purpose}`);
      return found === null ? null : ((await withTheirFills([found]))[0] as PreparedTransactionView);
    },
  });
  return { ofPurpose };
}

/** Reads of swaps, newest first; a foreign one is answered like a missing one. */
export type SwapReads = ReturnType<ReturnType<typeof createPreparedTransactionStore>['ofPurpose']>;

/** Reads the reserved amounts of open transactions in a book. */
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

/** Returns the obstacle for an error of the creation. */
export function toCapacityObstacle(error: unknown): CapacityObstacle {
  if (error instanceof CapacityMoved) return 'moved';
  if (error instanceof CapacityFull) return 'full';
  return isDuplicate(error) ? 'duplicate' : null;
}
