/** The spot exchange as a process reaches it: what it lets one account ask, its feed, bars and books, and its orders. */
import type { ExecutionClient } from '../../../../actors/proposal/execution-client.ts';
import type { MakeBudget } from '../../queue/request-budgets.ts';
import { ASKED_WAIT_MS, type Reach } from '../../reach.ts';
import { followedBooks, listedOn } from '../listed.ts';
import type { AskTrades } from '../venue-flows.ts';
import { createSpotCandles } from './candles.ts';
import { fetchOrderBook } from './depth.ts';
import { createSpotExchangeFeed } from './feed.ts';
import { createSpotOrders } from './orders.ts';
import { createSpotRest, fetchServerTime } from './rest.ts';
import type { SpotCredentials } from './signature.ts';
import { AGG_TRADES_SOURCE, fetchTrades } from './trades.ts';

/** Weight per minute that the exchange allows an address. */
const WEIGHT_PER_MINUTE = 6_000;
/** New orders that it allows an account. */
const ORDERS_PER_10_S = 100;
const ORDERS_PER_DAY = 200_000;
/** An order waits no longer for a budget than its lease lasts. */
const ORDER_WAIT_MS = 1_000;

const budgets = (make: MakeBudget) => ({
  spotexchange: make('spotexchange', WEIGHT_PER_MINUTE),
  spotexchange_orders: make('spotexchange_orders', ORDERS_PER_10_S, 10_000),
  spotexchange_orders_day: make('spotexchange_orders_day', ORDERS_PER_DAY, 86_400_000),
});

export interface SpotExchangeAddresses {
  readonly spotexchange: { readonly url: string; readonly streamUrl: string };
}

type Exchange = Reach<SpotExchangeAddresses, Pick<ReturnType<typeof budgets>, 'spotexchange'>>;

const restOf = ({ addresses, budgets: { spotexchange: budget }, clock, random, note }: Exchange, maxWaitMs?: number) =>
  createSpotRest({
    baseUrl: addresses.spotexchange.url,
    clock,
    random,
    budget,
    note,
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
  });

export const spotexchangeAccess = {
  budgets,

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

  askTrades(reach: Exchange): AskTrades {
    const rest = restOf(reach, ASKED_WAIT_MS);
    return { source: AGG_TRADES_SOURCE, between: (instrument, from, to) => fetchTrades(rest, instrument, from, to) };
  },
};

/** Live orders for the account of the credentials. */
export function openSpotOrders(
  reach: Reach<SpotExchangeAddresses, ReturnType<typeof budgets>>,
  credentials: SpotCredentials,
): { readonly client: ExecutionClient<'spotexchange'>; close(): void } {
  const { addresses, budgets: paid, clock, note } = reach;
  const rest = restOf(reach, ORDER_WAIT_MS);
  const client = createSpotOrders({
    baseUrl: addresses.spotexchange.url,
    rest,
    credentials,
    clock,
    budgets: { weight: paid.spotexchange, orders: paid.spotexchange_orders, dayOrders: paid.spotexchange_orders_day },
    note,
  });
  return {
    client,
    close() {
      client.close();
      rest.close();
    },
  };
}
