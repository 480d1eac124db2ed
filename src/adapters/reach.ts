/** Dependencies of clients of outside systems, and the parts of an opened venue. */
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../streams/feed-counters.ts';
import type { Observable } from 'rxjs';
import type { MarketExtras } from '../../streams/market-states.ts';
import type { Feed } from '../../streams/merge-feeds.ts';
import type { VenueTrade } from '../domain/shadow/flow.ts';
import type { PredictionFeed } from './venues/prediction/provider-feed.ts';

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

/** Maximum wait of an on-demand request for its budget, in milliseconds, because a person waits for it. A spent budget is then reported. */
export const ASKED_WAIT_MS = 2_000;
