/** Venue ports of the order-book route. */
import type { OrderBook } from '../../../src/domain/market/order-book.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import type { Venue } from '../../../src/domain/market/venue.ts';

export interface OrderBookReads {
  /** Reads at most `depth` levels of each side. Refuses with `not_found` or `unavailable`. */
  read(venue: Venue, instrument: string, depth: number): Promise<Outcome<OrderBook>>;
}
