/** Upkeep of the store: what is too old is deleted or archived, and stalled shards are reported. */
import type { LoopName } from '../../../actors/runtime/loops.ts';
import type { RecurringWork } from '../../../actors/runtime/recurring.ts';
import type { Clock } from '../../../streams/clock.ts';
import type { Log } from '../../../streams/log.ts';
import type { ServiceMetrics } from '../metrics.ts';
import { countQuarantined } from './actors/quarantine-store.ts';
import { forgetActivities, forgetAnnouncements, forgetInputs } from './actors/forget-old.ts';
import { stalledShards } from './agents/shard-health.ts';
import { createIdempotencyStore } from './callers/idempotency-store.ts';
import { createWorkRecorder, forgetWork } from './long-work-store.ts';
import type { Sql } from './database.ts';
import { moveOldHistory } from './trail/history-archive.ts';

/** Retention of an answer under an Idempotency-Key, and the interval of deleting what is too old. */
const ANSWER_HOURS = 48;
export const TIDY_MS = 3_600_000;
/** Days for which an import, a fetch or a move is shown. */
const WORK_DAYS = 7;
/** Interval of the check for stalled shards. */
const STALLED_MS = 15_000;

/** Retention times. */
export interface KeptDays {
  /** Announcements that are older than so many days are forgotten. */
  readonly feedHistoryDays: number;
  /** Activities that ended more than so many days ago are forgotten. */
  readonly activityHistoryDays: number;
  /** Decisions and what they were made on move to archive files in this folder once they are so many days old; never if it is null. */
  readonly trailHistory: { readonly days: number | null; readonly folder: string };
}

/** Returns the hourly work, done by any worker that the queue sends. What the feed received is deleted by the feed. */
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

/** Tells of quarantines, and of shards that do not advance: the metrics at every look, the log where their number has changed. */
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
