/** The venues as this process hears them: feeds, histories and order books, made from addresses alone. */
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Clock } from '../../streams/clock.ts';
import type { Feed } from '../../streams/merge-feeds.ts';
import { createNewsFeed } from '../adapters/intelligence/news-feed.ts';
import { createPerpCandles } from '../adapters/venues/evmvenue/candles.ts';
import { createEvmVenueFeed } from '../adapters/venues/evmvenue/feed.ts';
import { createPerpInfo } from '../adapters/venues/evmvenue/info.ts';
import { createIssuerMarkFeed } from '../adapters/venues/reference/issuer-marks.ts';
import { createKeyedDoor } from '../adapters/venues/reference/keyed-door.ts';
import { createReferenceCandles } from '../adapters/venues/reference/candles.ts';
import { createReferenceDoor, createReferenceFeed, REFERENCE_PER_MINUTE } from '../adapters/venues/reference/feed.ts';
import { createSpotchainCandles } from '../adapters/venues/spotchain/candles.ts';
import { createSpotchainFeed } from '../adapters/venues/spotchain/feed.ts';
import { scaledUiOf } from '../adapters/venues/spotchain/multiplier.ts';
import { createSpotCandles } from '../adapters/venues/spotexchange/candles.ts';
import { fetchOrderBook } from '../adapters/venues/spotexchange/depth.ts';
import { createSpotExchangeFeed } from '../adapters/venues/spotexchange/feed.ts';
import { createSpotRest } from '../adapters/venues/spotexchange/rest.ts';
import type { OrderBook as VenueBook } from '../adapters/venues/order-book.ts';
import { VenueError } from '../adapters/venues/venue-feed.ts';
import { WeightBudget } from '../adapters/venues/venue-http.ts';
import { CLOCK_SKEW, CROSSED, flagsOf, marksOf, ONE_SIDED, OVER_AGE, qualityWith } from '../../streams/marked-quality.ts';
import { DEFAULT_LIMITS, limitsOf } from '../../streams/quality-limits.ts';
import type { OrderBook, OrderBookReads } from '../../api/doors.ts';
import { CATALOG, REFERENCE_FEEDS, USDC_DECIMALS, USDC_MINT } from '../domain/catalog.ts';
import { compareDecimals } from '../domain/decimal.ts';
import { refuse } from '../domain/refusal.ts';
import type { Venue } from '../domain/venue.ts';
import type { Addresses } from './addresses.ts';

/** Requests per minute that the aggregator's plan allows. */
const SPOTCHAIN_PER_MINUTE = 600;
const CANDLES_PER_MINUTE = 120;
/** Weight per minute that the exchange and the perpetuals venue allow an address. */
const SPOTEXCHANGE_WEIGHT = 6_000;
const EVMVENUE_WEIGHT = 1_200;
const SMALL_PER_MINUTE = 30;
/** Somebody waits for an order book that was asked for; a spent budget is told rather than waited out. */
const ORDER_BOOK_WAIT_MS = 2_000;

/** What each provider lets one address ask in a minute, shared by all clients of a process: made once per process. */
export type RequestBudgets = ReturnType<typeof createRequestBudgets>;

export function createRequestBudgets() {
  return {
    spotexchange: new WeightBudget(SPOTEXCHANGE_WEIGHT),
    evmvenue: new WeightBudget(EVMVENUE_WEIGHT),
    aggregator: new WeightBudget(SPOTCHAIN_PER_MINUTE),
    pools: new WeightBudget(CANDLES_PER_MINUTE),
    reference: new WeightBudget(REFERENCE_PER_MINUTE),
    issuer: new WeightBudget(SMALL_PER_MINUTE),
    news: new WeightBudget(SMALL_PER_MINUTE),
  } as const;
}

type Read = ReturnType<OrderBookReads['read']>;

export interface Venues {
  readonly feeds: readonly Feed[];
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
}

const shares = REFERENCE_FEEDS.map(({ instrument, feedId, feedSymbol }) => ({ symbol: instrument, feedId, feedSymbol }));
const tokens = CATALOG.entries.flatMap((entry) =>
  entry.token === null
    ? []
    : [{ symbol: entry.instrument, mint: entry.token.mint, decimals: entry.token.decimals, scaledUi: scaledUiOf(entry.token) }],
);
const on = (venue: Venue): string[] => CATALOG.entries.filter((entry) => entry.venue === venue).map((entry) => entry.instrument);

/** Feeds connect when they are subscribed, not before. `random` is for the jitter of their backoffs, 0 <= n < 1. */
export function createVenues(addresses: Addresses, clock: Clock, random: () => number, budgets: RequestBudgets): Venues {
  const rest = createSpotRest({
    baseUrl: addresses.spotexchange.url,
    clock,
    random,
    budget: budgets.spotexchange,
  });
  const perps = createPerpInfo({
    baseUrl: addresses.evmvenue.url,
    clock,
    random,
    budget: budgets.evmvenue,
  });
  const perpCandles = createPerpCandles(perps.http, clock);
  const aggregator = createKeyedDoor({
    venue: 'spotchain',
    baseUrl: addresses.spotchain.url,
    headers: addresses.spotchain.key === null ? {} : { 'x-api-key': addresses.spotchain.key },
    clock,
    random,
    perMinute: SPOTCHAIN_PER_MINUTE,
    budget: budgets.aggregator,
  });
  const pools = createKeyedDoor({
    venue: 'spotchain',
    baseUrl: addresses.spotchain.candlesUrl,
    clock,
    random,
    perMinute: CANDLES_PER_MINUTE,
    budget: budgets.pools,
  });
  const small = (baseUrl: string, budget: WeightBudget) =>
    createKeyedDoor({
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
  const reference = createReferenceDoor({ baseUrl: history, ...key, clock, random });
  const preIpo = CATALOG.entries.filter(({ kind }) => kind === 'pre_ipo');

  return {
    feeds: [
      createSpotExchangeFeed({ streamUrl: addresses.spotexchange.streamUrl, rest, clock, random, instruments: on('spotexchange') }),
      createEvmVenueFeed({ socketUrl: addresses.evmvenue.streamUrl, clock, random, instruments: on('evmvenue') }),
      createSpotchainFeed({ door: aggregator, tokens, stable: { mint: USDC_MINT, decimals: USDC_DECIMALS }, clock, random }),
      createReferenceFeed({ baseUrl: addresses.reference.url, ...key, instruments: shares, clock, random }),
      createIssuerMarkFeed({
        door: small(addresses.issuerUrl, budgets.issuer),
        mints: new Map(preIpo.map((entry) => [entry.instrument, entry.token?.mint ?? ''])),
        clock,
        random,
      }),
      createNewsFeed({ door: small(addresses.newsUrl, budgets.news), clock, random }),
    ],
    histories: {
      spotexchange: createSpotCandles(rest, clock),
      evmvenue: {
        fetchCandles: (...query) => perpCandles.fetchCandles(...query),
        fetchFunding: async (coin, from, to) =>
          (await perps.fundingHistory(coin, from + 1, to + 1)).map(({ at, hourlyFunding }) => ({ at, hourlyFunding })),
      },
      spotchain: createSpotchainCandles({
        door: pools,
        pools: tokens.flatMap(({ symbol, scaledUi }) =>
          addresses.spotchain.pools.has(symbol) ? [{ symbol, pool: addresses.spotchain.pools.get(symbol) as string, scaledUi }] : [],
        ),
      }),
      reference: createReferenceCandles({ door: reference, instruments: shares }),
    },
  };
}

/** Order books on demand, in any process: asked of the venue itself, within its request budget. */
export function createOrderBooks(addresses: Addresses, clock: Clock, random: () => number, budgets: RequestBudgets): OrderBookReads {
  const asking = { clock, random, maxWaitMs: ORDER_BOOK_WAIT_MS };
  const { spotexchange, evmvenue } = addresses;
  const rest = createSpotRest({ ...asking, baseUrl: spotexchange.url, budget: budgets.spotexchange });
  const perps = createPerpInfo({ ...asking, baseUrl: evmvenue.url, budget: budgets.evmvenue });
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

/** A book that was asked for just now: live, unless its sides contradict each other or its own time is not of now. */
function shown(book: VenueBook, depth: number): OrderBook {
  const [bid, ask] = [book.bids[0], book.asks[0]];
  const limits = limitsOf(DEFAULT_LIMITS, book.venue, book.source);
  let marks = marksOf(book.flags);
  if (bid === undefined || ask === undefined) marks |= ONE_SIDED;
  else if (compareDecimals(bid[0], ask[0]) > 0) marks |= CROSSED;
  if (book.receivedAt - book.observedAt > limits.maxAgeMs) marks |= OVER_AGE;
  if (book.observedAt - book.receivedAt > limits.maxSkewMs) marks |= CLOCK_SKEW;
  const levels = (side: VenueBook['bids']) => side.slice(0, depth).map(([price, size]) => ({ price, size }));
  return {
    source: book.source,
    observedAt: book.observedAt,
    receivedAt: book.receivedAt,
    quality: qualityWith(book.quality, marks),
    flags: flagsOf(marks),
    bids: levels(book.bids),
    asks: levels(book.asks),
  };
}
