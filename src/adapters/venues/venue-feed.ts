/** Interface of every venue adapter, independent of its wire format. */
import type { Observable } from 'rxjs';
import type { UnknownFields } from '../../../streams/feed-counters.ts';
import type { AskingSchedule } from '../../../streams/merge-feeds.ts';
import type { Candle } from '../../domain/candles/candle.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';

/** The live side of a venue. Cold: subscribing connects, unsubscribing closes every socket and timer. Never errors, never completes by itself. */
export interface VenueFeed {
  readonly venue: Venue;
  readonly messages: Observable<FeedMessage>;
  /** Counter of unknown fields in its messages; absent if it does not count them. */
  readonly unknownFields?: UnknownFields;
  /** Polling schedule of a feed that requests its quotes. */
  readonly schedule?: AskingSchedule;
}

/** The history side of a venue. */
export interface CandleSource {
  readonly venue: Venue;
  /** The most bars that one request answers. */
  readonly pageSize: number;
  /**
   * Closed bars with from <= openTime < to, ascending. Pages as often as needed and honours the venue's limits.
   * @throws VenueError with the venue's own code if it refuses.
   */
  fetchCandles(instrument: string, timeframe: string, from: EpochMs, to: EpochMs): Promise<readonly Candle[]>;
}

/** A venue's refusal or silence. `status` is the HTTP status (0 if there was no answer), `code` the venue's own code. */
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
