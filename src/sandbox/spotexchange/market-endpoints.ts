/** Public REST endpoints of the simulated spot exchange: symbols, books, candles, day statistics and server time. */
import type { LoopbackAnswer } from '../loopback.ts';
import { dayStatistics } from './day-statistics.ts';
import { ORDERS_PER_10_SECONDS, ORDERS_PER_DAY } from './order-endpoints.ts';
import { refusal } from './signed-request.ts';
import type { SimulatedBook } from './simulated-book.ts';
import { aggTrades } from './simulated-trades.ts';
import { closedBars, formingBar, INTERVAL_MS, klineRow } from './spot-bars.ts';
import { formatFilters } from './symbol-filters.ts';
import type { VenueState } from './venue-state.ts';

/** Request weight that one address may use per minute. */
export const WEIGHT_LIMIT = 6_000;

export interface MarketEndpoint {
  readonly weight: (query: URLSearchParams) => number;
  readonly answer: (query: URLSearchParams) => LoopbackAnswer;
}

type OfSymbol = (state: VenueState, book: SimulatedBook, query: URLSearchParams) => LoopbackAnswer;

/** Returns the unsigned GET endpoints by path. */
export function marketEndpoints(state: VenueState): Readonly<Record<string, MarketEndpoint>> {
  const ofSymbol = (answer: OfSymbol) => (query: URLSearchParams) => withSymbol(state, query, answer);
  return {
    '/api/v3/ping': { weight: () => 1, answer: () => ({ status: 200, body: {} }) },
    '/api/v3/time': { weight: () => 1, answer: () => ({ status: 200, body: { serverTime: state.venueNow() } }) },
    '/api/v3/exchangeInfo': { weight: () => 20, answer: (query) => exchangeInfo(state, query) },
    '/api/v3/depth': { weight: depthWeight, answer: ofSymbol(depth) },
    '/api/v3/aggTrades': {
      weight: () => 4,
      answer: ofSymbol(({ market, clock }, book, query) => aggTrades(market, book.rules, query, clock.now())),
    },
    '/api/v3/klines': { weight: () => 2, answer: ofSymbol(klines) },
    '/api/v3/ticker/24hr': { weight: () => 2, answer: ofSymbol(dayTicker) },
  };
}

function depthWeight(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 100);
  return limit <= 100 ? 5 : limit <= 500 ? 25 : limit <= 1_000 ? 50 : 250;
}

function withSymbol(state: VenueState, query: URLSearchParams, answer: OfSymbol): LoopbackAnswer {
  const symbol = query.get('symbol');
  if (symbol === null || symbol === '')
    return refusal(400, -1102, "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed.");
  const book = state.books.get(symbol);
  return book === undefined ? refusal(400, -1121, 'Invalid symbol.') : answer(state, book, query);
}

function exchangeSymbol(book: SimulatedBook, status: string): object {
  const { symbol, base } = book.rules;
  return {
    symbol,
    status,
    baseAsset: base,
    baseAssetPrecision: 8,
    quoteAsset: 'USDT',
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    orderTypes: ['LIMIT', 'LIMIT_MAKER', 'MARKET', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT'],
    icebergAllowed: true,
    ocoAllowed: true,
    otoAllowed: true,
    quoteOrderQtyMarketAllowed: true,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: formatFilters(book.rules),
    permissions: [],
    permissionSets: [['SPOT']],
    defaultSelfTradePreventionMode: 'EXPIRE_MAKER',
    allowedSelfTradePreventionModes: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
  };
}

function exchangeInfo({ books, venueNow, statusOf }: VenueState, query: URLSearchParams): LoopbackAnswer {
  let wanted: readonly unknown[] = [...books.keys()];
  const one = query.get('symbol');
  const many = query.get('symbols');
  if (one !== null) wanted = [one];
  else if (many !== null) {
    try {
      wanted = JSON.parse(many) as unknown[];
    } catch {
      return refusal(
        400,
        -1100,
        'Illegal characters found in parameter \'symbols\'; legal range is \'^\\[("[A-Z0-9-_.]{1,20}"(,"[A-Z0-9-_.]{1,20}"){0,}){0,1}\\]$\'.',
      );
    }
  }
  const found = wanted.map((symbol) => books.get(String(symbol)));
  if (found.includes(undefined)) return refusal(400, -1121, 'Invalid symbol.');
  return {
    status: 200,
    body: {
      timezone: 'UTC',
      serverTime: venueNow(),
      rateLimits: [
        { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: WEIGHT_LIMIT },
        { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: ORDERS_PER_10_SECONDS },
        { rateLimitType: 'ORDERS', interval: 'DAY', intervalNum: 1, limit: ORDERS_PER_DAY },
      ],
      exchangeFilters: [],
      symbols: (found as SimulatedBook[]).map((book) => exchangeSymbol(book, statusOf(book.rules.symbol))),
    },
  };
}

/** Parses an integer of the query. Undefined if it is absent, null if it is malformed. */
function whole(query: URLSearchParams, name: string): number | undefined | null {
  const text = query.get(name);
  if (text === null) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function depth({ asOfNow }: VenueState, book: SimulatedBook, query: URLSearchParams): LoopbackAnswer {
  const limit = whole(query, 'limit') ?? 100;
  asOfNow(book);
  return {
    status: 200,
    body: {
      lastUpdateId: book.lastUpdateId,
      bids: book.levels('bid', Math.min(limit, 5_000)),
      asks: book.levels('ask', Math.min(limit, 5_000)),
    },
  };
}

function klines({ market, clock }: VenueState, book: SimulatedBook, query: URLSearchParams): LoopbackAnswer {
  const interval = query.get('interval');
  if (interval === null) return refusal(400, -1102, "Mandatory parameter 'interval' was not sent, was empty/null, or malformed.");
  const barMs = Object.hasOwn(INTERVAL_MS, interval) ? INTERVAL_MS[interval] : undefined;
  if (barMs === undefined) return refusal(400, -1120, 'Invalid interval.');
  const [startTime, endTime, asked] = [whole(query, 'startTime'), whole(query, 'endTime'), whole(query, 'limit')];
  if (startTime === null || endTime === null || asked === null) {
    return refusal(400, -1100, "Illegal characters found in a parameter; legal range is '^[0-9]{1,20}$'.");
  }
  const limit = Math.min(Math.max(asked ?? 500, 1), 1_000);
  const now = clock.now();
  const end = Math.min(endTime ?? now, now);
  const firstOpen = startTime === undefined ? Math.floor(end / barMs) * barMs - (limit - 1) * barMs : Math.ceil(startTime / barMs) * barMs;
  const currentOpen = Math.floor(now / barMs) * barMs;
  const bars = closedBars(market, book.rules.base, barMs, firstOpen, Math.min(end + 1, firstOpen + limit * barMs, currentOpen));
  if (bars.length < limit && currentOpen >= firstOpen && currentOpen <= end)
    bars.push(formingBar(market, book.rules.base, currentOpen, now));
  return { status: 200, body: bars.slice(0, limit).map((bar) => klineRow(bar, barMs)) };
}

function dayTicker({ market, clock, faults }: VenueState, book: SimulatedBook): LoopbackAnswer {
  return { status: 200, body: dayStatistics(market, book, clock.now(), faults.settings.clockOffsetMs) };
}
