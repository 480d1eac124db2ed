/** Cursors: a position in the order of announcements, down to one decision in a shard's batch. */

/** A position: after the announcement (xid, seq), or, if `index` is finite, after the item with that index in it. */
export interface Position {
  readonly xid: number;
  readonly seq: number;
  /** Infinity for the whole announcement. */
  readonly index: number;
}

export function wholeAnnouncement(at: { readonly xid: number; readonly seq: number }): Position {
  return { xid: at.xid, seq: at.seq, index: Number.POSITIVE_INFINITY };
}

/** Compares positions: negative if `one` comes first, 0 if they are equal. */
export function comparePositions(one: Position, other: Position): number {
  if (one.xid !== other.xid) return one.xid - other.xid;
  if (one.seq !== other.seq) return one.seq - other.seq;
  return one.index === other.index ? 0 : one.index < other.index ? -1 : 1;
}

/** Returns the wire form: `<xid>.<seq>` or `<xid>.<seq>.<index>`. Opaque to clients. */
export function formatCursor({ xid, seq, index }: Position): string {
  return index === Number.POSITIVE_INFINITY ? `${xid}.${seq}` : `${xid}.${seq}.${index}`;
}

const CURSOR = /^(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,15})(?:\.(0|[1-9]\d{0,15}))?$/;

/** Reads the wire form. Returns null if the text is not a cursor. */
export function parseCursor(text: string): Position | null {
  const match = CURSOR.exec(text);
  if (!match) return null;
  const xid = Number(match[1]);
  const seq = Number(match[2]);
  const index = match[3] === undefined ? Number.POSITIVE_INFINITY : Number(match[3]);
  const safe = Number.isSafeInteger(xid) && Number.isSafeInteger(seq) && (match[3] === undefined || Number.isSafeInteger(index));
  return safe ? { xid, seq, index } : null;
}
