/** Changes of multipliers that books have not booked, and their booking, once per book and change. */
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import { type MultiplierChange, rescaledBy } from '../../../domain/books/book.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { writeRescaling } from './book-store.ts';

/** A change of a multiplier that a book with the token has not booked. */
interface DueRescaling extends Pick<MultiplierChange, 'instrument' | 'at'> {
  readonly bookId: string;
  readonly orgId: string;
}

export function createRescalingStore(sql: Sql) {
  return {
    /** Returns the changes within [since, until) that books held a token through and have not booked, in order of time. */
    due: (since: EpochMs, until: EpochMs): Promise<readonly DueRescaling[]> => readDue(sql, since, until),

    /** Books a change by what the book held at that instant. Returns false if nothing of it remained to be booked. */
    book({ bookId, orgId, instrument, at }: DueRescaling): Promise<boolean> {
      return inTransaction(sql, async (transaction) => {
        await transaction`select 1 from books where id = ${bookId} for update`;
        const due = await readDue(transaction, at, at + 1, bookId);
        const own = due.find((one) => one.instrument === instrument);
        if (own === undefined) return false;
        const quantity = rescaledBy(plainDecimal(own.held), own.before, own.after);
        if (quantity === '0') return false;
        await writeRescaling(transaction, orgId, { bookId, instrument, quantity, at });
        return true;
      });
    },
  };
}

export type RescalingStore = ReturnType<typeof createRescalingStore>;

interface ReadRescaling extends DueRescaling, MultiplierChange {
  /** Quantity that the book held at that instant, by its ledger. */
  readonly held: DecimalString;
}

/** Reads the due changes of all books, or of one. */
function readDue(sql: Sql | Transaction, since: EpochMs, until: EpochMs, bookId?: string): Promise<readonly ReadRescaling[]> {
  return sql<ReadRescaling[]>`
    select b.id as "bookId", b.org_id as "orgId", i.instrument, c.at, c.before, c.after, h.held
    from (select distinct instrument from token_multipliers where at >= ${since}) i
    cross join lateral multiplier_changes(i.instrument, ${until - 1}) c
    join ledger_accounts a on a.kind = 'position' and a.asset = i.instrument
    join books b on b.id = a.book_id
    cross join lateral (
      select sum(l.amount) as held from ledger_legs l join ledger_transactions t on t.id = l.transaction_id where l.account_id = a.id and t.at < c.at) h
    where c.at >= ${since} and h.held > 0 ${bookId === undefined ? sql`` : sql`and b.id = ${bookId}`}
      and not exists (select 1 from ledger_transactions t where t.id = 'rescaling:' || b.id || ':' || i.instrument || ':' || c.at)
    order by c.at, b.id`;
}
