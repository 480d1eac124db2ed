/** Ports of the candle routes: stored and fetched bars. */
import type { Candle } from '../../../src/domain/candles/candle.ts';
import type { CandleWindow } from '../../../src/domain/candles/candle-gaps.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { Venue } from '../../../src/domain/market/venue.ts';

/** Closed bars, ascending. `from` is inclusive, `to` exclusive. */
export interface CandleReads {
  range(query: {
    readonly venue: Venue;
    readonly instrument: string;
    readonly timeframe: string;
    readonly from: EpochMs;
    readonly to: EpochMs;
    readonly limit: number;
    /** A window that the venue could not fill may be asked for again after so long; the service's own pace unless told. */
    readonly askAgainMs?: number;
  }): Promise<readonly StoredCandle[]>;
  /** Stretches of [from, to) that a venue or a file answered for, or that were refused: why a bar is missing. */
  windows(series: CandleSeries, range: { readonly from: EpochMs; readonly to: EpochMs }): Promise<readonly CandleWindow[]>;
  /** The first bar that is stored, or null. */
  firstOpen(series: CandleSeries): Promise<EpochMs | null>;
}

export interface CandleSeries {
  readonly venue: Venue;
  readonly instrument: string;
  readonly timeframe: string;
}

/** A closed bar and who told it. */
export interface StoredCandle extends Candle {
  readonly source: string;
  /** False if it was received while its venue was a real one. Missing of a tape, which does not say. */
  readonly simulated?: boolean;
}
