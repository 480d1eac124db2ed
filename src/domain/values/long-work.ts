/** Long work that has no record of its own. */
import type { Venue } from '../market/venue.ts';
import type { EpochMs } from './time.ts';
import type { TrackedWork } from './work-progress.ts';

/** Kinds of long work without a record of their own. */
export const WORK_KINDS = ['import', 'backfill', 'event_import', 'fact_import', 'archive_move', 'sandbox_advance'] as const;

export type WorkKind = (typeof WORK_KINDS)[number];

/** Long work that is running or ended recently. The number is its position in the list. */
export interface LongWork extends TrackedWork {
  readonly number: number;
  readonly kind: WorkKind;
  /** Subject of the work, in a few words. */
  readonly subject: string;
  /** Names of the files without their folders, or the venue. */
  readonly source: string;
  /** Command or part of the service that does the work, and its process. */
  readonly workedOnBy: string;
  /** Series of an import or backfill of bars, or null for other work. */
  readonly venue: Venue | null;
  readonly instrument: string | null;
  readonly timeframe: string | null;
  /** Time of the read, by the clock of the other times. */
  readonly at: EpochMs;
}
