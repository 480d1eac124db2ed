/** Access of a process to outside systems, and the parts of an opened venue. */
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Clock } from '../../streams/clock.ts';
import type { NoteUnknownField } from '../../streams/feed-counters.ts';
import type { Observable } from 'rxjs';
import type { MarketExtras } from '../../streams/market-states.ts';
import type { Feed } from '../../streams/merge-feeds.ts';
import type { VenueTrade } from '../domain/shadow/flow.ts';
import type { PredictionFeed } from './venues/prediction/provider-feed.ts';

/** Dependencies of an outside system's client. */
export interface Reach<Addresses, Budgets> {
  readonly addresses: Addresses;
  readonly budgets: Budgets;
  readonly clock: Clock;
  /** Random source for jitter of backoffs: 0 <= n < 1. */
  readonly random: () => number;
  /** Counts members that the adapter does not know, in answers to single questions; those of streams are counted by their feeds. */
  readonly note: NoteUnknownField;
}

/** Feeds and requests of one venue. Feeds connect when they are subscribed, not before. */
export interface VenueMarket {
  readonly feeds: readonly Feed[];
  readonly history?: CandleHistory;
  readonly extras?: Partial<MarketExtras>;
  /** Trades that the venue publishes while its feeds are followed; absent if it publishes none, or nothing is measured by them. */
  readonly trades?: Observable<VenueTrade>;
  /** Feeds that tell of prediction markets besides quotes; they are among `feeds` too. */
  readonly predictions?: readonly PredictionFeed[];
}

/** Maximum wait of an on-demand request, because a person waits for it. A spent budget is reported instead. */
export const ASKED_WAIT_MS = 2_000;
