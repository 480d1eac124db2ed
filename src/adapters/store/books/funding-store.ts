/** Funding that books owe, and its booking, once per held hour regardless of repeated or concurrent attempts. */
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import { type FundingPayment, heldHours, type PerpetualFill } from '../../../domain/orders/funding.ts';
import { ledgerOfFunding } from '../../../domain/books/ledger.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import { writeFunding } from './book-store.ts';

/** A book that may owe funding for hours after `fundedUntil`. */
interface OwingBook {
  readonly id: string;
  readonly orgId: string;
  /** End of the last held hour that is booked, or 0 before the first. */
  readonly fundedUntil: EpochMs;
}

export function createFundingStore(sql: Sql) {
  return {
    /** Returns books with perpetuals that may owe funding for an hour up to `hour`. */
    async owing(hour: EpochMs): Promise<readonly OwingBook[]> {
      const rows = await sql<{ id: string; org_id: string; funded_until: number | null }[]>`
        select id, org_id, funded_until from books where coalesce(funded_until, 0) < ${hour} and (
          exists (select 1 from readable_elements(holdings) h(holding) where starts_with(h.holding ->> 'instrument', 'evmvenue:'))
          or exists (select 1 from fills f where f.book_id = books.id and starts_with(f.instrument, 'evmvenue:') and f.at >= coalesce(funded_until, 0)))
        order by id`;
      return rows.map(({ id, org_id, funded_until }) => ({ id, orgId: org_id, fundedUntil: funded_until ?? 0 }));
    },

    fills: (bookId: string): Promise<readonly PerpetualFill[]> => readPerpetualFills(sql, bookId),

    /** Books payments that are not booked yet, each once. Returns how many were booked. */
    book(
      { id: bookId, orgId }: Pick<OwingBook, 'id' | 'orgId'>,
      payments: readonly FundingPayment[],
      fundedUntil: EpochMs,
      at: EpochMs,
    ): Promise<number> {
      return inTransaction(sql, async (transaction) => {
        await transaction`select 1 from books where id = ${bookId} for update`;
        const named = payments.map((payment) => ({ payment, id: ledgerOfFunding(bookId, payment, at).id }));
        const ids = named.map(({ id }) => id);
        const booked = await transaction<{ id: string }[]>`select id from ledger_transactions where id = any(${ids}::text[])`;
        const known = new Set(booked.map(({ id }) => id));
        const due = named.flatMap(({ payment, id }) => (payment.paidUsd === '0' || known.has(id) ? [] : [payment]));
        if (due.length > 0) await writeFunding(transaction, { orgId, bookId }, due, at);
        await markFunded(transaction, bookId, fundedUntil);
        return due.length;
      });
    },
  };
}

export type FundingStore = ReturnType<typeof createFundingStore>;

async function markFunded(transaction: Parameters<typeof writeFunding>[0], bookId: string, until: EpochMs): Promise<void> {
  await transaction`update books set funded_until = ${until} where id = ${bookId} and coalesce(funded_until, 0) < ${until}`;
}

/** Returns the number of hours up to `until` whose funding a book owes and has not booked. */
export async function countOwedHours(sql: Sql, bookId: string, until: EpochMs): Promise<number> {
  const [book] = await sql<{ funded: EpochMs }[]>`select coalesce(funded_until, 0) as funded from books where id = ${bookId}`;
  return book === undefined ? 0 : heldHours(await readPerpetualFills(sql, bookId), book.funded, until).length;
}

/** Reads a book's fills of perpetuals since an instant, ascending. */
export async function readPerpetualFills(sql: Sql, bookId: string, since: EpochMs = 0): Promise<readonly PerpetualFill[]> {
  const rows = await sql<PerpetualFill[]>`
    select instrument, side, quantity, at from fills where book_id = ${bookId} and starts_with(instrument, 'evmvenue:') and at >= ${since}
    order by at, number`;
  return rows.map((row) => ({ ...row, quantity: plainDecimal(row.quantity) }));
}

/** Reads all funding that was booked to a book until an instant, ascending by hour. */
export async function readFunding(sql: Sql, bookId: string, until: EpochMs = Number.MAX_SAFE_INTEGER): Promise<readonly FundingPayment[]> {
  const rows = await sql<{ instrument: InstrumentKey; hour: number; paid: DecimalString }[]>`
    select substring(t.id from '(evmvenue:.*):[0-9]+$') as instrument, substring(t.id from '[0-9]+$')::bigint as hour, -l.amount as paid
    from ledger_transactions t join ledger_legs l on l.transaction_id = t.id join ledger_accounts a on a.id = l.account_id and a.kind = 'cash'
    where t.book_id = ${bookId} and t.kind = 'funding' and t.at <= ${until} order by 2, t.number`;
  return rows.map(({ instrument, hour, paid }) => ({ instrument, hour, paidUsd: plainDecimal(paid) }));
}
