/** Instruments that the catalog lists on a venue, and the books that a feed follows. */

import type { MarketExtras } from '../../../streams/market-states.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { type OrderBook } from './order-book.ts';
import { toOrderBookSnapshot } from './order-book-reads.ts';
import type { SpotToken } from './spotchain/map.ts';
import { toScaledUi } from './spotchain/multiplier.ts';

export const listedOn = (venue: Venue): string[] =>
  CATALOG.entries.filter((entry) => entry.venue === venue).map((entry) => entry.instrument);

/** The books that a feed keeps, with the flags that each deserves when it is read. */
export function followedBooks(
  feed: { readonly venue: Venue; book(instrument: string, levels: number): OrderBook | null },
  instruments: readonly string[],
): MarketExtras['books'] {
  return instruments.map((instrument) => ({
    venue: feed.venue,
    instrument,
    read: (levels: number) => {
      const book = feed.book(instrument, levels);
      return book === null ? null : toOrderBookSnapshot(book);
    },
  }));
}

/** The tokens of the catalog as it stands: agent tokens are listed while the service runs. */
export const tokensNow = (): SpotToken[] =>
  CATALOG.entries.flatMap(({ instrument: symbol, token }) => {
    if (token === null) return [];
    const { mint, decimals, validFrom, validTo } = token;
    return [{ symbol, mint, decimals, validFrom, validTo, scaledUi: toScaledUi(token) }];
  });
