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
import { createReferenceDoor, createReferenceFeed } from '../adapters/venues/reference/feed.ts';
import { createSpotchainCandles } from '../adapters/venues/spotchain/candles.ts';
import { createSpotchainFeed } from '../adapters/venues/spotchain/feed.ts';
import { scaledUiOf } from '../adapters/venues/spotchain/multiplier.ts';
import { createSpotCandles } from '../adapters/venues/spotexchange/candles.ts';
import { fetchOrderBook } from '../adapters/venues/spotexchange/depth.ts';
import { createSpotExchangeFeed } from '../adapters/venues/spotexchange/feed.ts';
import { createSpotRest } from '../adapters/venues/spotexchange/rest.ts';
import type { OrderBook as VenueBook } from '../adapters/venues/order-book.ts';
import { VenueError } from '../adapters/venues/venue-feed.ts';
import type { OrderBook, OrderBookReads } from '../../api/doors.ts';
import { CATALOG, REFERENCE_FEEDS, USDC_DECIMALS, USDC_MINT } from '../domain/catalog.ts';
import { compareDecimals } from '../domain/decimal.ts';
import type { QualityFlag } from '../domain/quote.ts';
import { refuse } from '../domain/refusal.ts';
import type { Venue } from '../domain/venue.ts';
import type { Addresses } from './addresses.ts';

/** Requests per minute that the aggregator's plan allows. */
const SPOTCHAIN_PER_MINUTE = 600;
const CANDLES_PER_MINUTE = 120;

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
export function createVenues(addresses: Addresses, clock: Clock, random: () => number): Venues {
  const rest = createSpotRest({ baseUrl: addresses.spotexchange.url, clock, random });
  const perps = createPerpInfo({ baseUrl: addresses.evmvenue.url, clock, random });
  const perpCandles = createPerpCandles(perps.http, clock);
  const aggregator = createKeyedDoor({
    venue: 'spotchain',
    baseUrl: addresses.spotchain.url,
    headers: addresses.spotchain.key === null ? {} : { 'x-api-key': addresses.spotchain.key },
    clock,
    random,
    perMinute: SPOTCHAIN_PER_MINUTE,
  });
  const pools = createKeyedDoor({
    venue: 'spotchain',
    baseUrl: addresses.spotchain.candlesUrl,
    clock,
    random,
    perMinute: CANDLES_PER_MINUTE,
  });
  const issuer = createKeyedDoor({ venue: 'reference', baseUrl: addresses.issuerUrl, clock, random, perMinute: 30 });
  const news = createKeyedDoor({ venue: 'reference', baseUrl: addresses.newsUrl, clock, random, perMinute: 30 });
  const key = addresses.reference.key === null ? {} : { apiKey: addresses.reference.key };
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
        door: issuer,
        mints: new Map(preIpo.map((entry) => [entry.instrument, entry.token?.mint ?? ''])),
        clock,
        random,
      }),
      createNewsFeed({ door: news, clock, random }),
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
export function createOrderBooks(addresses: Addresses, clock: Clock, random: () => number): OrderBookReads {
  const rest = createSpotRest({ baseUrl: addresses.spotexchange.url, clock, random, weightPerMinute: 1_200 });
  const perps = createPerpInfo({ baseUrl: addresses.evmvenue.url, clock, random, weightPerMinute: 240 });
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

/** A book that was asked for just now: live, unless its own sides contradict each other. */
function shown(book: VenueBook, depth: number): OrderBook {
  const [bid, ask] = [book.bids[0], book.asks[0]];
  const crossed = bid !== undefined && ask !== undefined && compareDecimals(bid[0], ask[0]) > 0;
  const flags: readonly QualityFlag[] = [
    ...book.flags,
    ...(crossed ? (['crossed'] as const) : []),
    ...(bid === undefined || ask === undefined ? (['one_sided'] as const) : []),
  ];
  const levels = (side: VenueBook['bids']) => side.slice(0, depth).map(([price, size]) => ({ price, size }));
  return {
    source: book.source,
    observedAt: book.observedAt,
    receivedAt: book.receivedAt,
    quality: flags.length === 0 ? 'live' : 'degraded',
    flags,
    bids: levels(book.bids),
    asks: levels(book.asks),
  };
}
