/** Market streams of the simulated spot exchange: sockets, subscriptions and messages. */
import { bendPrices, seededRandom } from '../faults.ts';
import type { LoopbackSession, LoopbackSocket } from '../loopback.ts';
import { RepeatingCalls } from '../repeating-calls.ts';
import { dayStatistics, tickerFrame } from './day-statistics.ts';
import { keepAlive } from './socket-life.ts';
import { type BookChange, eightDecimals, type SimulatedBook } from './simulated-book.ts';
import { streamedTrade, TRADE_EVERY_MS } from './simulated-trades.ts';
import { closedBars, formingBar, INTERVAL_MS, klineFrame } from './spot-bars.ts';
import type { VenueState } from './venue-state.ts';

/** Interval of the rolling day statistics. */
const TICKER_MS = 1_000;
const KLINE_MS = 2_000;
const INBOUND_PER_SECOND = 5;
const MAX_STREAMS = 1_024;
/** Channels of one symbol that are sent together. */
const BOOK_CHANNELS = ['bookTicker', 'depth', 'depth@100ms'];

interface Session {
  readonly socket: LoopbackSocket;
  readonly combined: boolean;
  readonly streams: Set<string>;
}

export class MarketStreams {
  readonly #state: Omit<VenueState, 'asOfNow'>;
  readonly #sessions = new Set<Session>();
  readonly #calls: RepeatingCalls;
  #socketCount = 0;

  constructor(state: Omit<VenueState, 'asOfNow'>, paceMs?: number) {
    this.#state = state;
    this.#calls = new RepeatingCalls(state.clock, paceMs);
  }

  /** True if the book of a symbol has subscribers. It then moves by itself. */
  isFollowed(symbol: string): boolean {
    return this.#calls.has(`book ${symbol}`);
  }

  /** Opens the session of a socket, or returns null if the path is no stream. */
  open(socket: LoopbackSocket): LoopbackSession | null {
    const combined = socket.path === '/stream';
    if (!combined && socket.path !== '/ws' && !socket.path.startsWith('/ws/')) return null;
    const asked = combined
      ? (socket.query.get('streams') ?? '').split('/').filter(Boolean)
      : socket.path.startsWith('/ws/')
        ? socket.path.slice(4).split('/')
        : [];
    const session: Session = { socket, combined, streams: new Set(asked) };
    this.#sessions.add(session);
    for (const stream of asked) this.#start(stream);
    const name = `socket ${this.#socketCount++}`;
    const receivedPong = keepAlive(this.#calls, this.#state.clock, name, socket);
    const count = this.#frameLimit(socket);
    return {
      signal(kind) {
        if (kind === 'pong') receivedPong();
        count();
      },
      message: (text) => {
        if (count()) socket.control(JSON.stringify(this.#control(session, text)));
      },
      closed: () => {
        this.#sessions.delete(session);
        this.#calls.cancel(name);
        this.#stopUnused();
      },
    };
  }

  /** Sends a book change to its subscribers. */
  publishBook(book: SimulatedBook, change: BookChange): void {
    const { symbol } = book.rules;
    const name = symbol.toLowerCase();
    const bid = book.top('bid');
    const ask = book.top('ask');
    const bent = bendPrices(this.#state.faults, bid.price, ask.price, eightDecimals);
    this.#publish(`${name}@bookTicker`, { u: change.last, s: symbol, b: bent.bid, B: bid.size, a: bent.ask, A: ask.size });
    const at = this.#state.venueNow();
    const depth = { e: 'depthUpdate', E: at, s: symbol, U: change.first, u: change.last, b: change.bids, a: change.asks };
    this.#publish(`${name}@depth@100ms`, depth);
    this.#publish(`${name}@depth`, depth);
  }

  /** Announces maintenance on every socket, as the venue does ten minutes before it closes them. */
  announceShutdown(): void {
    const data = { e: 'serverShutdown', E: this.#state.venueNow() };
    for (const { socket, combined } of this.#sessions)
      socket.control(JSON.stringify(combined ? { stream: '!serverShutdown', data } : data));
  }

  /** Stops every timer. The listener closes the sockets. */
  close(): void {
    this.#calls.close();
  }

  #publish(stream: string, data: object): void {
    const wrapped = JSON.stringify({ stream, data });
    for (const session of this.#sessions)
      if (session.streams.has(stream)) session.socket.data(session.combined ? wrapped : JSON.stringify(data));
  }

  /** Creates the frame limit, which counts control messages, pings and pongs. False after too many in a second. */
  #frameLimit(socket: LoopbackSocket): () => boolean {
    let second = -1;
    let inbound = 0;
    return () => {
      const now = Math.floor(this.#state.clock.now() / 1000);
      if (now !== second) {
        second = now;
        inbound = 0;
      }
      inbound += 1;
      if (inbound <= INBOUND_PER_SECOND) return true;
      socket.close(1008, 'Too many requests');
      return false;
    };
  }

  #control(session: Session, text: string): object {
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
        this.#start(stream);
      }
    }
    this.#stopUnused();
    return { result: null, id };
  }

  /** Starts the timer of a stream, shared by all its sockets. An unknown stream stays silent. */
  #start(stream: string): void {
    const at = stream.indexOf('@');
    const book = at < 0 ? undefined : this.#state.books.get(stream.slice(0, at).toUpperCase());
    if (book === undefined || stream.slice(0, at) !== book.rules.symbol.toLowerCase()) return;
    const channel = stream.slice(at + 1);
    if (BOOK_CHANNELS.includes(channel)) return this.#startBook(book);
    if (this.#calls.has(stream)) return;
    if (channel === 'ticker') return this.#startTicker(stream, book);
    if (channel === 'aggTrade') return this.#startTrades(stream, book);
    const interval = channel.startsWith('kline_') ? channel.slice(6) : '';
    if (Object.hasOwn(INTERVAL_MS, interval)) this.#startKlines(stream, book, interval);
  }

  #startBook(book: SimulatedBook): void {
    const { market, clock } = this.#state;
    if (this.isFollowed(book.rules.symbol)) return;
    const random = seededRandom(book.lastUpdateId);
    // Three to ten updates a second.
    this.#calls.repeat(`book ${book.rules.symbol}`, clock.now() + Math.floor(100 * random()), () => {
      this.publishBook(book, book.follow(market, clock.now()));
      return clock.now() + 100 + Math.floor(233 * random());
    });
  }

  #startTicker(stream: string, book: SimulatedBook): void {
    const { market, clock, faults, venueNow } = this.#state;
    this.#calls.repeat(stream, clock.now(), () => {
      const day = dayStatistics(market, book, clock.now(), faults.settings.clockOffsetMs);
      this.#publish(stream, tickerFrame(day, venueNow()));
      return clock.now() + TICKER_MS;
    });
  }

  #startTrades(stream: string, book: SimulatedBook): void {
    const { market, clock, venueNow } = this.#state;
    let next = Math.floor(clock.now() / TRADE_EVERY_MS) + 1;
    this.#calls.repeat(stream, next * TRADE_EVERY_MS, () => {
      // A late timer sends the trades that it missed, so that trade ids have no gap.
      for (; next * TRADE_EVERY_MS <= clock.now(); next++) this.#publish(stream, streamedTrade(market, book.rules, next, venueNow()));
      return next * TRADE_EVERY_MS;
    });
  }

  #startKlines(stream: string, book: SimulatedBook, interval: string): void {
    const { market, clock, venueNow } = this.#state;
    const { base, symbol } = book.rules;
    const barMs = INTERVAL_MS[interval] as number;
    let next = Math.floor(clock.now() / barMs) * barMs;
    this.#calls.repeat(stream, clock.now(), () => {
      const now = clock.now();
      const current = Math.floor(now / barMs) * barMs;
      for (const bar of next < current ? closedBars(market, base, barMs, next, current) : [])
        this.#publish(stream, klineFrame(symbol, interval, bar, true, venueNow()));
      next = current;
      this.#publish(stream, klineFrame(symbol, interval, formingBar(market, base, current, now), false, venueNow()));
      return Math.min(now + KLINE_MS, current + barMs);
    });
  }

  /** Stops the timers of streams without subscribers. */
  #stopUnused(): void {
    const followed = new Set([...this.#sessions].flatMap((session) => [...session.streams]));
    for (const name of this.#calls.names()) {
      if (name.startsWith('socket ')) continue;
      const symbol = name.startsWith('book ') ? name.slice(5).toLowerCase() : null;
      const wanted = symbol === null ? followed.has(name) : BOOK_CHANNELS.some((channel) => followed.has(`${symbol}@${channel}`));
      if (!wanted) this.#calls.cancel(name);
    }
  }
}
