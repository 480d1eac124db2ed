/** Store of the days of manual books. */
import type { ManualDayStore } from '../../../trading/manual-days.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import { manualBooksBefore } from './book-store.ts';

export function createManualDayStore(sql: Sql): ManualDayStore {
  return {
    undated: (day) => manualBooksBefore(sql, day),
    begin: (days) =>
      inTransaction(sql, (transaction) =>
        writeRecords(
          transaction,
          days.map((day) => ({ type: 'book_day', ...day })),
        ),
      ),
  };
}
