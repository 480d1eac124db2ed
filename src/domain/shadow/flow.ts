/** Messages of a venue about one instrument while a shadow order was alive: the only measure of its fill. */
import { canonicalJson, sha256Hex } from '../values/canonical-json.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { DepthLevel } from '../orders/paper-fill.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey, Venue } from '../market/venue.ts';
import type { FlowRule } from '../venues/venue-facts.ts';

/** A live book, or the state of a pool, as it was received. Best levels first; an empty side has none. */
export interface FlowBook {
  readonly source: string;
  /** Time at which it was received. */
  readonly at: EpochMs;
  readonly bids: readonly DepthLevel[];
  readonly asks: readonly DepthLevel[];
  /** Liquidity of the token's pools in US dollars, both sides together; null if there are none. */
  readonly liquidityUsd: DecimalString | null;
}

/** A trade as it was received. */
export interface FlowPrint {
  /** The venue's count of its trades of the instrument, without a hole. */
  readonly sequence: number;
  readonly price: DecimalString;
  /** Base units. */
  readonly quantity: DecimalString;
  /** Time at which it was received. */
  readonly at: EpochMs;
}

/** A trade as a feed tells it. */
export interface VenueTrade extends Omit<FlowPrint, 'at'> {
  readonly kind: 'trade';
  readonly venue: Venue;
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
}

/** A time in which what was received was not to be relied on. */
export interface FlowGap {
  readonly from: EpochMs;
  /** Last instant of the flow; null while it lasts. */
  readonly until: EpochMs | null;
  /** The flags of its quotes, or that the feed was down. */
  readonly why: string;
}

/** Window of the requested flow, and the order's circumstances, kept with it so that it can be measured again under other settings. */
export interface FlowSpan {
  readonly instrument: InstrumentKey;
  /** Null if the venue sends nothing to measure by. */
  readonly rule: FlowRule | null;
  /** Time at which the order left, and when it reached its venue. */
  readonly from: EpochMs;
  readonly arrival: EpochMs;
  /** End of the time for which books are needed. Trades alone cover the rest of a long window. */
  readonly booksUntil: EpochMs;
  readonly until: EpochMs;
  /** A state of a pool that is older counts for nothing. Milliseconds. */
  readonly maxAgeMs: number;
}

/**
 * The flow of a window of time, ascending: books from the last one at or before `from` on, trades from the last one at or
 * before `from` to the first one after `until`, and every gap that touches the window.
 */
export interface FlowWindow extends FlowSpan {
  readonly books: readonly FlowBook[];
  readonly trades: readonly FlowPrint[];
  readonly gaps: readonly FlowGap[];
}

/** Keeper of received flow for a while. */
export interface FlowKeeper {
  /** Returns the kept flow of a window. If nothing was kept the window is empty and proves nothing. */
  window(span: FlowSpan): FlowWindow;
}

/** The text of a window as it is kept and signed. */
export function flowText(window: FlowWindow): string {
  return canonicalJson(window);
}

/** Reads a kept text; null if it is not a flow of a window. */
export function readFlow(text: string): FlowWindow | null {
  try {
    const read = JSON.parse(text) as FlowWindow;
    return [read.books, read.trades, read.gaps].every(Array.isArray) ? read : null;
  } catch {
    return null;
  }
}

/** SHA-256 of the text, in hexadecimal. */
export const flowDigest = (text: string): string => sha256Hex(text);
