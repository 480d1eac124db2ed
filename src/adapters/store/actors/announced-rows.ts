/** Committed rows that the feeds send, and places in their order. */
import type { Json } from '../../../domain/values/canonical-json.ts';
import type { EpochMs } from '../../../domain/values/time.ts';

/** A position in the order of announcements: after every row up to and including (xid, seq). */
export interface AnnouncementPosition {
  readonly xid: number;
  readonly seq: number;
}

/** A committed row that the feeds send. */
export interface AnnouncementRow extends AnnouncementPosition {
  readonly channel: string;
  /** Null if it concerns no single organization. */
  readonly orgId: string | null;
  readonly actorId: string | null;
  readonly at: EpochMs;
  readonly body: { readonly [key: string]: Json | undefined };
}

/** Filter for the next announcements. */
export interface AnnouncementFilter {
  readonly channel: string;
  readonly orgId: string;
  /** Restricts to this actor, or null for all. */
  readonly actorId: string | null;
  /** True to include rows that concern no single organization. */
  readonly shared: boolean;
}

/** Rows in order, and the position up to which all rows, matching or not, were read. */
export interface AnnouncementPage {
  readonly rows: readonly AnnouncementRow[];
  readonly position: AnnouncementPosition;
}
