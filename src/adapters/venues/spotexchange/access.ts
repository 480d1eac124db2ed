/** Opens the spot exchange: request budgets of an address, the feed, bars, books, and orders of accounts. */
import type { ExecutionClient, OrderStream, OrderStreamListener } from '../../../../actors/proposal/execution-client.ts';
import { aloneBudgets, type MakeBudget } from '../../queue/request-budgets.ts';
import { ASKED, type Reach } from '../../reach.ts';
import { deriveClientOrderId } from '../../../domain/orders/exchange-request.ts';
import { withJoinedBars } from '../joined-bars.ts';
import { followedBooks, listedOn } from '../listed.ts';
import type { RequestBudget } from '../request-budget.ts';
import type { Patience } from '../venue-http.ts';
import type { AskTrades } from '../venue-flows.ts';
import { fetchAccount, type SpotAccount } from './spot-account.ts';
import { createSpotCandles, INTERVALS } from './candles.ts';
import { fetchOrderBook } from './depth.ts';
import { createSpotExchangeFeed } from './feed.ts';
import { createSpotOrders, type SpotOrders } from './orders.ts';
import { createSpotRest, fetchServerTime } from './rest.ts';
import { createSignedRest, type SpotBudgets } from './signed-rest.ts';
import { AGG_TRADES_SOURCE, fetchTrades } from './trades.ts';
import { createUserStreams } from './user-stream.ts';
import { DAY_MS } from '../../../domain/values/time.ts';
import type { SignExchangeRequest } from '../../identity/signer/protocol.ts';

/** Request weight per minute of an address. */
const WEIGHT_PER_MINUTE = 6_000;
/** New orders per 10 s of an account. */
const ORDERS_PER_10_S = 100;
const ORDERS_PER_DAY = 200_000;
/** Maximum wait of an order for its budget, in milliseconds: no longer than its lease. */
const ORDER_WAIT_MS = 1_000;

const budgets = (make: MakeBudget) => ({ spotexchange: make('spotexchange', WEIGHT_PER_MINUTE) });

export interface SpotExchangeAddresses {
  /** `wsApiUrl`: websocket API for order reports; null if not configured. */
  readonly spotexchange: { readonly url: string; readonly streamUrl: string; readonly wsApiUrl?: string | null };
}

type Exchange = Reach<SpotExchangeAddresses, Pick<ReturnType<typeof budgets>, 'spotexchange'>>;

const createRest = ({ addresses, budgets: { spotexchange: budget }, clock, random, note }: Exchange, patience: Patience = {}) =>
  createSpotRest({
    baseUrl: addresses.spotexchange.url,
    clock,
    random,
    budget,
    note,
    ...patience,
  });

export const spotexchangeAccess = {
  budgets,

  open(reach: Exchange) {
    const { addresses, clock, random } = reach;
    const rest = createRest(reach);
    const instruments = listedOn('spotexchange');
    const { streamUrl } = addresses.spotexchange;
    const feed = createSpotExchangeFeed({ streamUrl, rest, clock, random, instruments, tickers: true, trades: true });
    return {
      feeds: [feed],
      trades: feed.trades,
      history: withJoinedBars(createSpotCandles(rest, clock), Object.keys(INTERVALS)),
      extras: {
        books: followedBooks(feed, instruments),
        tickers: instruments.map((instrument) => ({ instrument, read: () => feed.dayTicker(instrument) })),
        serverTimes: [{ venue: 'spotexchange' as const, ask: () => fetchServerTime(rest) }],
      },
    };
  },

  askBook(reach: Exchange) {
    const rest = createRest(reach, ASKED);
    return (instrument: string, depth: number) => fetchOrderBook(rest, reach.clock, instrument, depth);
  },

  askTrades(reach: Exchange): AskTrades {
    const rest = createRest(reach, { maxWaitMs: ASKED.maxWaitMs });
    return { source: AGG_TRADES_SOURCE, between: (instrument, from, to) => fetchTrades(rest, instrument, from, to) };
  },
};

/** Creates the budgets by organization: requests count by address, new orders by account. */
function accountBudgets(weight: RequestBudget, make: MakeBudget): (orgId: string) => SpotBudgets {
  const made = new Map<string, SpotBudgets>();
  return (orgId) => {
    const known = made.get(orgId) ?? {
      weight,
      orders: make(`spotexchange_orders:${orgId}`, ORDERS_PER_10_S, 10_000),
      dayOrders: make(`spotexchange_orders_day:${orgId}`, ORDERS_PER_DAY, DAY_MS),
    };
    made.set(orgId, known);
    return known;
  };
}

/** Opens live orders, each for its organization's account. `make` creates the budgets of accounts. */
export function openSpotOrders(
  reach: Exchange,
  sign: SignExchangeRequest,
  make: MakeBudget,
): { readonly client: ExecutionClient<'spotexchange'>; readonly stream: OrderStream | undefined; close(): void } {
  const { addresses, budgets: paid, clock, note } = reach;
  const rest = createRest(reach, { maxWaitMs: ORDER_WAIT_MS });
  const budgetsOf = accountBudgets(paid.spotexchange, make);
  const client = createSpotOrders({ baseUrl: addresses.spotexchange.url, rest, sign, clock, budgetsOf, note });
  const { wsApiUrl = null } = addresses.spotexchange;
  const stream = wsApiUrl === null ? null : openSpotReports({ ...reach, url: wsApiUrl, orders: client });
  return {
    client,
    stream: stream?.stream,
    close() {
      stream?.close();
      client.close();
      rest.close();
    },
  };
}

/** Opens the reports of accounts' orders. */
export function openSpotReports({
  url,
  orders,
  clock,
  random,
  note,
}: Pick<Exchange, 'clock' | 'random' | 'note'> & { readonly url: string; readonly orders: SpotOrders }): {
  readonly stream: OrderStream;
  close(): void;
} {
  let listener: OrderStreamListener | null = null;
  const streams = createUserStreams({
    url,
    clock,
    random,
    note,
    signedOf: orders.signedOf,
    listener: {
      reported: (orgId, report) =>
        listener?.reported({
          orgId,
          isOf: (key) => deriveClientOrderId(key) === report.name,
          answer: (order, info) => orders.read(order, report, info),
        }),
      missed: (orgId) => listener?.missed(orgId),
      silent: (orgId, why) => listener?.silent(orgId, why),
    },
  });
  const listen: OrderStream['listen'] = (given) => {
    listener = given;
  };
  return { stream: { listen, follow: streams.follow }, close: streams.close };
}

/** Reads of single accounts. */
export interface SpotAccounts {
  /** @throws VenueError if the exchange does not answer */
  read(orgId: string): Promise<SpotAccount>;
  close(): void;
}

export function openSpotAccounts(reach: Exchange, sign: SignExchangeRequest): SpotAccounts {
  const { addresses, budgets: paid, clock, note } = reach;
  const rest = createRest(reach, ASKED);
  const budgetsOf = accountBudgets(paid.spotexchange, aloneBudgets);
  return {
    async read(orgId) {
      const signed = createSignedRest({ baseUrl: addresses.spotexchange.url, rest, orgId, sign, clock, budgets: budgetsOf(orgId), note });
      try {
        return await fetchAccount(signed, clock);
      } finally {
        signed.close();
      }
    },
    close: () => rest.close(),
  };
}
