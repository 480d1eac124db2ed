/** Access of a process to the perpetuals venue: the rate limit of an address, its feed, bars, funding and books. */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { MakeBudget } from '../../queue/request-budgets.ts';
import { ASKED, type Reach } from '../../reach.ts';
import { findParts, withJoinedBars } from '../joined-bars.ts';
import { followedBooks, listedOn } from '../listed.ts';
import { createPerpCandles, INTERVALS, REACHABLE_BARS } from './candles.ts';
import { createEvmVenueFeed } from './feed.ts';
import type { Patience } from '../venue-http.ts';
import { createPerpInfo } from './info.ts';

/** Request weight per minute that the venue allows an address. */
const WEIGHT_PER_MINUTE = 1_200;

const budgets = (make: MakeBudget) => ({ evmvenue: make('evmvenue', WEIGHT_PER_MINUTE) });

export interface EvmVenueAddresses {
  readonly evmvenue: { readonly url: string; readonly streamUrl: string };
}

type PerpVenue = Reach<EvmVenueAddresses, ReturnType<typeof budgets>>;

const createInfo = ({ addresses, budgets: { evmvenue: budget }, clock, random, note }: PerpVenue, patience: Patience = {}) =>
  createPerpInfo({ baseUrl: addresses.evmvenue.url, clock, random, budget, note, ...patience });

/** Opens the venue for background requests, which fail if the budget is spent instead of waiting. */
export const openPerpInfo = (reach: PerpVenue) => createInfo(reach, { maxWaitMs: 1_000 });

export const evmvenueAccess = {
  budgets,

  open(reach: PerpVenue) {
    const { addresses, clock, random } = reach;
    const info = createInfo(reach);
    const offered = Object.keys(INTERVALS);
    const candles = withJoinedBars(createPerpCandles(info.http, clock), offered);
    const instruments = listedOn('evmvenue');
    const feed = createEvmVenueFeed({ socketUrl: addresses.evmvenue.streamUrl, clock, random, instruments });
    return {
      feeds: [feed],
      history: {
        reachableBars: (timeframe: string) => Math.floor(REACHABLE_BARS / (findParts(timeframe, offered)?.each ?? 1)),
        fetchCandles: (...query: Parameters<typeof candles.fetchCandles>) => candles.fetchCandles(...query),
        fetchFunding: async (coin: string, from: EpochMs, to: EpochMs) =>
          (await info.fundingHistory(coin, from + 1, to + 1)).map(({ at, hourlyFunding }) => ({ at, hourlyFunding })),
      },
      extras: { books: followedBooks(feed, instruments) },
    };
  },

  askBook(reach: PerpVenue) {
    const info = createInfo(reach, ASKED);
    return (instrument: string) => info.orderBook(instrument);
  },
};
