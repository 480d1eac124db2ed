/** How far back feeds can be resumed: announcements that are older are forgotten, a few thousand at a time. */
import type { Sql } from '../database.ts';

/** Rows that one statement forgets, so that it never holds anybody up for long. */
const BATCH_ROWS = 5_000;

/** Forgets announcements that are older than so many days, of which there is at least one. Answers how many they were. */
export async function forgetAnnouncements(sql: Sql, days: number): Promise<number> {
  let forgotten = 0;
  for (let last = BATCH_ROWS; last === BATCH_ROWS; forgotten += last) {
    const [row] = await sql<{ count: number }[]>`select forget_announcements(${days}::int, ${BATCH_ROWS}::int) as count`;
    last = row?.count ?? 0;
  }
  return forgotten;
}
