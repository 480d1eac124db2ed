/** A venue's order book to a given depth, for people, risk and fills. */
import type { DecimalString } from '../values/decimal.ts';
import type { Quality, QualityFlag } from './quote.ts';
import type { EpochMs } from '../values/time.ts';

export interface BookLevel {
  readonly price: DecimalString;
  readonly size: DecimalString;
}

/** Price to which each side is known, or null if it is complete. */
export interface BookEdge {
  readonly bid: DecimalString | null;
  readonly ask: DecimalString | null;
}

export interface OrderBook {
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
  /** Best first. */
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Present if a side is known to a smaller depth than requested. */
  readonly edge?: BookEdge;
}
