/** Order books by use: whoever reads a book asks for it under a lease, and the feed passes on the books that are asked for. */
import type { BookWant, MarketState } from '../src/domain/market-state.ts';
import type { EpochMs } from '../src/domain/time.ts';
import type { Venue } from '../src/domain/venue.ts';
import type { Clock } from './clock.ts';

const LEASE_MS = 30_000;
const RENEW_MS = LEASE_MS / 2;
/** Four rounds of the feed: a book that did not come by then does not come. */
const FIRST_MS = 1_000;
/** A book that came before is shown at once if it is not older. */
const FRESH_MS = 1_000;

interface StateBus {
  latest(key: string): MarketState | null;
  publish(state: MarketState): void;
  subscribe(listener: (changed: readonly MarketState[]) => void): () => void;
}

export interface BookWants {
  /** Asks for a book for the length of a lease. */
  want(venue: Venue, instrument: string): void;
  /** Asks for a book until it is ended. */
  follow(venue: Venue, instrument: string): () => void;
  /** Resolves once the feed has passed the book on, or after a second; null if it is there already. */
  first(venue: Venue, instrument: string): Promise<void> | null;
}

export const bookWantKey = (venue: Venue, instrument: string): string => `book_want ${venue}:${instrument}`;
export const bookKey = (venue: Venue, instrument: string): string => `order_book ${venue}:${instrument}`;

/** True while some process reads the book. */
export function isBookWanted(bus: Pick<StateBus, 'latest'>, venue: Venue, instrument: string, now: EpochMs): boolean {
  const want = bus.latest(bookWantKey(venue, instrument));
  return want?.kind === 'book_want' && now < want.until;
}

export function createBookWants(bus: StateBus, clock: Pick<Clock, 'now' | 'deadline'>): BookWants {
  function want(venue: Venue, instrument: string): void {
    const now = clock.now();
    const known = bus.latest(bookWantKey(venue, instrument)) as BookWant | null;
    if (known === null || known.until - now < RENEW_MS)
      bus.publish({ kind: 'book_want', venue, instrument, receivedAt: now, until: now + LEASE_MS });
  }

  return {
    want,

    follow(venue, instrument) {
      let cancel = (): void => {};
      const renew = (): void => {
        want(venue, instrument);
        cancel = clock.deadline(clock.now() + RENEW_MS / 2, renew);
      };
      renew();
      return () => cancel();
    },

    first(venue, instrument) {
      const key = bookKey(venue, instrument);
      const known = bus.latest(key);
      if (known !== null && clock.now() - known.receivedAt <= FRESH_MS) return null;
      return new Promise((resolve) => {
        const done = (): void => {
          unsubscribe();
          cancel();
          resolve();
        };
        const cancel = clock.deadline(clock.now() + FIRST_MS, done);
        const unsubscribe = bus.subscribe((changed) => {
          if (changed.some((state) => state.kind === 'order_book' && bookKey(state.venue, state.instrument) === key)) done();
        });
      });
    },
  };
}
