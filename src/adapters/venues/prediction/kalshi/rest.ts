/**
 * Client of Kalshi's public market data over HTTP: events with markets, series, order books and trades.
 * See docs/reference/outside/kalshi.md.
 */
import type { Clock } from '../../../../../streams/clock/clock.ts';
import { createUnknownFields, type UnknownFields } from '../../../../../streams/feed-counters.ts';
import type { PredictionBook, PredictionMarket, PredictionTrade } from '../../../../domain/prediction/market.ts';
import type { Rejection } from '../../../../domain/market/quote.ts';
import { valueText } from '../../../../domain/values/value-text.ts';
import type { RequestBudget } from '../../request-budget.ts';
import { VenueError } from '../../venue-feed.ts';
import { createVenueHttp, type Patience } from '../../venue-http.ts';
import { isRejection } from '../fields.ts';
import type { Listing } from '../provider-feed.ts';
import { type MarketContext, mapEvents, mapMarkets, mapOrderBook, mapSeries, mapTrades, type SeriesTerms, seriesTickersIn } from './map.ts';

/** Tokens per second of the basic tier's bucket. A read costs 10. */
export const KALSHI_TOKENS_PER_SECOND = 200;
const READ_COST = 10;
/** Pause after a 429 in milliseconds. It has no Retry-After, and the bucket is full after a second. */
const LIMIT_PAUSE_MS = 1_000;
const EVENTS_PAGE = 200;
const MAX_PAGES = 50;
/** Maximum tickers per request. */
const MAX_TICKERS = 50;

/** Options of the client. `maxWaitMs` is 20 s by default. */
interface KalshiRestOptions extends Patience {
  /** Base URL: `https://external-api.kalshi.com/trade-api/v2`. */
  readonly baseUrl: string;
  readonly clock: Clock;
  /** Random source for the jitter of retries, 0 <= n < 1. */
  readonly random: () => number;
  /** Budget in tokens per second (`KALSHI_TOKENS_PER_SECOND`). */
  readonly budget: RequestBudget;
  /** Maximum number of listed markets. Default 2000. */
  readonly maxMarkets?: number;
  /** Counter of unknown fields in the answers. Default: one of its own. */
  readonly unknownFields?: UnknownFields;
}

/** Parses an error: `{"error": {"code", "message"}}`, or for the rate limit `{"error": text}`. */
function readError(body: unknown, status: number): { code: string; message: string } | null {
  const error = (body as { error?: unknown } | null)?.error;
  if (typeof error === 'string') return { code: `http_${status}`, message: error.slice(0, 200) };
  if (typeof error !== 'object' || error === null) return null;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return { code: typeof code === 'string' ? code : `http_${status}`, message: valueText(message ?? '', 200) };
}

export function createKalshiRest(options: KalshiRestOptions) {
  const { clock } = options;
  const maxMarkets = options.maxMarkets ?? 2_000;
  const unknownFields = options.unknownFields ?? createUnknownFields();
  const http = createVenueHttp({
    venue: 'prediction',
    baseUrl: options.baseUrl,
    clock,
    random: options.random,
    budget: options.budget,
    weightPerMinute: KALSHI_TOKENS_PER_SECOND * 60,
    maxWaitMs: options.maxWaitMs ?? 20_000,
    ...(options.totalMs === undefined ? {} : { totalMs: options.totalMs }),
    limitPauseMs: LIMIT_PAUSE_MS,
    readError,
  });
  /** Terms by series, requested once per process because they hardly ever change. */
  const series = new Map<string, SeriesTerms>();
  /** Facts that markets inherit from their events, for markets requested individually. */
  const contexts = new Map<string, MarketContext>();

  async function learnSeries(tickers: readonly string[], rejections: Rejection[]): Promise<void> {
    for (const ticker of tickers) {
      if (series.has(ticker)) continue;
      try {
        const terms = mapSeries(await http.get(`/series/${ticker}`, {}, READ_COST), clock.now(), unknownFields.note);
        if (isRejection(terms)) rejections.push(terms);
        else series.set(ticker, terms);
      } catch (error) {
        // Without its terms only a market's fee is unknown.
        if (!(error instanceof VenueError && error.status === 404)) throw error;
      }
    }
  }

  return {
    /** Counter of unknown fields in the answers. */
    unknownFields,

    /** Lists every open market. @throws VenueError */
    async list(): Promise<Listing> {
      const markets: PredictionMarket[] = [];
      const rejections: Rejection[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < MAX_PAGES && markets.length < maxMarkets; page++) {
        const query: Record<string, string | number> = { status: 'open', with_nested_markets: 'true', limit: EVENTS_PAGE };
        if (cursor !== null) query['cursor'] = cursor;
        const body = await http.get('/events', query, READ_COST);
        const receivedAt = clock.now();
        await learnSeries(seriesTickersIn(body), rejections);
        keepContexts(body, contexts, series);
        const read = mapEvents(body, (ticker) => series.get(ticker) ?? null, receivedAt, unknownFields.note);
        markets.push(...read.markets);
        rejections.push(...read.rejections);
        cursor = read.cursor;
        if (cursor === null) break;
      }
      return { markets: markets.slice(0, maxMarkets), rejections };
    },

    /** Reads the current state of these markets. @throws VenueError */
    async ask(asked: readonly PredictionMarket[]): Promise<Listing> {
      const markets: PredictionMarket[] = [];
      const rejections: Rejection[] = [];
      for (let from = 0; from < asked.length; from += MAX_TICKERS) {
        const tickers = asked.slice(from, from + MAX_TICKERS).map(({ providerId }) => providerId);
        const body = await http.get('/markets', { tickers: tickers.join(','), limit: MAX_TICKERS }, READ_COST);
        const read = mapMarkets(body, (ticker) => contexts.get(ticker) ?? { event: null, series: null }, clock.now(), unknownFields.note);
        markets.push(...read.markets);
        rejections.push(...read.rejections);
      }
      return { markets, rejections };
    },

    /** Reads a market's book. @throws VenueError, also if the answer is unreadable */
    async book(market: PredictionMarket): Promise<PredictionBook> {
      const body = await http.get(`/markets/${market.providerId}/orderbook`, { depth: 50 }, READ_COST);
      const book = mapOrderBook(body, market, clock.now(), unknownFields.note);
      if (isRejection(book)) throw new VenueError('prediction', 200, book.reason, book.detail);
      return book;
    },

    /** Reads the newest trades, at most 100. @throws VenueError */
    async trades(market: PredictionMarket): Promise<readonly PredictionTrade[]> {
      const body = await http.get('/markets/trades', { ticker: market.providerId, limit: 100 }, READ_COST);
      const { trades, rejections } = mapTrades(body, market, clock.now(), unknownFields.note);
      const [first] = rejections;
      if (trades.length === 0 && first !== undefined) throw new VenueError('prediction', 200, first.reason, first.detail);
      return trades;
    },
  };
}

/** Keeps the facts that markets inherit from the events of a page. */
function keepContexts(body: unknown, contexts: Map<string, MarketContext>, series: ReadonlyMap<string, SeriesTerms>): void {
  const events = (body as { events?: unknown } | null)?.events;
  for (const raw of Array.isArray(events) ? events : []) {
    if (typeof raw !== 'object' || raw === null) continue;
    const event = raw as Readonly<Record<string, unknown>>;
    const { event_ticker: ticker, series_ticker: of } = event;
    if (typeof ticker !== 'string') continue;
    const { markets: _, ...own } = event;
    contexts.set(ticker, { event: own, series: typeof of === 'string' ? (series.get(of) ?? null) : null });
  }
}
