/** Order books in use. A reader leases a book, and the feed publishes the leased books. */
import { type MarketState, marketStateKey } from '../src/domain/market/market-state.ts';
import type { EpochMs } from '../src/domain/values/time.ts';
import type { Venue } from '../src/domain/market/venue.ts';

export interface BookWants {
  /** Requests a book for the length of a lease. */
  want(venue: Venue, instrument: string): void;
  /** Requests a book until the returned function is called. */
  follow(venue: Venue, instrument: string): () => void;
  /** Resolves once the feed has published the book, or after a second. Null if it is already there. */
  first(venue: Venue, instrument: string): Promise<void> | null;
}

export const bookWantKey = (venue: Venue, instrument: string): string => marketStateKey({ kind: 'book_want', venue, instrument });
export const bookKey = (venue: Venue, instrument: string): string => marketStateKey({ kind: 'order_book', venue, instrument });

/** True while any process reads the book. */
export function isBookWanted(bus: { latest(key: string): MarketState | null }, venue: Venue, instrument: string, now: EpochMs): boolean {
  const want = bus.latest(bookWantKey(venue, instrument));
  return want?.kind === 'book_want' && now < want.until;
}
