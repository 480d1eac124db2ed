/** Messages of a venue about one instrument during a shadow order, by which its fill is measured. */
import type { BookLevel } from '../market/order-book.ts';
import { canonicalJson, sha256Hex } from '../values/canonical-json.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey, Venue } from '../market/venue.ts';
import type { FlowRule } from '../venues/venue-facts.ts';

/** A live book, or the state of a pool, as received. Best levels first. */
export interface FlowBook {
  readonly source: string;
  /** Time at which it was received. */
  readonly at: EpochMs;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Liquidity of the token's pools in US dollars of both sides, or null without pools. */
  readonly liquidityUsd: DecimalString | null;
}

/** A trade as received. */
export interface FlowPrint {
  /** Trade number of the venue for the instrument, without gaps. */
  readonly sequence: number;
  readonly price: DecimalString;
  /** Base units. */
  readonly quantity: DecimalString;
  /** Time at which it was received. */
  readonly at: EpochMs;
}

/** A trade as a feed reports it. */
export interface VenueTrade extends Omit<FlowPrint, 'at'> {
  readonly kind: 'trade';
  readonly venue: Venue;
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
}

/** A period in which the received data was unreliable. */
export interface FlowGap {
  readonly from: EpochMs;
  /** End of the period, or null while it lasts. */
  readonly until: EpochMs | null;
  /** Flags of its quotes, or that the feed was down. */
  readonly why: string;
}

/** Window of the requested flow, with the order's circumstances, so that it can be measured again under other settings. */
export interface FlowSpan {
  readonly instrument: InstrumentKey;
  /** Null if the venue sends nothing to measure by. */
  readonly rule: FlowRule | null;
  /** Time at which the order was sent. `arrival` is its arrival at the venue. */
  readonly from: EpochMs;
  readonly arrival: EpochMs;
  /** Time up to which books are needed. Trades alone cover the rest of a long window. */
  readonly booksUntil: EpochMs;
  readonly until: EpochMs;
  /** Maximum age of a pool's state in milliseconds. */
  readonly maxAgeMs: number;
}

/**
 * Flow of a window, ascending: books from the last one at or before `from`, trades from the last one at or before `from` to the first one
 * after `until`, and every gap that overlaps the window.
 */
export interface FlowWindow extends FlowSpan {
  readonly books: readonly FlowBook[];
  readonly trades: readonly FlowPrint[];
  readonly gaps: readonly FlowGap[];
}

/** Keeps received flow for a while. */
export interface FlowKeeper {
  /** Returns the kept flow of a window. An empty one proves nothing. */
  window(span: FlowSpan): FlowWindow;
}

/** Returns the text of a window as stored and signed. */
export function flowText(window: FlowWindow): string {
  return canonicalJson(window);
}

/** Reads a stored text, or returns null if it is not a flow of a window. */
export function readFlow(text: string): FlowWindow | null {
  try {
    const read = JSON.parse(text) as FlowWindow;
    return [read.books, read.trades, read.gaps].every(Array.isArray) ? read : null;
  } catch {
    return null;
  }
}

/** Returns the SHA-256 of the text in hexadecimal. */
export const flowDigest = (text: string): string => sha256Hex(text);
