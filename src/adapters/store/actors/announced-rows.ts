/** Committed rows that feeds send, and positions in their order. */
import type { Json } from '../../../domain/values/canonical-json.ts';
import type { EpochMs } from '../../../domain/values/time.ts';

/** Position in the order of announcements: after every row up to and including (xid, seq). */
export interface AnnouncementPosition {
  readonly xid: number;
  readonly seq: number;
}

/** Committed row that feeds send. */
export interface AnnouncementRow extends AnnouncementPosition {
  readonly channel: string;
  /** Null for a row of all organizations. */
  readonly orgId: string | null;
  readonly actorId: string | null;
  readonly at: EpochMs;
  readonly body: { readonly [key: string]: Json | undefined };
}

/** Filter of announcements. */
export interface AnnouncementFilter {
  readonly channel: string;
  readonly orgId: string;
  /** Actor of the rows, or null for all. */
  readonly actorId: string | null;
  /** True to include rows of all organizations. */
  readonly shared: boolean;
}

/** Matching rows in order, and the position up to which rows were read. */
export interface AnnouncementPage {
  readonly rows: readonly AnnouncementRow[];
  readonly position: AnnouncementPosition;
}
