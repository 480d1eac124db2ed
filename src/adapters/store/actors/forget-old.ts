/** Forgets rows that are kept for some days, a few thousand at a time: announcements that feeds can be resumed from, activities that have ended, inputs of outside proposals. */
import { INPUTS_KEPT_MS } from '../../../domain/outside/outside-proposal.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
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

/** Forgets the bytes of inputs that were received more than 90 days ago. Their hashes stay. Answers how many they were. */
export function forgetInputs(sql: Sql, now: EpochMs): Promise<number> {
  return untilNoneIsLeft(
    () => sql<{ count: number }[]>`select forget_outside_inputs(${now - INPUTS_KEPT_MS}, ${BATCH_ROWS}::int) as count`,
  );
}
