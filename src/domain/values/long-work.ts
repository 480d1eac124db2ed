/** Long work that has no record of its own. */
import type { Venue } from '../market/venue.ts';
import type { EpochMs } from './time.ts';
import type { TrackedWork } from './work-progress.ts';

/** Kinds of long work that have no record of their own. */
export const WORK_KINDS = ['import', 'backfill', 'event_import', 'fact_import', 'archive_move', 'sandbox_advance'] as const;

export type WorkKind = (typeof WORK_KINDS)[number];

/** Long work that is under way or ended lately. The number is its place in the list. */
export interface LongWork extends TrackedWork {
  readonly number: number;
  readonly kind: WorkKind;
  /** Subject of the work, in a few words. */
  readonly subject: string;
  /** Names of the files, without their folders, or the venue that is asked. */
  readonly source: string;
  /** The command or the part of the service that works, and its process. */
  readonly workedOnBy: string;
  /** The series of an import or a backfill of bars; null of other work. */
  readonly venue: Venue | null;
  readonly instrument: string | null;
  readonly timeframe: string | null;
  /** Time at which this was read, by the clock that the other times are of. */
  readonly at: EpochMs;
}
