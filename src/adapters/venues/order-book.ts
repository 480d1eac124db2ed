/** Order book of a venue, as in `GET /v1/order-book`. */
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { BookEdge } from '../../domain/market/order-book.ts';
import type { Quality, QualityFlag } from '../../domain/market/quote.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';

/** Price and size of a level, as the venue wrote them. */
export type BookLevel = readonly [price: DecimalString, size: DecimalString];

/** Order book with bids descending and asks ascending. `observedAt` equals `receivedAt` if the venue sends no time (`sourceTime` false). */
export interface OrderBook {
  readonly venue: Venue;
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly sourceTime: boolean;
  readonly sequence: number | null;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Set only by feeds. */
  readonly edge?: BookEdge;
  readonly quality: Quality;
  /** Flags; `resyncing` while a gap is repaired, when this is the book before the gap. */
  readonly flags: readonly QualityFlag[];
}
