/** Order books in use. A reader leases a book, and the feed passes on the leased books. */
import { type MarketState, marketStateKey } from '../src/domain/market/market-state.ts';
import type { EpochMs } from '../src/domain/values/time.ts';
import type { Venue } from '../src/domain/market/venue.ts';

export interface BookWants {
  /** Asks for a book for the length of a lease. */
  want(venue: Venue, instrument: string): void;
  /** Asks for a book until it is ended. */
  follow(venue: Venue, instrument: string): () => void;
  /** Resolves once the feed has passed the book on, or after a second; null if it is there already. */
  first(venue: Venue, instrument: string): Promise<void> | null;
}

export const bookWantKey = (venue: Venue, instrument: string): string => marketStateKey({ kind: 'book_want', venue, instrument });
export const bookKey = (venue: Venue, instrument: string): string => marketStateKey({ kind: 'order_book', venue, instrument });

/** True while some process reads the book. */
export function isBookWanted(bus: { latest(key: string): MarketState | null }, venue: Venue, instrument: string, now: EpochMs): boolean {
  const want = bus.latest(bookWantKey(venue, instrument));
  return want?.kind === 'book_want' && now < want.until;
}
