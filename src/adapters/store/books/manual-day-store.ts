/** Store of the days of manual books. */
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import { manualBooksBefore } from './book-store.ts';
import type { TradingBook } from '../../../domain/books/book.ts';
import type { BookDay } from '../../../domain/tape/tick-inputs.ts';
import type { EpochMs } from '../../../domain/values/time.ts';

/** A manual book without a mark of the day. */
interface UndatedBook {
  readonly id: string;
  readonly orgId: string;
  /** Reads the book. @throws if its row cannot be read. */
  readonly read: () => { readonly state: TradingBook; readonly version: number };
}

export function createManualDayStore(sql: Sql) {
  return {
    undated: (day: EpochMs): Promise<readonly UndatedBook[]> => manualBooksBefore(sql, day),
    /** Stores first marks of a day. Books that changed meanwhile are skipped. */
    begin: (days: readonly (BookDay & { readonly version: number })[]): Promise<void> =>
      inTransaction(sql, (transaction) =>
        writeRecords(
          transaction,
          days.map((day) => ({ type: 'book_day', ...day })),
        ),
      ),
  };
}

export type ManualDayStore = ReturnType<typeof createManualDayStore>;
