/** A venue's book down to some depth, as `GET /v1/order-book` shows it. */
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { BookEdge } from '../../domain/market/order-book.ts';
import type { Quality, QualityFlag } from '../../domain/market/quote.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';

/** Price and size of one level, as the venue wrote them. */
export type BookLevel = readonly [price: DecimalString, size: DecimalString];

/** Bids descending, asks ascending. `observedAt` equals `receivedAt` if the venue sends no time (`sourceTime` false). */
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
  /** Set by feeds alone. */
  readonly edge?: BookEdge;
  readonly quality: Quality;
  /** `resyncing` while a gap is being repaired: then this is the book before the gap. */
  readonly flags: readonly QualityFlag[];
}
