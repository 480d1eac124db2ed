/** A venue's order book down to some depth, as people, risk and fills read it. */
import type { DecimalString } from './decimal.ts';
import type { Quality, QualityFlag } from './quote.ts';
import type { EpochMs } from './time.ts';

export interface BookLevel {
  readonly price: DecimalString;
  readonly size: DecimalString;
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
}
