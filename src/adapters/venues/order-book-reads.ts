/** Order books on demand, requested from the venue and assessed by their sides and times. */
import { CLOCK_SKEW, CROSSED, toFlags, toFlagBits, ONE_SIDED, OVER_AGE, qualityWith } from '../../../streams/quality/flag-bits.ts';
import { findLimits, qualityLimits } from '../../../streams/quality/quality-limits.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { compareDecimals } from '../../domain/values/decimal.ts';
import type { OrderBookSnapshot } from '../../domain/market/market-state.ts';
import type { OrderBook } from '../../domain/market/order-book.ts';
import type { Quality, QualityFlag } from '../../domain/market/quote.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { instrumentKey, type Venue } from '../../domain/market/venue.ts';
import type { OrderBook as VenueBook } from './order-book.ts';
import { VenueError } from './venue-feed.ts';

/** Requests an instrument's book from one venue, or returns null if it has none. @throws VenueError */
export type AskBook = (instrument: string, depth: number) => Promise<VenueBook | null>;

/** Creates the reads. `venues` contains the venues that publish order books. */
export function createOrderBookReads(venues: Readonly<Partial<Record<Venue, AskBook>>>) {
  return {
    /** Reads at most `depth` levels per side. Refuses with `not_found` or `unavailable`. */
    async read(venue: Venue, instrument: string, depth: number): Promise<Outcome<OrderBook>> {
      if (CATALOG.byKey(instrumentKey(venue, instrument)) === undefined) {
        return refuse('not_found', `${venue} has no instrument ${instrument} in the catalog`);
      }
      const ask = venues[venue];
      if (ask === undefined) return refuse('not_found', `${venue} publishes no order book`);
      try {
        const book = await ask(instrument, depth);
        return book === null ? refuse('not_found', `${venue} has no book of ${instrument}`) : { ok: true, value: shown(book, depth) };
      } catch (error) {
        if (error instanceof VenueError) return refuse('unavailable', `${venue} did not answer: ${error.message}`);
        throw error;
      }
    },
  };
}

export type OrderBookReads = ReturnType<typeof createOrderBookReads>;

/** Returns a followed book with its quality flags. */
export function toOrderBookSnapshot(book: VenueBook): OrderBookSnapshot {
  const { quality, flags } = assessedBook(book, book.receivedAt);
  return {
    kind: 'order_book',
    venue: book.venue,
    instrument: book.instrument,
    source: book.source,
    observedAt: book.observedAt,
    receivedAt: book.receivedAt,
    sequence: book.sequence,
    bids: book.bids,
    asks: book.asks,
    ...(book.edge === undefined ? {} : { edge: book.edge }),
    quality,
    flags,
  };
}

/** Returns a requested book: live, unless its sides contradict each other or its time is off. */
function shown(book: VenueBook, depth: number): OrderBook {
  const levels = (side: VenueBook['bids']) => side.slice(0, depth).map(([price, size]) => ({ price, size }));
  return {
    source: book.source,
    observedAt: book.observedAt,
    receivedAt: book.receivedAt,
    ...assessedBook(book, book.receivedAt),
    bids: levels(book.bids),
    asks: levels(book.asks),
  };
}

/** Returns the quality of a book at an instant, from its sides and times in addition to its feed's flags. */
function assessedBook(book: VenueBook, at: EpochMs): { readonly quality: Quality; readonly flags: readonly QualityFlag[] } {
  const [bid, ask] = [book.bids[0], book.asks[0]];
  const limits = findLimits(qualityLimits(), book.venue, book.source);
  let bits = toFlagBits(book.flags);
  if (bid === undefined || ask === undefined) bits |= ONE_SIDED;
  else if (compareDecimals(bid[0], ask[0]) > 0) bits |= CROSSED;
  if (at - book.observedAt > limits.maxAgeMs) bits |= OVER_AGE;
  if (book.observedAt - at > limits.maxSkewMs) bits |= CLOCK_SKEW;
  return { quality: qualityWith(book.quality, bits), flags: toFlags(bits) };
}
