/** A simulator of the spot exchange on loopback: Binance's REST and websocket wire formats over the seeded market. */

import type { Clock } from '../../../streams/clock.ts';
import type { Candle } from '../../domain/candle.ts';
import type { EpochMs } from '../../domain/time.ts';
import { bendPrices, createFaultSwitch, type FaultSwitch, seededRandom } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, type LoopbackSession, type LoopbackSocket, listenOnLoopback } from '../loopback.ts';
import type { Market } from '../market/market.ts';
import { RequestWeight } from '../request-weight.ts';
import { ONE } from './exact-amount.ts';
import { createOrderEndpoints, ORDERS_PER_10_SECONDS, ORDERS_PER_DAY } from './order-endpoints.ts';
import { type ApiKey, refusal } from './signed-request.ts';
import { type BookChange, eightDecimals, SimulatedBook, type SymbolRules } from './simulated-book.ts';
import { filtersOf } from './symbol-filters.ts';
import { TradingAccount } from './trading-account.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const INTERVAL_MS: Readonly<Record<string, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '6h': 6 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
};

const WEIGHT_LIMIT = 6_000;
/** 0.1 % in hundred-thousandths. */
const COMMISSION_RATE = 100n;
const PING_MS = 20_000;
const PONG_WAIT_MS = 60_000;
/** How often the rolling day statistics are sent. */
const TICKER_MS = 1_000;
const KLINE_MS = 2_000;
const INBOUND_PER_SECOND = 5;
const MAX_STREAMS = 1_024;

export interface SpotExchangeSimulatorOptions {
  readonly market: Market;
  readonly clock: Clock;
  /** Default: a switch of its own with every fault off. */
  readonly faults?: FaultSwitch;
  /** 0 = any free port. */
  readonly port: number;
  readonly seed?: number;
  /** The keys of its one account; without any nothing can be ordered. */
  readonly keys?: readonly ApiKey[];
  /** What the account begins with, whole units by asset. Default: a million USDT. */
  readonly balances?: Readonly<Record<string, number>>;
}

export interface SpotExchangeSimulator {
  /** REST: `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Streams: `ws://127.0.0.1:<port>`. */
  readonly wsUrl: string;
  readonly faults: FaultSwitch;
  /** The symbols that are listed, e.g. `BTCUSDT`. */
  readonly symbols: readonly string[];
  /** Announces maintenance on every socket, as the venue does ten minutes before it closes them. */
  announceShutdown(): void;
  /** The account behind the signed endpoints. */
  readonly account: TradingAccount;
  /** The venue's status word of a symbol: `TRADING`, `HALT`, `BREAK`. */
  setStatus(symbol: string, status: string): void;
  close(): Promise<void>;
}

interface Session {
  readonly socket: LoopbackSocket;
  readonly combined: boolean;
  readonly streams: Set<string>;
}

/** Decimals of tick and lot by the price's magnitude: 0.01 and 0.00001 for bitcoin, 0.01 and 0.001 for a price of 150. */
function rulesOf(asset: string, price: number): SymbolRules {
  const magnitude = Math.floor(Math.log10(price));
  return {
    symbol: `${asset}USDT`,
    base: asset,
    tickDigits: Math.min(8, Math.max(2, 4 - magnitude)),
    lotDigits: Math.min(8, Math.max(0, magnitude + 1)),
  };
}

/** Starts the simulator. Its prices are the market's at the clock's time; equal seeds, clocks and requests give equal answers. */
export async function createSpotExchangeSimulator(options: SpotExchangeSimulatorOptions): Promise<SpotExchangeSimulator> {
  const { market, clock } = options;
  const faults = options.faults ?? createFaultSwitch(options.seed ?? 1);
  const venueNow = (): EpochMs => clock.now() + faults.settings.clockOffsetMs;
  const weight = new RequestWeight(WEIGHT_LIMIT, true);
  const sessions = new Set<Session>();
  const timers = new Map<string, () => void>();
  const books = new Map<string, SimulatedBook>();
  let closed = false;

  for (const [index, asset] of market.assets.filter(({ kind }) => kind === 'crypto').entries()) {
    const price = market.spot(asset.symbol, clock.now());
    // Ids grow with time, so that a restart goes on above what was seen before.
    const book = new SimulatedBook(rulesOf(asset.symbol, price), (options.seed ?? 1) * 1000 + index, Math.floor(clock.now() / 10));
    book.advance(price);
    books.set(book.rules.symbol, book);
  }

  const statuses = new Map<string, string>();
  const statusOf = (symbol: string): string => statuses.get(symbol) ?? 'TRADING';
  const account = new TradingAccount({
    balances: Object.fromEntries(
      Object.entries(options.balances ?? { USDT: 1_000_000 }).map(([asset, units]) => [asset, BigInt(units) * ONE]),
    ),
    commissionRate: COMMISSION_RATE,
    commissionIn: null,
    // Ids grow with time here too: what an earlier run of the simulator filled keeps its name.
    firstId: clock.now(),
    onTaken: (book, change) => {
      if (book.rungs('bid').length > 0 && book.rungs('ask').length > 0) return publishBook(book, change);
      // A side that was bought empty is quoted anew at once.
      const anew = book.advance(market.spot(book.rules.base, clock.now()));
      publishBook(book, {
        first: change.first,
        last: anew.last,
        bids: [...change.bids, ...anew.bids],
        asks: [...change.asks, ...anew.asks],
      });
    },
  });
  const handler = createOrderEndpoints({
    account,
    keys: options.keys ?? [],
    now: venueNow,
    bookOf: (symbol) => {
      const book = books.get(symbol);
      if (book !== undefined) asOfNow(book);
      return book;
    },
    statusOf,
  });

  /** While nobody listens the book stands still; whoever asks sees it as it is now. */
  function asOfNow(book: SimulatedBook): void {
    if (!timers.has(`book ${book.rules.symbol}`)) book.advance(market.spot(book.rules.base, clock.now()));
  }

  /** Calls again and again under one name until the name is cancelled; each call returns when it wants to be called next. */
  function repeat(name: string, first: EpochMs, call: () => EpochMs): void {
    if (closed) return;
    timers.set(
      name,
      clock.deadline(first, () => {
        const next = call();
        // The call itself may have been what made it unwanted.
        if (timers.has(name)) repeat(name, next, call);
      }),
    );
  }

  function cancel(name: string): void {
    timers.get(name)?.();
    timers.delete(name);
  }

  function publish(stream: string, data: object): void {
    const wrapped = JSON.stringify({ stream, data });
    for (const session of sessions) {
      if (session.streams.has(stream)) session.socket.data(session.combined ? wrapped : JSON.stringify(data));
    }
  }

  function publishBook(book: SimulatedBook, change: BookChange): void {
    const { symbol } = book.rules;
    const name = symbol.toLowerCase();
    const bid = book.top('bid');
    const ask = book.top('ask');
    const bent = bendPrices(faults, bid.price, ask.price, eightDecimals);
    publish(`${name}@bookTicker`, { u: change.last, s: symbol, b: bent.bid, B: bid.size, a: bent.ask, A: ask.size });
    const depth = { e: 'depthUpdate', E: venueNow(), s: symbol, U: change.first, u: change.last, b: change.bids, a: change.asks };
    publish(`${name}@depth@100ms`, depth);
    publish(`${name}@depth`, depth);
  }

  /** Closed bars of the market, spelled with the venue's eight decimals. */
  function closedBars(base: string, barMs: number, from: EpochMs, to: EpochMs): Candle[] {
    return market.candles('spot', base, barMs, from, to).map((bar) => ({
      openTime: bar.openTime,
      open: eightDecimals(Number(bar.open)),
      high: eightDecimals(Number(bar.high)),
      low: eightDecimals(Number(bar.low)),
      close: eightDecimals(Number(bar.close)),
      volume: eightDecimals(Number(bar.volume)),
    }));
  }

  /** The bar that is still open, sampled from the market. */
  function formingBar(base: string, openTime: EpochMs, now: EpochMs): Candle {
    const prices = [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => market.spot(base, Math.floor(openTime + (now - openTime) * part)));
    return {
      openTime,
      open: eightDecimals(prices[0] as number),
      high: eightDecimals(Math.max(...prices)),
      low: eightDecimals(Math.min(...prices)),
      close: eightDecimals(prices.at(-1) as number),
      volume: eightDecimals((now - openTime) / 1000),
    };
  }

  function wireKline(symbol: string, interval: string, bar: Candle, isClosed: boolean): object {
    const quoteVolume = eightDecimals(Number(bar.volume) * Number(bar.close));
    return {
      e: 'kline',
      E: venueNow(),
      s: symbol,
      k: {
        t: bar.openTime,
        T: bar.openTime + (INTERVAL_MS[interval] as number) - 1,
        s: symbol,
        i: interval,
        f: 100,
        L: 200,
        o: bar.open,
        c: bar.close,
        h: bar.high,
        l: bar.low,
        v: bar.volume,
        n: 100,
        x: isClosed,
        q: quoteVolume,
        V: bar.volume,
        Q: quoteVolume,
        B: '0',
      },
    };
  }

  function startKlines(stream: string, book: SimulatedBook, interval: string): void {
    const barMs = INTERVAL_MS[interval] as number;
    let next = Math.floor(clock.now() / barMs) * barMs;
    repeat(stream, clock.now(), () => {
      const now = clock.now();
      const current = Math.floor(now / barMs) * barMs;
      for (const bar of next < current ? closedBars(book.rules.base, barMs, next, current) : []) {
        publish(stream, wireKline(book.rules.symbol, interval, bar, true));
      }
      next = current;
      publish(stream, wireKline(book.rules.symbol, interval, formingBar(book.rules.base, current, now), false));
      return Math.min(now + KLINE_MS, current + barMs);
    });
  }

  /** Starts what a stream needs, once however many sockets follow it. Returns false for a stream that does not exist. */
  function start(stream: string): boolean {
    const at = stream.indexOf('@');
    const book = at < 0 ? undefined : books.get(stream.slice(0, at).toUpperCase());
    if (book === undefined || stream.slice(0, at) !== book.rules.symbol.toLowerCase()) return false;
    const channel = stream.slice(at + 1);
    if (channel === 'bookTicker' || channel === 'depth' || channel === 'depth@100ms') {
      const name = `book ${book.rules.symbol}`;
      if (timers.has(name)) return true;
      const random = seededRandom(book.lastUpdateId);
      // Three to ten updates a second.
      repeat(name, clock.now() + Math.floor(100 * random()), () => {
        publishBook(book, book.advance(market.spot(book.rules.base, clock.now())));
        return clock.now() + 100 + Math.floor(233 * random());
      });
      return true;
    }
    if (channel === 'ticker') {
      if (timers.has(stream)) return true;
      repeat(stream, clock.now(), () => {
        publish(stream, streamTicker(book));
        return clock.now() + TICKER_MS;
      });
      return true;
    }
    const interval = channel.startsWith('kline_') ? channel.slice(6) : '';
    if (!Object.hasOwn(INTERVAL_MS, interval)) return false;
    if (!timers.has(stream)) startKlines(stream, book, interval);
    return true;
  }

  /** Stops what nobody follows any more. */
  function stopUnused(): void {
    const followed = new Set([...sessions].flatMap((session) => [...session.streams]));
    for (const name of timers.keys()) {
      if (name.startsWith('socket ')) continue;
      const symbol = name.startsWith('book ') ? name.slice(5).toLowerCase() : null;
      const wanted =
        symbol === null ? followed.has(name) : ['bookTicker', 'depth', 'depth@100ms'].some((c) => followed.has(`${symbol}@${c}`));
      if (!wanted) cancel(name);
    }
  }

  let socketCount = 0;
  function open(socket: LoopbackSocket): LoopbackSession | null {
    const combined = socket.path === '/stream';
    const asked = combined
      ? (socket.query.get('streams') ?? '').split('/').filter(Boolean)
      : socket.path.startsWith('/ws/')
        ? socket.path.slice(4).split('/')
        : [];
    if (!combined && socket.path !== '/ws' && !socket.path.startsWith('/ws/')) return null;
    const session: Session = { socket, combined, streams: new Set(asked) };
    sessions.add(session);
    for (const stream of asked) start(stream);
    const name = `socket ${socketCount++}`;
    const openedAt = clock.now();
    let pongAt = openedAt;
    repeat(name, openedAt + PING_MS, () => {
      const now = clock.now();
      if (now - pongAt > PONG_WAIT_MS) socket.close(1008, 'no pong');
      else if (now - openedAt >= DAY_MS) socket.close(1001, 'Connection expired');
      else socket.ping(String(now));
      return now + PING_MS;
    });
    let second = -1;
    let inbound = 0;
    /** Every frame of the client counts: control messages, pings and pongs. */
    const count = (): boolean => {
      const now = Math.floor(clock.now() / 1000);
      if (now !== second) {
        second = now;
        inbound = 0;
      }
      inbound += 1;
      if (inbound <= INBOUND_PER_SECOND) return true;
      socket.close(1008, 'Too many requests');
      return false;
    };
    return {
      signal(kind) {
        if (kind === 'pong') pongAt = clock.now();
        count();
      },
      message(text) {
        if (count()) socket.control(JSON.stringify(control(session, text)));
      },
      closed() {
        sessions.delete(session);
        cancel(name);
        stopUnused();
      },
    };
  }

  function control(session: Session, text: string): object {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      return { code: 3, msg: `Invalid JSON: ${(error as Error).message}` };
    }
    const { method, params, id } = (message ?? {}) as Record<string, unknown>;
    if (typeof id !== 'number' && typeof id !== 'string' && id !== null)
      return { code: 2, msg: 'Invalid request: request ID must be an unsigned integer' };
    if (method === 'LIST_SUBSCRIPTIONS') return { result: [...session.streams], id };
    if (method !== 'SUBSCRIBE' && method !== 'UNSUBSCRIBE')
      return { code: 2, msg: `Invalid request: unknown variant \`${String(method)}\``, id };
    if (!Array.isArray(params) || params.some((stream) => typeof stream !== 'string'))
      return { code: 2, msg: 'Invalid request: invalid stream', id };
    for (const stream of params as string[]) {
      if (method === 'UNSUBSCRIBE') session.streams.delete(stream);
      else if (session.streams.size < MAX_STREAMS) {
        session.streams.add(stream);
        start(stream);
      }
    }
    stopUnused();
    return { result: null, id };
  }

  // --- REST -----------------------------------------------------------------------------------------------------

  function exchangeSymbol(book: SimulatedBook): object {
    const { symbol, base } = book.rules;
    return {
      symbol,
      status: statusOf(symbol),
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
      filters: filtersOf(book.rules),
      permissions: [],
      permissionSets: [['SPOT']],
      defaultSelfTradePreventionMode: 'EXPIRE_MAKER',
      allowedSelfTradePreventionModes: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    };
  }

  function exchangeInfo(query: URLSearchParams): LoopbackAnswer {
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
        symbols: (found as SimulatedBook[]).map(exchangeSymbol),
      },
    };
  }

  /** A whole number of the query; undefined where it is absent, null where it is malformed. */
  function whole(query: URLSearchParams, name: string): number | undefined | null {
    const text = query.get(name);
    if (text === null) return undefined;
    return /^\d{1,15}$/.test(text) ? Number(text) : null;
  }

  function depth(book: SimulatedBook, query: URLSearchParams): LoopbackAnswer {
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

  function klines(book: SimulatedBook, query: URLSearchParams): LoopbackAnswer {
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
    const firstOpen =
      startTime === undefined ? Math.floor(end / barMs) * barMs - (limit - 1) * barMs : Math.ceil(startTime / barMs) * barMs;
    const currentOpen = Math.floor(now / barMs) * barMs;
    const bars = closedBars(book.rules.base, barMs, firstOpen, Math.min(end + 1, firstOpen + limit * barMs, currentOpen));
    if (bars.length < limit && currentOpen >= firstOpen && currentOpen <= end) bars.push(formingBar(book.rules.base, currentOpen, now));
    return {
      status: 200,
      body: bars.slice(0, limit).map((bar) => {
        const quoteVolume = eightDecimals(Number(bar.volume) * Number(bar.close));
        return [
          bar.openTime,
          bar.open,
          bar.high,
          bar.low,
          bar.close,
          bar.volume,
          bar.openTime + barMs - 1,
          quoteVolume,
          100,
          bar.volume,
          quoteVolume,
          '0',
        ];
      }),
    };
  }

  function dayTicker(book: SimulatedBook): LoopbackAnswer {
    const now = clock.now();
    const { base, symbol } = book.rules;
    const from = now - DAY_MS;
    const bars = market.candles('spot', base, HOUR_MS, Math.ceil(from / HOUR_MS) * HOUR_MS, Math.floor(now / HOUR_MS) * HOUR_MS);
    const open = market.spot(base, from);
    const last = market.spot(base, now);
    const volume = bars.reduce((sum, bar) => sum + Number(bar.volume), 0);
    const quoteVolume = bars.reduce((sum, bar) => sum + Number(bar.volume) * Number(bar.close), 0);
    const bid = book.top('bid');
    const ask = book.top('ask');
    return {
      status: 200,
      body: {
        symbol,
        priceChange: eightDecimals(last - open),
        priceChangePercent: ((last / open - 1) * 100).toFixed(3),
        weightedAvgPrice: eightDecimals(volume > 0 ? quoteVolume / volume : last),
        prevClosePrice: eightDecimals(open),
        lastPrice: eightDecimals(last),
        lastQty: bid.size,
        bidPrice: eightDecimals(bid.price),
        bidQty: bid.size,
        askPrice: eightDecimals(ask.price),
        askQty: ask.size,
        openPrice: eightDecimals(open),
        highPrice: eightDecimals(Math.max(open, last, ...bars.map((bar) => Number(bar.high)))),
        lowPrice: eightDecimals(Math.min(open, last, ...bars.map((bar) => Number(bar.low)))),
        volume: eightDecimals(volume),
        quoteVolume: eightDecimals(quoteVolume),
        openTime: from + faults.settings.clockOffsetMs,
        closeTime: now + faults.settings.clockOffsetMs,
        firstId: 1,
        lastId: 100_000,
        count: 100_000,
      },
    };
  }

  /** The same statistics as the stream spells them. */
  function streamTicker(book: SimulatedBook): object {
    const day = dayTicker(book).body as Record<string, string | number>;
    return {
      e: '24hrTicker',
      E: venueNow(),
      s: day['symbol'],
      p: day['priceChange'],
      P: day['priceChangePercent'],
      w: day['weightedAvgPrice'],
      x: day['prevClosePrice'],
      c: day['lastPrice'],
      Q: day['lastQty'],
      b: day['bidPrice'],
      B: day['bidQty'],
      a: day['askPrice'],
      A: day['askQty'],
      o: day['openPrice'],
      h: day['highPrice'],
      l: day['lowPrice'],
      v: day['volume'],
      q: day['quoteVolume'],
      O: day['openTime'],
      C: day['closeTime'],
      F: day['firstId'],
      L: day['lastId'],
      n: day['count'],
    };
  }

  const ROUTES: Readonly<
    Record<string, { weight: (query: URLSearchParams) => number; answer: (query: URLSearchParams) => LoopbackAnswer }>
  > = {
    '/api/v3/ping': { weight: () => 1, answer: () => ({ status: 200, body: {} }) },
    '/api/v3/time': { weight: () => 1, answer: () => ({ status: 200, body: { serverTime: venueNow() } }) },
    '/api/v3/exchangeInfo': { weight: () => 20, answer: exchangeInfo },
    '/api/v3/depth': {
      weight: (query) => {
        const limit = Number(query.get('limit') ?? 100);
        return limit <= 100 ? 5 : limit <= 500 ? 25 : limit <= 1_000 ? 50 : 250;
      },
      answer: (query) => withSymbol(query, depth),
    },
    '/api/v3/klines': { weight: () => 2, answer: (query) => withSymbol(query, klines) },
    '/api/v3/ticker/24hr': { weight: () => 2, answer: (query) => withSymbol(query, dayTicker) },
  };

  function withSymbol(query: URLSearchParams, answer: (book: SimulatedBook, query: URLSearchParams) => LoopbackAnswer): LoopbackAnswer {
    const symbol = query.get('symbol');
    if (symbol === null || symbol === '')
      return refusal(400, -1102, "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed.");
    const book = books.get(symbol);
    return book === undefined ? refusal(400, -1121, 'Invalid symbol.') : answer(book, query);
  }

  function request(asked: LoopbackRequest): LoopbackAnswer {
    const { method, path, query } = asked;
    const route = Object.hasOwn(ROUTES, path) && method === 'GET' ? ROUTES[path] : undefined;
    const signedWeight = handler.weightOf(asked);
    if (route === undefined && signedWeight === undefined) return { status: 404, body: '<html><body><h2>404 Not found</h2></body></html>' };
    if (faults.happens(faults.settings.status5xx)) {
      if (method === 'GET')
        return refusal(503, -1008, 'Server is currently overloaded with other requests. Please try again in a few minutes.');
      // Nobody who hears this knows whether the order was taken.
      if (faults.random() < 0.5) handler.answer(asked);
      return refusal(504, -1007, 'Timeout waiting for response from backend server. Send status unknown; execution status unknown.');
    }
    if (faults.happens(faults.settings.status429)) return refusal(429, -1003, 'Too many requests queued.', { 'retry-after': '1' });
    const verdict = weight.charge(route === undefined ? (signedWeight ?? 0) : route.weight(query), clock.now());
    const headers: Record<string, string> = {
      'x-mbx-used-weight': String(verdict.usedWeight),
      'x-mbx-used-weight-1m': String(verdict.usedWeight),
    };
    if (verdict.status !== 200) {
      headers['retry-after'] = String(verdict.retryAfterSeconds);
      const text =
        verdict.status === 429
          ? `Too much request weight used; current limit is ${WEIGHT_LIMIT} request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.`
          : `Way too much request weight used; IP banned until ${venueNow() + verdict.retryAfterSeconds * 1000}. Please use WebSocket Streams for live updates to avoid bans.`;
      return refusal(verdict.status, -1003, text, headers);
    }
    const answer = route === undefined ? handler.answer(asked) : route.answer(query);
    return { status: answer.status, body: answer.body, headers: { ...headers, ...answer.headers } };
  }

  const server = await listenOnLoopback({ clock, faults, port: options.port, request, socket: open });
  return {
    url: server.url,
    wsUrl: server.wsUrl,
    faults,
    symbols: [...books.keys()],
    account,
    setStatus: (symbol, status) => void statuses.set(symbol, status),
    announceShutdown() {
      const data = { e: 'serverShutdown', E: venueNow() };
      for (const session of sessions) session.socket.control(JSON.stringify(session.combined ? { stream: '!serverShutdown', data } : data));
    },
    async close() {
      closed = true;
      for (const name of timers.keys()) cancel(name);
      await server.close();
    },
  };
}
