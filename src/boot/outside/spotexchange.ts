/** The spot exchange in this service: its addresses, what it lets one account ask, its feed, bars, books and simulator. */
import { createSpotCandles } from '../../adapters/venues/spotexchange/candles.ts';
import { fetchOrderBook } from '../../adapters/venues/spotexchange/depth.ts';
import { createSpotExchangeFeed } from '../../adapters/venues/spotexchange/feed.ts';
import { createSpotRest, fetchServerTime } from '../../adapters/venues/spotexchange/rest.ts';
import type { SpotCredentials } from '../../adapters/venues/spotexchange/signature.ts';
import type { MakeBudget } from '../budgets.ts';
import type { Config } from '../config.ts';
import { ASKED_WAIT_MS, type Reach, type SimulatorAt, streamAt, type VenueEntry } from './entry.ts';
import { followedBooks, listedOn } from './listed.ts';

/** Weight per minute that the exchange allows an address. */
const WEIGHT_PER_MINUTE = 6_000;
/** New orders that it allows an account. */
const ORDERS_PER_10_S = 100;
const ORDERS_PER_DAY = 200_000;

/** The key that the sandbox's exchange gives out; of no use anywhere else. */
export const SANDBOX_EXCHANGE_KEY: SpotCredentials = { key: 'sandboxexchange', secret: 'ofNoUseAnywhereElse' };

const budgets = (make: MakeBudget) => ({
  spotexchange: make('spotexchange', WEIGHT_PER_MINUTE),
  spotexchange_orders: make('spotexchange_orders', ORDERS_PER_10_S, 10_000),
  spotexchange_orders_day: make('spotexchange_orders_day', ORDERS_PER_DAY, 86_400_000),
});

interface Addresses {
  readonly spotexchange: { readonly url: string; readonly streamUrl: string };
}

type Exchange = Reach<Addresses, Pick<ReturnType<typeof budgets>, 'spotexchange'>>;

const restOf = ({ addresses, budgets: { spotexchange: budget }, clock, random, note }: Exchange, maxWaitMs?: number) =>
  createSpotRest({
    baseUrl: addresses.spotexchange.url,
    clock,
    random,
    budget,
    note,
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
  });

export const spotexchange = {
  venue: 'spotexchange',
  budgets,
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({
    spotexchange: {
      url: config.SPOTEXCHANGE_URL ?? simulator('spotexchange'),
      streamUrl: config.SPOTEXCHANGE_STREAM_URL ?? streamAt(simulator('spotexchange')),
    },
  }),
  isSimulated: (config) => config.SPOTEXCHANGE_URL === null,
  simulators: {
    spotexchange: {
      place: 0,
      async start({ market }, at) {
        const { createSpotExchangeSimulator } = await import('../../sandbox/spotexchange/simulator.ts');
        return createSpotExchangeSimulator({ market, keys: [SANDBOX_EXCHANGE_KEY], ...at });
      },
    },
  },

  open(reach: Exchange) {
    const { addresses, clock, random } = reach;
    const rest = restOf(reach);
    const instruments = listedOn('spotexchange');
    const { streamUrl } = addresses.spotexchange;
    const feed = createSpotExchangeFeed({ streamUrl, rest, clock, random, instruments, tickers: true });
    return {
      feeds: [feed],
      history: createSpotCandles(rest, clock),
      extras: {
        books: followedBooks(feed, instruments),
        tickers: instruments.map((instrument) => ({ instrument, read: () => feed.dayTicker(instrument) })),
        serverTimes: [{ venue: 'spotexchange' as const, ask: () => fetchServerTime(rest) }],
      },
    };
  },

  askBook(reach: Exchange) {
    const rest = restOf(reach, ASKED_WAIT_MS);
    return (instrument: string, depth: number) => fetchOrderBook(rest, reach.clock, instrument, depth);
  },
} satisfies VenueEntry;
