/** Maintains the store: deletes or archives old rows and reports stalled shards. */
import type { LoopName } from '../../../actors/runtime/loops.ts';
import type { RecurringWork } from '../../../actors/runtime/recurring.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { Log } from '../../../streams/log.ts';
import type { ServiceMetrics } from '../log/metrics.ts';
import { countQuarantined } from './actors/quarantine-store.ts';
import { stalledShards } from './agents/shard-health.ts';
import { createIdempotencyStore } from './callers/idempotency-store.ts';
import { createWorkRecorder, forgetWork } from './long-work-store.ts';
import type { Sql } from './database.ts';
import { moveOldHistory } from './trail/history-archive.ts';
import { HOUR_MS, type EpochMs } from '../../domain/values/time.ts';
import { INPUTS_KEPT_MS } from '../../domain/outside/outside-proposal.ts';

/** Hours for which answers under an Idempotency-Key are kept. */
const ANSWER_HOURS = 48;
export const TIDY_MS = HOUR_MS;
/** Days for which finished imports, fetches and moves are shown. */
const WORK_DAYS = 7;
/** Milliseconds between checks for stalled shards. */
const STALLED_MS = 15_000;

/** Retention by kind. */
export interface KeptDays {
  /** Days for which announcements are kept. */
  readonly feedHistoryDays: number;
  /** Days for which ended activities are kept. */
  readonly activityHistoryDays: number;
  /** Days after which decisions and their inputs move to archive files in this folder; null for never. */
  readonly trailHistory: { readonly days: number | null; readonly folder: string };
}

/** Creates the hourly maintenance, run by any worker. The feed deletes what it received. */
export function tidyingWork(sql: Sql, kept: KeptDays, clock: Pick<Clock, 'now' | 'deadline'>): readonly RecurringWork[] {
  const { days, folder } = kept.trailHistory;
  const works: readonly (readonly [what: LoopName, run: () => Promise<unknown>])[] = [
    ['forgetting old answers', () => createIdempotencyStore(sql).forgetOlderThan(ANSWER_HOURS)],
    ['forgetting old announcements', () => forgetAnnouncements(sql, kept.feedHistoryDays)],
    ['forgetting old activities', () => forgetActivities(sql, kept.activityHistoryDays)],
    ['forgetting old inputs', () => forgetInputs(sql, clock.now())],
    ['forgetting old imports', () => forgetWork(sql, WORK_DAYS)],
    ...(days === null
      ? []
      : ([['moving old history', () => moveOldHistory(createWorkRecorder(sql, clock, 'worker'), sql, folder, days)]] as const)),
  ];
  return works.map(([what, run]) => ({ what, everyMs: TIDY_MS, run }));
}

/** Reports quarantines and stalled shards: to metrics at every check, to the log when their number changes. */
export function stalledShardsWatch(
  sql: Sql,
  metrics: Pick<ServiceMetrics, 'stalled' | 'quarantined'>,
  log: Pick<Log, 'error'>,
): RecurringWork {
  let told = 0;
  return {
    what: 'looking for stalled shards',
    everyMs: STALLED_MS,
    async run() {
      const shards = await stalledShards(sql);
      metrics.quarantined(await countQuarantined(sql));
      metrics.stalled({ count: shards.length, behindMs: shards[0]?.behindMs ?? 0 });
      if (shards.length > 0 && shards.length !== told) log.error({ shards: shards.slice(0, 10) }, 'shards do not advance');
      told = shards.length;
    },
  };
}

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
