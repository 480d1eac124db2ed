/** Deletes rows that are kept for some days, in batches: announcements, ended activities, and inputs of outside proposals. */
import { INPUTS_KEPT_MS } from '../../../domain/outside/outside-proposal.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';

/** Rows per statement, so that it blocks others only briefly. */
const BATCH_ROWS = 5_000;

async function untilNoneIsLeft(forget: () => Promise<readonly { readonly count: number }[]>): Promise<number> {
  let forgotten = 0;
  for (let last = BATCH_ROWS; last === BATCH_ROWS; forgotten += last) last = (await forget())[0]?.count ?? 0;
  return forgotten;
}

/** Deletes announcements older than the given days (at least 1) and returns their number. */
export function forgetAnnouncements(sql: Sql, days: number): Promise<number> {
  return untilNoneIsLeft(() => sql<{ count: number }[]>`select forget_announcements(${days}::int, ${BATCH_ROWS}::int) as count`);
}

/** Deletes activities that ended more than the given days (at least 1) ago and returns their number. */
export function forgetActivities(sql: Sql, days: number): Promise<number> {
  return untilNoneIsLeft(() => sql<{ count: number }[]>`select forget_activities(${days}::int, ${BATCH_ROWS}::int) as count`);
}

/** Deletes the bytes of inputs received more than 90 days ago and returns their number. The hashes stay. */
export function forgetInputs(sql: Sql, now: EpochMs): Promise<number> {
  return untilNoneIsLeft(
    () => sql<{ count: number }[]>`select forget_outside_inputs(${now - INPUTS_KEPT_MS}, ${BATCH_ROWS}::int) as count`,
  );
}
