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

/** The newest announcements in memory, so that many clients that resume at the same time need no read of the database. */
export class RecentAnnouncements {
  readonly #most: number;
  /** Position after which every row up to the end is here. */
  #since: AnnouncementPosition = { xid: 0, seq: 0 };
  #end: AnnouncementPosition = { xid: 0, seq: 0 };
  #rows: AnnouncementRow[] = [];

  /** @param most Rows that are kept in any case; up to twice as many are. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Forgets everything and begins after a position. */
  begin(at: AnnouncementPosition): void {
    this.#since = at;
    this.#end = at;
    this.#rows = [];
  }

  /** Adds all rows after the last ones, in their order. */
  add(rows: readonly AnnouncementRow[]): void {
    const last = rows.at(-1);
    if (last === undefined) return;
    this.#rows.push(...rows);
    this.#end = { xid: last.xid, seq: last.seq };
    if (this.#rows.length <= 2 * this.#most) return;
    const dropped = this.#rows.splice(0, this.#rows.length - this.#most).at(-1) as AnnouncementRow;
    this.#since = { xid: dropped.xid, seq: dropped.seq };
  }

  /** True if all rows after a position are here. */
  holds(position: AnnouncementPosition): boolean {
    return compared(position, this.#since) >= 0 && compared(position, this.#end) <= 0;
  }

  /** Returns the matching rows after `after` up to `upTo`, or null if some of them are not here. */
  between(after: AnnouncementPosition, upTo: AnnouncementPosition, filter: AnnouncementFilter): readonly AnnouncementRow[] | null {
    if (!this.holds(after) || !this.holds(upTo)) return null;
    const found: AnnouncementRow[] = [];
    for (let index = this.#firstAfter(after); index < this.#rows.length; index++) {
      const row = this.#rows[index] as AnnouncementRow;
      if (compared(row, upTo) > 0) break;
      if (matches(row, filter)) found.push(row);
    }
    return found;
  }

  #firstAfter(position: AnnouncementPosition): number {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compared(this.#rows[middle] as AnnouncementRow, position) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function compared(one: AnnouncementPosition, other: AnnouncementPosition): number {
  return one.xid - other.xid || one.seq - other.seq;
}

function matches(row: AnnouncementRow, { channel, orgId, actorId, shared }: AnnouncementFilter): boolean {
  return (
    row.channel === channel && (row.orgId === orgId || (shared && row.orgId === null)) && (actorId === null || row.actorId === actorId)
  );
}
