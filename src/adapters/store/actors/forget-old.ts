/** What is kept for some days and then forgotten, a few thousand rows at a time: announcements that feeds can be resumed from, activities that have ended. */
import type { Sql } from '../database.ts';

/** Rows that one statement forgets, so that it never holds anybody up for long. */
const BATCH_ROWS = 5_000;

async function untilNoneIsLeft(forget: () => Promise<readonly { readonly count: number }[]>): Promise<number> {
  let forgotten = 0;
  for (let last = BATCH_ROWS; last === BATCH_ROWS; forgotten += last) last = (await forget())[0]?.count ?? 0;
  return forgotten;
}

/** Forgets announcements that are older than so many days, of which there is at least one. Answers how many they were. */
export function forgetAnnouncements(sql: Sql, days: number): Promise<number> {
  return untilNoneIsLeft(() => sql<{ count: number }[]>`select forget_announcements(${days}::int, ${BATCH_ROWS}::int) as count`);
}

/** Forgets activities that ended more than so many days ago, of which there is at least one. Answers how many they were. */
export function forgetActivities(sql: Sql, days: number): Promise<number> {
  return untilNoneIsLeft(() => sql<{ count: number }[]>`select forget_activities(${days}::int, ${BATCH_ROWS}::int) as count`);
}
