/** How a process reaches an outside system, and what a venue brings when it is opened. */
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Clock } from '../../streams/clock.ts';
import type { NoteUnknownField } from '../../streams/feed-counters.ts';
import type { Observable } from 'rxjs';
import type { MarketExtras } from '../../streams/market-states.ts';
import type { Feed } from '../../streams/merge-feeds.ts';
import type { VenueTrade } from '../domain/shadow/flow.ts';
import type { PredictionFeed } from './venues/prediction/provider-feed.ts';

/** What a client of an outside system is opened with. */
export interface Reach<Addresses, Budgets> {
  readonly addresses: Addresses;
  readonly budgets: Budgets;
  readonly clock: Clock;
  /** For the jitter of backoffs: 0 <= n < 1. */
  readonly random: () => number;
  /** Is told of members that nobody knows in answers to single questions; those of streams are counted by their feeds. */
  readonly note: NoteUnknownField;
}

/** What is followed and asked of one venue. Feeds connect when they are subscribed, not before. */
export interface VenueMarket {
  readonly feeds: readonly Feed[];
  readonly history?: CandleHistory;
  readonly extras?: Partial<MarketExtras>;
  /** Trades as the venue tells them, while its feeds are followed; none where it tells none, or nothing is measured by them. */
  readonly trades?: Observable<VenueTrade>;
  /** Feeds that tell of prediction markets besides quotes; they are among `feeds` too. */
  readonly predictions?: readonly PredictionFeed[];
}

/** Somebody waits for an answer to a question on demand; a spent budget is told rather than waited out. */
export const ASKED_WAIT_MS = 2_000;
