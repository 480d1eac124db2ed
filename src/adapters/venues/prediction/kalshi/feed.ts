/**
 * Live feed of Kalshi: a signed socket with numbered books if there is a key, otherwise polling of the listed best prices.
 * See docs/reference/outside/kalshi.md.
 */
import type { BookLevel } from '../../../../domain/market/order-book.ts';
import { defer, mergeMap, type Observable, type Subscription } from 'rxjs';
import type { FeedMessage } from '../../../../domain/market/market-event.ts';
import { complement, type PredictionMarket } from '../../../../domain/prediction/market.ts';
import { NO_FLAGS, type Quality, type QualityFlag, type Quote } from '../../../../domain/market/quote.ts';
import { type EpochMs, MINUTE_MS } from '../../../../domain/values/time.ts';
import { askAgain, retryPauseMs } from '../../ask-again.ts';
import { feedStatus, rejection } from '../../feed-messages.ts';
import { VenueError } from '../../venue-feed.ts';
import { type VenueConnection, venueSocket } from '../../venue-socket.ts';
import { isRejection } from '../fields.ts';
import { LevelBook } from '../level-book.ts';
import {
  BookWait,
  createProviderFeed,
  lookForBooks,
  type PredictionFeed,
  type ProviderFeedOptions,
  type ProviderStream,
  type Stage,
} from '../provider-feed.ts';
import { BOOK_SOURCE, MARKETS_SOURCE, mapSocketFrame, PROVIDER, type SocketMessage } from './map.ts';
import { type KalshiKey, kalshiSigner } from './kalshi-signer.ts';

/** Ping interval in milliseconds. The venue pings every 10 s itself; our pings prove that it answers. */
const PING_MS = 15_000;
const DATA_SILENCE_MS = 15 * MINUTE_MS;
/** Polling interval without a key, in milliseconds: below a quote's maximum age (60 s), and far below the read budget. */
const POLL_MS = 10_000;
const ONE_SIDED: readonly QualityFlag[] = Object.freeze(['one_sided'] as const);
const LOST: readonly QualityFlag[] = Object.freeze(['gap', 'resyncing'] as const);
const BOOKS = 'orderbook_delta';
const CHANNELS = [BOOKS, 'trade', 'market_lifecycle_v2'] as const;

interface KalshiFeedOptions extends ProviderFeedOptions {
  /** Websocket URL: `wss://external-api-ws.kalshi.com/trade-api/ws/v2`. */
  readonly streamUrl: string;
  /** Key, or null to poll the best prices, because the venue opens no socket without one. */
  readonly key: KalshiKey | null;
}

/** Creates the live feed. Subscribing connects. @throws Error if the key is not an RSA private key */
export function createKalshiFeed(options: KalshiFeedOptions): PredictionFeed {
  const { key } = options;
  const signed = key === null ? null : kalshiSigner(key);
  return createProviderFeed(PROVIDER, options, (stage) => (signed === null ? pollTops(options, stage) : openBooks(options, signed, stage)));
}

/** Returns the quotes of both outcomes. A bid for one is an offer of the other at one minus the price. */
function topQuotes(
  market: PredictionMarket,
  source: string,
  bid: BookLevel | null,
  ask: BookLevel | null,
  times: { readonly observedAt: EpochMs; readonly receivedAt: EpochMs; readonly sourceTime: boolean; readonly sequence: number | null },
  quality: Quality,
  flags: readonly QualityFlag[],
): Quote<'prediction'>[] {
  const oneSided = flags === NO_FLAGS && (bid === null || ask === null);
  const flipped = (level: BookLevel | null): BookLevel | null =>
    level === null ? null : { price: complement(level.price), size: level.size };
  return market.outcomes.map(({ side, instrument }) => {
    const low = side === 'yes' ? bid : flipped(ask);
    const high = side === 'yes' ? ask : flipped(bid);
    return {
      kind: 'quote',
      venue: 'prediction',
      instrument,
      source,
      observedAt: times.observedAt,
      receivedAt: times.receivedAt,
      sourceTime: times.sourceTime,
      bid: low?.price ?? null,
      ask: high?.price ?? null,
      bidSize: low?.size ?? null,
      askSize: high?.size ?? null,
      sequence: times.sequence,
      quality: oneSided ? 'degraded' : quality,
      flags: oneSided ? ONE_SIDED : flags,
    };
  });
}

/** Followed market. `book` is null from a gap or a lost connection until its next snapshot. */
interface Followed {
  market: PredictionMarket;
  book: LevelBook | null;
  at: EpochMs;
  readonly wait: BookWait;
}

function openBooks(options: KalshiFeedOptions, signed: ReturnType<typeof kalshiSigner>, stage: Stage): ProviderStream {
  return new BookStream(options, signed, stage);
}

class BookStream implements ProviderStream {
  readonly #streamUrl: KalshiFeedOptions['streamUrl'];
  readonly #clock: KalshiFeedOptions['clock'];
  readonly #random: KalshiFeedOptions['random'];
  readonly #signed: ReturnType<typeof kalshiSigner>;
  readonly #stage: Stage;
  readonly #followed = new Map<string, Followed>();
  readonly #path;
  #connection: VenueConnection | null = null;
  #close: (() => void) | null = null;
  #commands = 0;
  /** Subscription id of each channel, and the last sequence number of each numbered one. */
  readonly #sids = new Map<string, number>();
  readonly #numbers = new Map<number, number>();

  constructor({ streamUrl, clock, random }: KalshiFeedOptions, signed: ReturnType<typeof kalshiSigner>, stage: Stage) {
    this.#streamUrl = streamUrl;
    this.#clock = clock;
    this.#random = random;
    this.#signed = signed;
    this.#stage = stage;
    this.#path = new URL(streamUrl).pathname;
  }

  follow(markets: readonly PredictionMarket[]): void {
    const wanted = new Map(markets.map((market) => [market.providerId, market]));
    const gone = [...this.#followed.keys()].filter((ticker) => !wanted.has(ticker));
    for (const ticker of gone) this.#followed.delete(ticker);
    const added: string[] = [];
    for (const [ticker, market] of wanted) {
      const known = this.#followed.get(ticker);
      if (known !== undefined) known.market = market;
      else {
        const wait = new BookWait();
        wait.asked(this.#clock.now());
        this.#followed.set(ticker, { market, book: null, at: 0, wait });
        added.push(ticker);
      }
    }
    if (this.#close === null) {
      if (this.#followed.size > 0) {
        const closeSocket = this.#open();
        const stopLooking = lookForBooks(this.#clock, (now) => {
          const sid = this.#sids.get(BOOKS);
          const missing = [...this.#followed.values()].filter(({ book, wait }) => book === null && wait.isOver(now));
          if (this.#connection !== null && sid !== undefined && missing.length > 0) this.#askAnew(sid, missing, now);
        });
        this.#close = () => {
          stopLooking();
          closeSocket();
        };
      }
      return;
    }
    for (const sid of this.#sids.values()) {
      if (gone.length > 0) this.#command('update_subscription', { sids: [sid], action: 'delete_markets', market_tickers: gone });
      if (added.length > 0) this.#command('update_subscription', { sids: [sid], action: 'add_markets', market_tickers: added });
    }
  }

  stop(): void {
    return this.#close?.();
  }

  #command(cmd: string, params: object): void {
    this.#commands += 1;
    this.#connection?.send(JSON.stringify({ id: this.#commands, cmd, params }));
  }

  #tell(one: Followed, receivedAt: EpochMs, sequence: number | null, quality: Quality, flags: readonly QualityFlag[]): void {
    const times = { observedAt: one.at, receivedAt, sourceTime: true, sequence };
    const quotes = topQuotes(
      one.market,
      BOOK_SOURCE,
      one.book?.best('bids') ?? null,
      one.book?.best('asks') ?? null,
      times,
      quality,
      flags,
    );
    for (const quote of quotes) this.#stage.emit(quote);
  }

  #askAnew(sid: number, markets: readonly Followed[], now: EpochMs): void {
    for (const { wait } of markets) wait.asked(now);
    this.#command('update_subscription', {
      sids: [sid],
      action: 'get_snapshot',
      market_tickers: markets.map(({ market }) => market.providerId),
    });
  }

  /** Requests all books again after a lost message, which may have belonged to any book. They are flagged until they arrive. */
  #resync(sid: number, receivedAt: EpochMs, sequence: number): void {
    for (const one of this.#followed.values()) {
      if (one.book === null) continue;
      one.book = null;
      one.at = receivedAt;
      this.#tell(one, receivedAt, sequence, 'degraded', LOST);
    }
    const waiting = [...this.#followed.values()].filter(({ wait }) => !wait.isRecent(receivedAt));
    if (waiting.length > 0) this.#askAnew(sid, waiting, receivedAt);
  }

  /** Tracks the sequence numbers of the books' subscription. @returns false if a message was lost before this one */
  #inStep(sid: number, seq: number, receivedAt: EpochMs): boolean {
    if (sid !== this.#sids.get(BOOKS)) return true;
    const last = this.#numbers.get(sid) ?? seq - 1;
    // Repeated messages change nothing.
    if (seq <= last) return false;
    this.#numbers.set(sid, seq);
    if (seq === last + 1) return true;
    this.#resync(sid, receivedAt, seq);
    return false;
  }

  #take(message: Exclude<SocketMessage, { kind: 'rejection' }>, receivedAt: EpochMs): void {
    switch (message.kind) {
      case 'subscribed':
        this.#sids.set(message.channel, message.sid);
        return;
      case 'snapshot': {
        this.#inStep(message.sid, message.seq, receivedAt);
        const one = this.#followed.get(message.ticker);
        if (one === undefined) return;
        one.wait.came();
        one.book ??= new LevelBook();
        one.book.replace(message.bids, message.asks);
        one.at = receivedAt;
        return this.#tell(one, receivedAt, message.seq, 'live', NO_FLAGS);
      }
      case 'delta': {
        const one = this.#followed.get(message.ticker);
        if (!this.#inStep(message.sid, message.seq, receivedAt) || one?.book == null) return;
        // More removed than present: a difference was lost without a gap in the numbers.
        if (!one.book.add(message.side, message.price, message.delta)) return this.#resync(message.sid, receivedAt, message.seq);
        one.at = message.at;
        return this.#tell(one, receivedAt, message.seq, 'live', NO_FLAGS);
      }
      case 'unusable':
        this.#stage.emit(message.rejection);
        // An unreadable difference counts as lost.
        if (message.sid === this.#sids.get(BOOKS)) {
          this.#inStep(message.sid, message.seq, receivedAt);
          this.#resync(message.sid, receivedAt, message.seq);
        }
        return;
      case 'trade':
        return this.#stage.trades([message.trade]);
      case 'lifecycle':
        return this.#stage.listAgain();
    }
  }

  #forget(): void {
    this.#sids.clear();
    this.#numbers.clear();
    for (const one of this.#followed.values()) one.book = null;
  }

  #open(): () => void {
    const socket = venueSocket({
      venue: 'prediction',
      source: PROVIDER,
      url: this.#streamUrl,
      clock: this.#clock,
      random: this.#random,
      headers: () => this.#signed('GET', this.#path, this.#clock.now()),
      dataSilenceMs: DATA_SILENCE_MS,
      keepAlive: { everyMs: PING_MS, frame: null },
      opened: (made) => this.#opened(made),
      frame: (frame, receivedAt) => {
        const message = mapSocketFrame(frame, receivedAt, (ticker) => this.#followed.get(ticker)?.market, this.#stage.noteUnknown);
        if (message === null) return false;
        if (isRejection(message)) {
          this.#stage.emit(message);
          return false;
        }
        this.#take(message, receivedAt);
        return true;
      },
    });
    const subscription = socket.subscribe({
      next: (message) => {
        if (message.kind === 'feed_status' && message.status === 'disconnected') {
          this.#connection = null;
          this.#forget();
        }
        this.#stage.emit(message);
      },
    });
    return () => subscription.unsubscribe();
  }

  #opened(made: VenueConnection): void {
    this.#connection = made;
    this.#forget();
    const tickers = [...this.#followed.keys()];
    for (const { wait } of this.#followed.values()) wait.asked(this.#clock.now());
    // Stated explicitly, because the venue is changing the default of `use_yes_price`.
    this.#command('subscribe', { channels: [BOOKS], market_tickers: tickers, use_yes_price: false });
    for (const channel of CHANNELS.slice(1)) this.#command('subscribe', { channels: [channel], market_tickers: tickers });
  }
}

/** Polls the listed best prices of the followed markets every 10 s, without a key. An unchanged answer confirms them. */
function pollTops(options: KalshiFeedOptions, stage: Stage): ProviderStream {
  let markets: readonly PredictionMarket[] = [];
  let polling: Subscription | null = null;
  return {
    follow(wanted) {
      markets = wanted;
      if (wanted.length > 0) polling ??= listedTops(options, () => markets).subscribe({ next: stage.emit });
    },
    stop: () => polling?.unsubscribe(),
  };
}

/**
 * Polls repeatedly. The first failure is reported as a lost connection, every failure is counted, and the next attempt follows after a
 * backoff.
 */
function listedTops({ rest, clock, random }: KalshiFeedOptions, markets: () => readonly PredictionMarket[]): Observable<FeedMessage> {
  let epoch = 0;
  let connected = false;
  const status = (made: boolean, detail: string): readonly FeedMessage[] => {
    if (connected === made) return [];
    connected = made;
    if (made) epoch += 1;
    return [feedStatus('prediction', PROVIDER, clock.now(), made ? 'connected' : 'disconnected', epoch, detail)];
  };
  return askAgain<FeedMessage>({
    clock,
    round: () =>
      defer(() => rest.ask(markets())).pipe(
        mergeMap((listing) => [...status(true, ''), ...listing.rejections, ...listing.markets.flatMap(listedQuotes)]),
      ),
    pauseMs: () => POLL_MS,
    failed(error) {
      const { message } = error as Error;
      const words = error instanceof VenueError ? `${error.code}: ${message}` : message;
      return [...status(false, message), rejection('prediction', MARKETS_SOURCE, clock.now(), 'venue_error', words, '')];
    },
    retryMs: (error, failures) => retryPauseMs(error, failures, random),
  });
}

/** Returns the best prices of a listing, with sizes only if the venue gives them. */
function listedQuotes(market: PredictionMarket): readonly FeedMessage[] {
  const [yes] = market.outcomes;
  const level = (price: string | null, size: string | null): BookLevel | null => (price === null ? null : { price, size: size ?? '0' });
  const times = { observedAt: market.receivedAt, receivedAt: market.receivedAt, sourceTime: false, sequence: null };
  const quality: Quality = market.status === 'open' ? 'live' : 'halted';
  return topQuotes(market, MARKETS_SOURCE, level(yes.bid, yes.bidSize), level(yes.ask, yes.askSize), times, quality, NO_FLAGS);
}
