/**
 * Live feed of the spot exchange: quotes, closed bars and local order books over one combined stream.
 * See docs/reference/outside/spot-exchange.md.
 */
import { createClockScheduler } from '../../../../streams/clock/clock-scheduler.ts';
import { defer, finalize, type Observable, retry, type Subscription, Subject, share, tap, timer } from 'rxjs';
import { backoffMs } from '../../../../streams/backoff.ts';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../../streams/feed-counters.ts';
import { toFlags, GAP, withQuoteFlags, PRICE_JUMP, RESYNCING } from '../../../../streams/quality/flag-bits.ts';
import { apart } from '../../../../streams/operators/price-jump.ts';
import { qualityLimits } from '../../../../streams/quality/quality-limits.ts';
import { compareDecimals, type DecimalString } from '../../../domain/values/decimal.ts';
import type { DayTicker } from '../../../domain/market/market-state.ts';
import { NO_FLAGS, type Quote } from '../../../domain/market/quote.ts';
import type { VenueTrade } from '../../../domain/shadow/flow.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { rejection } from '../feed-messages.ts';
import type { BookLevel, OrderBook } from '../order-book.ts';
import type { VenueHttp } from '../venue-http.ts';
import { type VenueConnection, venueSocket } from '../venue-socket.ts';
import { toInterval } from './candles.ts';
import { fetchDepthSnapshot } from './depth.ts';
import { LocalBook, SNAPSHOT_LEVELS } from './local-book.ts';
import { DEPTH_SOURCE, type DepthDiff, mapSpotFrame, PROVIDER, streamSymbols } from './map.ts';

const MAX_STREAMS = 1_024;
/** Ping interval in milliseconds, below a quote's maximum age (5 s). The venue allows 5 messages a second. */
const PING_MS = 2_000;
/** Flags of a quote while its instrument's book is being repaired after a gap. */
const REPAIRED = GAP | RESYNCING;

/** Maximum lag of a ticker behind its book before its quote is no longer trusted. */
const TICKER_BEHIND_MS = 1_000;
/** Returns the maximum distance of a ticker from its own book, as a fraction. A ticker beyond it is wrong, however often it repeats. */
const maxFromBook = (): number => qualityLimits().venues.spotexchange.maxJump;

export interface SpotExchangeFeedOptions {
  /** Base URL of streams: `wss://stream.binance.com:9443`. `/stream?streams=…` is appended. */
  readonly streamUrl: string;
  /** Client for the snapshots of the local books. */
  readonly rest: VenueHttp;
  readonly clock: Clock;
  /** Random source for the jitter of backoffs, 0 <= n < 1. */
  readonly random: () => number;
  /** Instruments by the product's names: `BTCUSDT`. */
  readonly instruments: readonly string[];
  /** Timeframes whose closed bars are subscribed, e.g. `1m`. Default none. */
  readonly timeframes?: readonly string[];
  /** True if local order books are kept. Default true. */
  readonly books?: boolean;
  /** True if the rolling day statistics are followed. Default false. */
  readonly tickers?: boolean;
  /** True if trades are followed. Default false. */
  readonly trades?: boolean;
  /** Levels per side of a snapshot. Default 1000 (weight 50). */
  readonly snapshotLevels?: number;
  /** Silence after which a connection counts as lost, in milliseconds (see `VenueSocketOptions`). */
  readonly silenceMs?: number;
  readonly dataSilenceMs?: number;
}

export type SpotExchangeFeed = ReturnType<typeof createSpotExchangeFeed>;

/** Followed streams of each instrument in addition to its best bid and ask. */
interface FollowedStreams {
  readonly timeframes?: readonly string[];
  readonly books?: boolean;
  readonly tickers?: boolean;
  readonly trades?: boolean;
}

/** Returns the path of the combined stream. @throws RangeError if the venue does not allow that many streams */
export function combinedStreamPath(
  instruments: readonly string[],
  { timeframes = [], books = false, tickers = false, trades = false }: FollowedStreams = {},
): string {
  const streams: string[] = [];
  for (const instrument of instruments) {
    const symbol = instrument.toLowerCase();
    streams.push(`${symbol}@bookTicker`);
    if (books) streams.push(`${symbol}@depth@100ms`);
    if (tickers) streams.push(`${symbol}@ticker`);
    if (trades) streams.push(`${symbol}@aggTrade`);
    for (const timeframe of timeframes) streams.push(`${symbol}@kline_${toInterval(timeframe)}`);
  }
  if (streams.length === 0) throw new RangeError('a feed needs at least one instrument');
  if (streams.length > MAX_STREAMS) throw new RangeError(`${streams.length} streams; the venue allows ${MAX_STREAMS} per connection`);
  return `/stream?streams=${streams.join('/')}`;
}

/**
 * Creates the live feed. Subscribing connects, the last unsubscribe closes everything, and subscribers share one connection. After a lost
 * book update the instrument's quotes are `degraded` (gap, resyncing) until a new snapshot fits, and also while its ticker is silent and
 * its book is not.
 */
export function createSpotExchangeFeed(options: SpotExchangeFeedOptions) {
  const { clock } = options;
  const unknownFields = createUnknownFields();
  const keepBooks = options.books ?? true;
  const symbols = streamSymbols(options.instruments);
  const url = options.streamUrl.replace(/\/$/, '') + combinedStreamPath(options.instruments, { ...options, books: keepBooks });
  const trades = new Subject<VenueTrade>();
  const books = new Map<string, LocalBook>();
  const dayTickers = new Map<string, DayTicker>();
  if (keepBooks) for (const instrument of options.instruments) books.set(instrument, new LocalBook());

  const messages = defer(() => {
    const reader = new SpotReader(options, symbols, { books, dayTickers, trades }, unknownFields.note);
    return venueSocket({
      venue: 'spotexchange',
      source: PROVIDER,
      url,
      clock,
      random: options.random,
      keepAlive: { everyMs: PING_MS, frame: null },
      ...(options.silenceMs === undefined ? {} : { silenceMs: options.silenceMs }),
      ...(options.dataSilenceMs === undefined ? {} : { dataSilenceMs: options.dataSilenceMs }),
      opened: () => reader.forget(),
      frame: (frame, receivedAt, connection) => reader.read(frame, receivedAt, connection),
    }).pipe(
      tap((message) => {
        if (message.kind === 'feed_status' && message.status === 'disconnected') reader.forget();
      }),
      finalize(() => reader.forget()),
    );
  }).pipe(share());

  return {
    venue: 'spotexchange' as const,
    messages,
    unknownFields,
    /** Trades, received while `messages` is subscribed. They are not market events and change no quote. */
    trades: trades.asObservable(),
    /** Returns the newest day statistics, or null before the first and while disconnected. */
    dayTicker: (instrument: string): DayTicker | null => dayTickers.get(instrument) ?? null,
    /** Returns the local book with `levels` per side, or null if there is none (not followed, not yet synchronized, disconnected). */
    book(instrument: string, levels: number): OrderBook | null {
      const book = books.get(instrument);
      return book === undefined ? null : localOrderBook(instrument, book, levels);
    },
  };
}

/** Returns a local book as an `OrderBook`, or null before its first snapshot. */
export function localOrderBook(instrument: string, book: LocalBook, levels: number): OrderBook | null {
  if (book.state === 'new') return null;
  return {
    venue: 'spotexchange',
    instrument,
    source: DEPTH_SOURCE,
    observedAt: book.observedAt || book.receivedAt,
    receivedAt: book.receivedAt,
    sourceTime: book.observedAt > 0,
    sequence: book.lastUpdateId,
    bids: book.bids.slice(0, levels),
    asks: book.asks.slice(0, levels),
    edge: book.edge(levels),
    quality: book.state === 'resyncing' ? 'degraded' : 'live',
    flags: book.state === 'resyncing' ? toFlags(REPAIRED) : NO_FLAGS,
  };
}

/** Data that a feed keeps or reports in addition to its messages. */
interface KeptBeside {
  readonly books: ReadonlyMap<string, LocalBook>;
  readonly dayTickers: Map<string, DayTicker>;
  readonly trades: Subject<VenueTrade>;
}

/** Last ticker of an instrument, and the time since which its book contradicts it. */
interface KeptTicker {
  quote: Quote;
  behindSince: EpochMs | null;
}

/** Reader of one subscription's frames. It maintains the local books and compares the tickers with them. */
class SpotReader {
  readonly #options: SpotExchangeFeedOptions;
  readonly #symbols: ReturnType<typeof streamSymbols>;
  readonly #books: ReadonlyMap<string, LocalBook>;
  readonly #dayTickers: Map<string, DayTicker>;
  readonly #trades: Subject<VenueTrade>;
  readonly #note: NoteUnknownField;
  /** Instruments whose book is being repaired; usually empty. */
  readonly #repairing = new Set<string>();
  readonly #tickers = new Map<string, KeptTicker>();
  /** Instruments for which a snapshot is requested. */
  readonly #asking = new Map<string, Subscription>();

  constructor(
    options: SpotExchangeFeedOptions,
    symbols: ReturnType<typeof streamSymbols>,
    { books, dayTickers, trades }: KeptBeside,
    note: NoteUnknownField,
  ) {
    this.#options = options;
    this.#symbols = symbols;
    this.#books = books;
    this.#dayTickers = dayTickers;
    this.#trades = trades;
    this.#note = note;
  }

  /** Discards the state of a lost connection. */
  forget(): void {
    for (const asking of this.#asking.values()) asking.unsubscribe();
    this.#asking.clear();
    this.#repairing.clear();
    this.#tickers.clear();
    this.#dayTickers.clear();
    for (const book of this.#books.values()) book.clear();
  }

  /** Emits the messages of a frame. Returns true if it contained data: an open bar emits nothing, but shows that data arrives. */
  read(frame: Buffer, receivedAt: EpochMs, connection: VenueConnection): boolean {
    let data = true;
    for (const message of mapSpotFrame(frame, receivedAt, this.#symbols, this.#note)) {
      if (message.kind === 'quote') {
        const bits = this.#takeQuote(message);
        connection.emit(bits === 0 ? message : withQuoteFlags(message, bits));
      } else if (message.kind === 'depth_diff') this.#applyDiff(message, connection.emit);
      else if (message.kind === 'trade') this.#trades.next(message);
      else if (message.kind === 'day_ticker') this.#dayTickers.set(message.instrument, message);
      else if (message.kind === 'server_shutdown') connection.reconnect('the venue announced a shutdown');
      else {
        if (message.kind === 'rejection') data = false;
        connection.emit(message);
      }
    }
    return data;
  }

  /** Stores the ticker's quote. Returns the flag bits that its book adds. */
  #takeQuote(quote: Quote): number {
    if (this.#books.size > 0) {
      const ticker = this.#tickers.get(quote.instrument);
      if (ticker === undefined) this.#tickers.set(quote.instrument, { quote, behindSince: null });
      else {
        ticker.quote = quote;
        ticker.behindSince = null;
      }
    }
    if (this.#repairing.size > 0 && this.#repairing.has(quote.instrument)) return REPAIRED;
    return leavesBook(quote, this.#books) ? PRICE_JUMP : 0;
  }

  #applyDiff(diff: DepthDiff, emit: VenueConnection['emit']): void {
    const book = this.#books.get(diff.instrument);
    if (book === undefined) return;
    const outcome = book.apply(diff);
    if (outcome === 'gap') this.#repairing.add(diff.instrument);
    else if (outcome === 'applied') this.#compareWithTicker(diff, book, emit);
    // The snapshot is requested after the first stored difference, so that it is not older than the differences.
    if (book.needsSnapshot && !this.#asking.has(diff.instrument)) this.#synchronize(diff.instrument, book, emit);
  }

  /** Requests snapshots until one fits the stored differences. */
  #synchronize(instrument: string, book: LocalBook, emit: VenueConnection['emit']): void {
    const asking = fittingSnapshot(this.#options, instrument, book, emit).subscribe({
      complete: () => {
        this.#asking.delete(instrument);
        this.#repairing.delete(instrument);
      },
    });
    if (!asking.closed) this.#asking.set(instrument, asking);
  }

  /**
   * Detects a silent ticker of one instrument on a live socket, whose pongs would confirm its quotes. Book and ticker share their update
   * ids, so a newer book with other best prices contains a change that the ticker did not send.
   */
  #compareWithTicker(diff: DepthDiff, book: LocalBook, emit: VenueConnection['emit']): void {
    const ticker = this.#tickers.get(diff.instrument);
    // A book whose market moved beyond its snapshot has no best price.
    if (book.state !== 'live') return;
    if (ticker === undefined || diff.lastId <= (ticker.quote.sequence as number)) return;
    const [bid, ask] = [book.bids[0], book.asks[0]];
    if (sameTop(bid, ticker.quote.bid) && sameTop(ask, ticker.quote.ask)) {
      ticker.behindSince = null;
      return;
    }
    ticker.behindSince ??= diff.receivedAt;
    if (diff.receivedAt - ticker.behindSince > TICKER_BEHIND_MS) emit(quoteOfTop(diff, bid, ask));
  }
}

/** Snapshot that is older than the stored differences. */
class SnapshotTooOld extends Error {}

/** Completes when a snapshot fits the book. A refusal is emitted as a rejection, and the request repeats after a backoff. */
function fittingSnapshot(
  { rest, clock, random, snapshotLevels = SNAPSHOT_LEVELS }: SpotExchangeFeedOptions,
  instrument: string,
  book: LocalBook,
  emit: VenueConnection['emit'],
): Observable<unknown> {
  let attempt = 0;
  let askedAt = 0;
  return defer(() => {
    askedAt = clock.now();
    return fetchDepthSnapshot(rest, instrument, snapshotLevels);
  }).pipe(
    tap((snapshot) => {
      if (book.restart(snapshot, askedAt, snapshotLevels) === 'too_old') throw new SnapshotTooOld();
    }),
    retry({
      delay: (error: Error) => {
        attempt += 1;
        if (!(error instanceof SnapshotTooOld))
          emit(rejection('spotexchange', DEPTH_SOURCE, clock.now(), 'venue_error', `no snapshot of ${instrument}: ${error.message}`, ''));
        return timer(backoffMs(attempt, random), createClockScheduler(clock));
      },
    }),
  );
}

function sameTop(level: BookLevel | undefined, price: DecimalString | null): boolean {
  return level === undefined || price === null ? level === undefined && price === null : compareDecimals(level[0], price) === 0;
}

/** True if the exchange's own book contradicts a quote. */
function leavesBook({ instrument, bid, ask }: Quote, books: ReadonlyMap<string, LocalBook>): boolean {
  const book = books.get(instrument);
  if (book === undefined || book.state !== 'live' || bid === null || ask === null) return false;
  const [bestBid, bestAsk] = [book.bids[0], book.asks[0]];
  if (bestBid === undefined || bestAsk === undefined) return false;
  return apart('spotexchange', bid, ask, bestBid[0], bestAsk[0], maxFromBook());
}

/** Returns the quote of a book while its ticker is silent, flagged as having lost data. */
function quoteOfTop(diff: DepthDiff, bid: BookLevel | undefined, ask: BookLevel | undefined): Quote<'spotexchange'> {
  return {
    kind: 'quote',
    venue: 'spotexchange',
    instrument: diff.instrument,
    source: DEPTH_SOURCE,
    observedAt: diff.receivedAt,
    receivedAt: diff.receivedAt,
    sourceTime: false,
    bid: bid?.[0] ?? null,
    ask: ask?.[0] ?? null,
    bidSize: bid?.[1] ?? null,
    askSize: ask?.[1] ?? null,
    sequence: diff.lastId,
    quality: 'degraded',
    flags: toFlags(GAP),
  };
}
