/** Candles: open, high, low, close and volume of one timeframe. */
import type { DecimalString } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import type { Venue } from '../market/venue.ts';

export interface CandleSeries {
  readonly venue: Venue;
  readonly instrument: string;
  readonly timeframe: string;
}

/** A closed bar and its source. */
export interface StoredCandle extends Candle {
  readonly source: string;
  /** False if its venue was real when it was received. Missing for a tape, which does not say. */
  readonly simulated?: boolean;
}

/** A closed bar. Prices are decimal strings. `volume` is in base units and may be "0". */
export interface Candle {
  readonly openTime: EpochMs;
  readonly open: DecimalString;
  readonly high: DecimalString;
  readonly low: DecimalString;
  readonly close: DecimalString;
  readonly volume: DecimalString;
}

/** Closed bars of one instrument and timeframe, ascending by `openTime`, from one answer of a venue. */
export interface CandleBatch {
  readonly kind: 'candles';
  readonly venue: Venue;
  readonly instrument: string;
  /** Timeframe as in a manifest, such as `1m` or `1h`. */
  readonly timeframe: string;
  readonly source: string;
  readonly receivedAt: EpochMs;
  readonly candles: readonly Candle[];
  /**
   * Half-open range of open times for which this answer is complete: a missing bar inside it does not exist. Absent for a single pushed
   * bar.
   */
  readonly covers?: { readonly from: EpochMs; readonly to: EpochMs };
}
