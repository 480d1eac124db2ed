/** Dependencies of clients of outside systems, and the parts of an opened venue. */
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../streams/feed-counters.ts';
import type { Observable } from 'rxjs';
import type { MarketExtras } from '../../streams/market-states.ts';
import type { Feed } from '../../streams/merge-feeds.ts';
import type { VenueTrade } from '../domain/shadow/flow.ts';
import type { PredictionFeed } from './venues/prediction/provider-feed.ts';
import type { Patience } from './venues/venue-http.ts';

/** Dependencies of one system's client. */
export interface Reach<Addresses, Budgets> {
  readonly addresses: Addresses;
  readonly budgets: Budgets;
  readonly clock: Clock;
  /** Random source for jitter of retries: 0 <= n < 1. */
  readonly random: () => number;
  /** Counts unknown members in answers to single requests; feeds count those of streams. */
  readonly note: NoteUnknownField;
}

/** Feeds and requests of one venue. Feeds connect when they are subscribed. */
export interface VenueMarket {
  readonly feeds: readonly Feed[];
  readonly history?: CandleHistory;
  readonly extras?: Partial<MarketExtras>;
  /** Public trades while the feeds are followed; absent if the venue publishes none or nothing needs them. */
  readonly trades?: Observable<VenueTrade>;
  /** Feeds of prediction markets; they are also part of `feeds`. */
  readonly predictions?: readonly PredictionFeed[];
}

/**
 * Patience of an on-demand read, because a person or an order waits for it. A spent budget or a silent host is then reported. It is
 * shorter than the claim of the process that asks (`CLAIM_MS`), so that one process asks a silent venue, and not one after the other.
 */
export const ASKED = { maxWaitMs: 2_000, totalMs: 2_500 } as const satisfies Patience;
