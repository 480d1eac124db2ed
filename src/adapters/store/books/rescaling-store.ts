/** Changes of multipliers that books have not booked, and their booking, once per book and change. */
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import { type Rescaling, rescaledBy } from '../../../domain/books/book.ts';
import { ledgerOfRescaling } from '../../../domain/books/ledger.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import { writeRescaling } from './book-store.ts';

/** A change of a multiplier that a book with the token has not booked. */
interface DueRescaling {
  readonly bookId: string;
  readonly orgId: string;
  readonly instrument: InstrumentKey;
  readonly at: EpochMs;
}

export function createRescalingStore(sql: Sql) {
  return {
    /** Returns the changes within [since, until) that books held a token through and have not booked, in order of time. */
    due: (since: EpochMs, until: EpochMs): Promise<readonly DueRescaling[]> => sql<DueRescaling[]>`
      select b.id as "bookId", b.org_id as "orgId", i.instrument, c.at
      from (select distinct instrument from token_multipliers where at >= ${since}) i
      cross join lateral multiplier_changes(i.instrument, ${until - 1}) c
      join ledger_accounts a on a.kind = 'position' and a.asset = i.instrument
      join books b on b.id = a.book_id
      where c.at >= ${since} and not exists (select 1 from ledger_transactions t where t.id = 'rescaling:' || b.id || ':' || i.instrument || ':' || c.at)
        and (select sum(l.amount) from ledger_legs l join ledger_transactions t on t.id = l.transaction_id where l.account_id = a.id and t.at < c.at) > 0
      order by c.at, b.id`,

    /** Books a change by what the book held at that instant. Returns false if nothing of it remained to be booked. */
    book({ bookId, orgId, instrument, at }: DueRescaling): Promise<boolean> {
      return inTransaction(sql, async (transaction) => {
        await transaction`select 1 from books where id = ${bookId} for update`;
        const [row] = await transaction<{ held: DecimalString; before: DecimalString; after: DecimalString; booked: boolean }[]>`
          select c.before, c.after, exists (select 1 from ledger_transactions t where t.id = ${ledgerOfRescaling({ bookId, instrument, at, quantity: '0' }).id}) as booked, (
            select coalesce(sum(l.amount), 0) from ledger_accounts a join ledger_legs l on l.account_id = a.id
            join ledger_transactions t on t.id = l.transaction_id
            where a.book_id = ${bookId} and a.kind = 'position' and a.asset = ${instrument} and t.at < ${at}) as held
          from multiplier_changes(${instrument}, ${at}) c where c.at = ${at}`;
        if (row === undefined || row.booked) return false;
        const quantity = rescaledBy(plainDecimal(row.held), row.before, row.after);
        if (quantity === '0') return false;
        await writeRescaling(transaction, orgId, { bookId, instrument, quantity, at } satisfies Rescaling);
        return true;
      });
    },
  };
}

export type RescalingStore = ReturnType<typeof createRescalingStore>;
