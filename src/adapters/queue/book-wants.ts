/** Leases on order books through the bus that the feed reads. */
import { bookKey, type BookWants, bookWantKey } from '../../../streams/book-wants.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { BookWant } from '../../domain/market/market-state.ts';
import type { Venue } from '../../domain/market/venue.ts';
import type { MarketStateBus } from './market-state-bus.ts';
import { changeWithin } from './newest-bus.ts';

const LEASE_MS = 30_000;
const RENEW_MS = LEASE_MS / 2;
/** Maximum wait for a first book in milliseconds: four rounds of the feed. */
const FIRST_MS = 1_000;
/** Maximum age in milliseconds at which a known book is returned at once. */
const FRESH_MS = 1_000;

export function createBookWants(bus: MarketStateBus, clock: Pick<Clock, 'now' | 'deadline'>): BookWants {
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
      if (known !== null && Math.abs(clock.now() - known.receivedAt) <= FRESH_MS) return null;
      return changeWithin(bus, clock, FIRST_MS, (changed) =>
        changed.some((state) => state.kind === 'order_book' && bookKey(state.venue, state.instrument) === key),
      );
    },
  };
}
