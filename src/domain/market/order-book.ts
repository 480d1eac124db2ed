/** A venue's order book down to some depth, as people, risk and fills read it. */
import type { DecimalString } from '../values/decimal.ts';
import type { Quality, QualityFlag } from './quote.ts';
import type { EpochMs } from '../values/time.ts';

export interface BookLevel {
  readonly price: DecimalString;
  readonly size: DecimalString;
}

/** Price to which each side is known, or null if nothing is missing from it. */
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
  /** Set if a side is known to a lesser depth than was requested. */
  readonly edge?: BookEdge;
}
