/** Interface of venue adapters. */
import type { Feed } from '../../../streams/merge-feeds.ts';
import type { Candle } from '../../domain/candles/candle.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';

/** Live data of a venue. Cold: subscribing connects, unsubscribing closes every socket and timer. Never errors or completes by itself. */
export type VenueFeed = Feed;

/** History of a venue. */
export interface CandleSource {
  readonly venue: Venue;
  /** Maximum bars per request. */
  readonly pageSize: number;
  /**
   * Fetches closed bars with from <= openTime < to, ascending, in as many pages as needed within the venue's limits. @throws VenueError
   * with the venue's code
   */
  fetchCandles(instrument: string, timeframe: string, from: EpochMs, to: EpochMs): Promise<readonly Candle[]>;
}

/** Thrown for a venue's refusal or missing answer. `status` is the HTTP status (0 without an answer), `code` the venue's own code. */
export class VenueError extends Error {
  readonly venue: Venue;
  readonly status: number;
  readonly code: string;
  readonly retryAfterMs: number | null;

  constructor(venue: Venue, status: number, code: string, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.name = 'VenueError';
    this.venue = venue;
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
