/** The venues as this process hears them: feeds, histories and order books, made from addresses alone. */

import type { OrderBookReads } from '../../api/v1/order-book/ports.ts';
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Clock } from '../../streams/clock.ts';
import type { NoteUnknownField } from '../../streams/feed-counters.ts';
import { CLOCK_SKEW, CROSSED, flagsOf, marksOf, ONE_SIDED, OVER_AGE, qualityWith } from '../../streams/flag-bits.ts';
import type { Feed } from '../../streams/merge-feeds.ts';
import { DEFAULT_LIMITS, limitsOf } from '../../streams/quality-limits.ts';
import { createPerpCandles } from '../adapters/venues/evmvenue/candles.ts';
import { createEvmVenueFeed } from '../adapters/venues/evmvenue/feed.ts';
import { createPerpInfo } from '../adapters/venues/evmvenue/info.ts';
import type { OrderBook as VenueBook } from '../adapters/venues/order-book.ts';
import type { PredictionFeed } from '../adapters/venues/prediction/provider-feed.ts';
import { createReferenceCandles } from '../adapters/venues/reference/candles.ts';
import { FALLBACK_PER_MINUTE, withFallback } from '../adapters/venues/reference/fallback.ts';
import { createReferenceClient, createReferenceFeed, REFERENCE_PER_MINUTE } from '../adapters/venues/reference/feed.ts';
import { createIssuerMarkFeed, MARK_ISSUERS, type MarkMemory } from '../adapters/venues/reference/issuer-marks.ts';
import { createKeyedClient } from '../adapters/venues/reference/keyed-client.ts';
import { SHARE_QUOTES } from '../adapters/venues/reference/share-quotes.ts';
import { forOptionalWork, type RequestBudget } from '../adapters/venues/request-budget.ts';
import { createSpotchainCandles } from '../adapters/venues/spotchain/candles.ts';
import { createSpotchainFeed } from '../adapters/venues/spotchain/feed.ts';
import type { SpotToken } from '../adapters/venues/spotchain/map.ts';
import { scaledUiOf } from '../adapters/venues/spotchain/multiplier.ts';
import { createSpotCandles } from '../adapters/venues/spotexchange/candles.ts';
import { fetchOrderBook } from '../adapters/venues/spotexchange/depth.ts';
import { createSpotExchangeFeed } from '../adapters/venues/spotexchange/feed.ts';
import { createSpotRest, fetchServerTime } from '../adapters/venues/spotexchange/rest.ts';
import { VenueError } from '../adapters/venues/venue-feed.ts';
import { CATALOG, REFERENCE_FEEDS, USDC_DECIMALS, USDC_MINT } from '../domain/catalog.ts';
import { compareDecimals } from '../domain/decimal.ts';
import type { IssuerMarkState } from '../domain/issuer-mark.ts';
import type { BudgetState, DayTicker, OrderBookSnapshot } from '../domain/market-state.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { Quality, QualityFlag } from '../domain/quote.ts';
import { refuse } from '../domain/refusal.ts';
import type { EpochMs } from '../domain/time.ts';
import type { Venue } from '../domain/venue.ts';
import type { Addresses } from './addresses.ts';
import { aloneBudgets, type MakeBudget } from './budgets.ts';
import { createIntelligenceSources, type IntelligenceSources } from './intelligence.ts';
import { createPredictionBudgets, createPredictionFeeds } from './prediction.ts';

/** Requests per minute that the aggregator's plan allows. */
export const SPOTCHAIN_PER_MINUTE = 600;
const CANDLES_PER_MINUTE = 120;
/** Weight per minute that the exchange and the perpetuals venue allow an address. */
const SPOTEXCHANGE_WEIGHT = 6_000;
const EVMVENUE_WEIGHT = 1_200;
/** New orders that the exchange allows an account. */
const SPOTEXCHANGE_ORDERS_PER_10_S = 100;
const SPOTEXCHANGE_ORDERS_PER_DAY = 200_000;
const SMALL_PER_MINUTE = 30;
const TVL_PER_MINUTE = 60;
/** The statistics office allows 120 a minute, the regulator 10 a second; others may share our address. */
const MACRO_PER_MINUTE = 90;
const FILINGS_PER_SECOND = 8;
/** Searches in a window of 15 minutes that every plan of the platform allows. */
const SOCIAL_PER_WINDOW = 60;
/** Somebody waits for an order book that was asked for; a spent budget is told rather than waited out. */
const ORDER_BOOK_WAIT_MS = 2_000;

/** What each provider lets one address ask, shared by all clients of a process: made once per process. */
/** Bridge providers. Circle allows 35 in a second, and locks whoever exceeds it out for five minutes. */
const RELAY_PER_MINUTE = 200;
const CCTP_PER_SECOND = 20;

export type RequestBudgets = ReturnType<typeof createRequestBudgets>;

/** `make` decides who counts: this process alone, or all processes together. */
export function createRequestBudgets(make: MakeBudget = aloneBudgets) {
  return {
    spotexchange: make('spotexchange', SPOTEXCHANGE_WEIGHT),
    spotexchange_orders: make('spotexchange_orders', SPOTEXCHANGE_ORDERS_PER_10_S, 10_000),
    spotexchange_orders_day: make('spotexchange_orders_day', SPOTEXCHANGE_ORDERS_PER_DAY, 86_400_000),
    evmvenue: make('evmvenue', EVMVENUE_WEIGHT),
    aggregator: make('aggregator', SPOTCHAIN_PER_MINUTE),
    pools: make('pools', CANDLES_PER_MINUTE),
    reference: make('reference', REFERENCE_PER_MINUTE),
    reference_fallback: make('reference_fallback', FALLBACK_PER_MINUTE),
    issuer: make('issuer', SMALL_PER_MINUTE),
    news: make('news', SMALL_PER_MINUTE),
    tvl: make('tvl', TVL_PER_MINUTE),
    macro: make('macro', MACRO_PER_MINUTE),
    filings: make('filings', FILINGS_PER_SECOND, 1_000),
    social: make('social', SOCIAL_PER_WINDOW, 15 * 60_000),
    ...createPredictionBudgets(make),
    relay: make('relay', RELAY_PER_MINUTE),
    cctp: make('cctp', CCTP_PER_SECOND, 1_000),
  } as const;
}

type Read = ReturnType<OrderBookReads['read']>;

export interface Venues {
  readonly feeds: readonly Feed[];
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  readonly extras: MarketExtras;
  readonly intelligence: IntelligenceSources;
  /** The feeds of prediction markets, which are among `feeds` too, for what they tell besides quotes. */
  readonly predictions: readonly PredictionFeed[];
}

/** What the venues supply beside the streams of their feeds, as long as those are followed. */
export interface MarketExtras {
  readonly books: readonly { readonly venue: Venue; readonly instrument: string; read(levels: number): OrderBookSnapshot | null }[];
  readonly tickers: readonly { readonly instrument: string; read(): DayTicker | null }[];
  /** The issuers' marks with their valuations. */
  readonly marks?: () => readonly IssuerMarkState[];
  /** Venues that tell their server's time. */
  readonly serverTimes: readonly { readonly venue: Venue; ask(): Promise<EpochMs> }[];
}

/** Whose question a budget pays; what is not named here serves reference prices and intelligence. */
const BUDGET_VENUES: Readonly<Partial<Record<string, Venue>>> = {
  spotexchange: 'spotexchange',
  spotexchange_orders: 'spotexchange',
  spotexchange_orders_day: 'spotexchange',
  evmvenue: 'evmvenue',
  aggregator: 'spotchain',
  pools: 'spotchain',
  polymarket_gamma: 'prediction',
  polymarket_clob: 'prediction',
  polymarket_data: 'prediction',
  kalshi: 'prediction',
  prediction_onchain: 'prediction',
  relay: 'evmvenue',
  cctp: 'evmvenue',
};

/** The same budgets for work that nobody's decision waits for. */
export function optionalBudgets(budgets: RequestBudgets): RequestBudgets {
  return Object.fromEntries(Object.entries(budgets).map(([name, budget]) => [name, forOptionalWork(budget)])) as RequestBudgets;
}

/** What may still be asked of each provider by this process. */
export function budgetStates(budgets: RequestBudgets, now: EpochMs): BudgetState[] {
  return Object.entries(budgets).map(([name, budget]) => ({ venue: BUDGET_VENUES[name] ?? 'reference', name, ...budget.state(now) }));
}

const shares = REFERENCE_FEEDS.map(({ instrument, feedId, feedSymbol }) => ({ symbol: instrument, feedId, feedSymbol }));
/** The tokens of the catalog as it stands: agent tokens are listed while the service runs. */
const tokensNow = (): SpotToken[] =>
  CATALOG.entries.flatMap(({ instrument: symbol, token }) => {
    if (token === null) return [];
    const { mint, decimals, validFrom, validTo } = token;
    return [{ symbol, mint, decimals, validFrom, validTo, scaledUi: scaledUiOf(token) }];
  });
const on = (venue: Venue): string[] => CATALOG.entries.filter((entry) => entry.venue === venue).map((entry) => entry.instrument);

/**
 * Feeds connect when they are subscribed, not before. `random` is for the jitter of their backoffs, 0 <= n < 1;
 * `memory` is what is remembered of issuers' marks, where their feed is to be followed; `note` hears of members that
 * nobody knows in answers to single questions, while those of streams are counted by their feeds.
 */
export function createVenues(
  addresses: Addresses,
  clock: Clock,
  random: () => number,
  budgets: RequestBudgets,
  memory?: MarkMemory,
  note: NoteUnknownField = () => {},
): Venues {
  const rest = createSpotRest({
    baseUrl: addresses.spotexchange.url,
    clock,
    random,
    budget: budgets.spotexchange,
    note,
  });
  const perps = createPerpInfo({
    baseUrl: addresses.evmvenue.url,
    clock,
    random,
    budget: budgets.evmvenue,
    note,
  });
  const perpCandles = createPerpCandles(perps.http, clock);
  const aggregator = createKeyedClient({
    venue: 'spotchain',
    baseUrl: addresses.spotchain.url,
    headers: addresses.spotchain.key === null ? {} : { 'x-api-key': addresses.spotchain.key },
    clock,
    random,
    perMinute: SPOTCHAIN_PER_MINUTE,
    budget: budgets.aggregator,
  });
  const pools = createKeyedClient({
    venue: 'spotchain',
    baseUrl: addresses.spotchain.candlesUrl,
    clock,
    random,
    perMinute: CANDLES_PER_MINUTE,
    budget: budgets.pools,
    note,
  });
  const small = (baseUrl: string, budget: RequestBudget) =>
    createKeyedClient({
      venue: 'reference',
      baseUrl,
      clock,
      random,
      perMinute: SMALL_PER_MINUTE,
      budget,
    });
  const key = {
    ...(addresses.reference.key === null ? {} : { apiKey: addresses.reference.key }),
    budget: budgets.reference,
  };
  // The provider serves history beside its price routes, not under them.
  const history = addresses.reference.url.replace(/\/hermes\/?$/, '');
  const reference = createReferenceClient({ baseUrl: history, ...key, clock, random, note });
  const preIpo = CATALOG.entries.filter(({ kind }) => kind === 'pre_ipo');
  const spotFeed = createSpotExchangeFeed({
    streamUrl: addresses.spotexchange.streamUrl,
    rest,
    clock,
    random,
    instruments: on('spotexchange'),
    tickers: true,
  });
  const perpFeed = createEvmVenueFeed({ socketUrl: addresses.evmvenue.streamUrl, clock, random, instruments: on('evmvenue') });
  const shareFeed = createReferenceFeed({ baseUrl: addresses.reference.url, ...key, instruments: shares, clock, random });
  const fallback = addresses.referenceFallback;
  const markFeed = createIssuerMarkFeed({
    client: small(addresses.issuerUrl, budgets.issuer),
    issuer: MARK_ISSUERS[addresses.issuerProvider],
    mints: new Map(preIpo.map((entry) => [entry.instrument, entry.token?.mint ?? ''])),
    clock,
    random,
    ...(memory === undefined ? {} : { memory }),
  });

  const predictions = createPredictionFeeds({ addresses: addresses.prediction, clock, random, budgets });
  return {
    predictions,
    intelligence: createIntelligenceSources(addresses, clock, random, budgets),
    extras: {
      books: [spotFeed, perpFeed].flatMap((feed) =>
        on(feed.venue).map((instrument) => ({
          venue: feed.venue,
          instrument,
          read: (levels: number) => {
            const book = feed.book(instrument, levels);
            return book === null ? null : bookState(book);
          },
        })),
      ),
      marks: () => markFeed.states(),
      tickers: on('spotexchange').map((instrument) => ({ instrument, read: () => spotFeed.dayTicker(instrument) })),
      serverTimes: [{ venue: 'spotexchange', ask: () => fetchServerTime(rest) }],
    },
    feeds: [
      ...predictions,
      spotFeed,
      perpFeed,
      createSpotchainFeed({ client: aggregator, tokens: tokensNow, stable: { mint: USDC_MINT, decimals: USDC_DECIMALS }, clock, random }),
      fallback === null
        ? shareFeed
        : withFallback({
            primary: shareFeed,
            provider: SHARE_QUOTES[fallback.provider],
            baseUrl: fallback.url,
            key: fallback.key,
            symbols: shares.map(({ symbol }) => symbol),
            clock,
            random,
            budget: budgets.reference_fallback,
          }),
      markFeed,
    ],
    histories: {
      spotexchange: createSpotCandles(rest, clock),
      evmvenue: {
        fetchCandles: (...query) => perpCandles.fetchCandles(...query),
        fetchFunding: async (coin, from, to) =>
          (await perps.fundingHistory(coin, from + 1, to + 1)).map(({ at, hourlyFunding }) => ({ at, hourlyFunding })),
      },
      spotchain: createSpotchainCandles({
        client: pools,
        pools: () =>
          tokensNow().flatMap(({ symbol, scaledUi }) => {
            const pool = addresses.spotchain.pools.get(symbol);
            return pool === undefined ? [] : [{ symbol, pool, scaledUi }];
          }),
      }),
      reference: createReferenceCandles({ client: reference, instruments: shares }),
    },
  };
}

/** Order books on demand, in any process: asked of the venue itself, within its request budget. */
export function createOrderBooks(
  addresses: Addresses,
  clock: Clock,
  random: () => number,
  budgets: RequestBudgets,
  note: NoteUnknownField = () => {},
): OrderBookReads {
  const asking = { clock, random, maxWaitMs: ORDER_BOOK_WAIT_MS };
  const { spotexchange, evmvenue } = addresses;
  const rest = createSpotRest({ ...asking, baseUrl: spotexchange.url, budget: budgets.spotexchange, note });
  const perps = createPerpInfo({ ...asking, baseUrl: evmvenue.url, budget: budgets.evmvenue, note });
  return {
    async read(venue, instrument, depth): Read {
      if (!CATALOG.entries.some((entry) => entry.venue === venue && entry.instrument === instrument)) {
        return refuse('not_found', `${venue} has no instrument ${instrument} in the catalog`);
      }
      try {
        if (venue === 'spotexchange') return { ok: true, value: shown(await fetchOrderBook(rest, clock, instrument, depth), depth) };
        if (venue === 'evmvenue') {
          const book = await perps.orderBook(instrument);
          return book === null ? refuse('not_found', `evmvenue has no book of ${instrument}`) : { ok: true, value: shown(book, depth) };
        }
        return refuse('not_found', `${venue} publishes no order book`);
      } catch (error) {
        if (error instanceof VenueError) return refuse('unavailable', `${venue} did not answer: ${error.message}`);
        throw error;
      }
    },
  };
}

/** A followed book with the marks that it deserves. */
function bookState(book: VenueBook): OrderBookSnapshot {
  const { quality, flags } = judgedBook(book, book.receivedAt);
  return {
    kind: 'order_book',
    venue: book.venue,
    instrument: book.instrument,
    source: book.source,
    observedAt: book.observedAt,
    receivedAt: book.receivedAt,
    sequence: book.sequence,
    bids: book.bids,
    asks: book.asks,
    quality,
    flags,
  };
}

/** A book that was asked for just now: live, unless its sides contradict each other or its own time is not of now. */
function shown(book: VenueBook, depth: number): OrderBook {
  const levels = (side: VenueBook['bids']) => side.slice(0, depth).map(([price, size]) => ({ price, size }));
  return {
    source: book.source,
    observedAt: book.observedAt,
    receivedAt: book.receivedAt,
    ...judgedBook(book, book.receivedAt),
    bids: levels(book.bids),
    asks: levels(book.asks),
  };
}

/** The quality of a book at an instant: what its sides and its times say, on top of what its feed said. */
function judgedBook(book: VenueBook, at: EpochMs): { readonly quality: Quality; readonly flags: readonly QualityFlag[] } {
  const [bid, ask] = [book.bids[0], book.asks[0]];
  const limits = limitsOf(DEFAULT_LIMITS, book.venue, book.source);
  let marks = marksOf(book.flags);
  if (bid === undefined || ask === undefined) marks |= ONE_SIDED;
  else if (compareDecimals(bid[0], ask[0]) > 0) marks |= CROSSED;
  if (at - book.observedAt > limits.maxAgeMs) marks |= OVER_AGE;
  if (book.observedAt - at > limits.maxSkewMs) marks |= CLOCK_SKEW;
  return { quality: qualityWith(book.quality, marks), flags: flagsOf(marks) };
}
