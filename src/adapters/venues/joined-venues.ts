/** Several venues as one: the input of a market pipeline. */
import { merge, type Observable } from 'rxjs';
import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import type { MarketExtras } from '../../../streams/market-states.ts';
import type { Feed } from '../../../streams/merge-feeds.ts';
import type { VenueTrade } from '../../domain/shadow/flow.ts';
import type { Venue } from '../../domain/market/venue.ts';
import type { VenueMarket } from '../reach.ts';
import type { PredictionFeed } from './prediction/provider-feed.ts';

export interface JoinedVenues {
  readonly feeds: readonly Feed[];
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  readonly extras: MarketExtras;
  /** Trades as venues tell them, while their feeds are followed. */
  readonly trades: Observable<VenueTrade>;
  /** The feeds of prediction markets, which are among `feeds` too, for what they tell besides quotes. */
  readonly predictions: readonly PredictionFeed[];
}

export function joinVenues(markets: readonly (VenueMarket & { readonly venue: Venue })[]): JoinedVenues {
  const extras = markets.map((market) => market.extras ?? {});
  return {
    feeds: markets.flatMap(({ feeds }) => feeds),
    histories: Object.fromEntries(markets.flatMap(({ venue, history }) => (history === undefined ? [] : [[venue, history]]))),
    extras: {
      books: extras.flatMap(({ books = [] }) => books),
      tickers: extras.flatMap(({ tickers = [] }) => tickers),
      marks: () => extras.flatMap(({ marks }) => marks?.() ?? []),
      serverTimes: extras.flatMap(({ serverTimes = [] }) => serverTimes),
    },
    trades: merge(...markets.flatMap(({ trades }) => trades ?? [])),
    predictions: markets.flatMap(({ predictions = [] }) => predictions),
  };
}
