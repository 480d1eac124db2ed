/** The spot exchange live: quotes, closed bars and local order books over one combined stream. */
import { Observable, share } from 'rxjs';
import type { Clock } from '../../../../streams/clock.ts';
import { createUnknownFields } from '../../../../streams/feed-counters.ts';
import { flagsOf, GAP, markQuote, PRICE_JUMP, RESYNCING } from '../../../../streams/flag-bits.ts';
import { apart } from '../../../../streams/operators/price-jump.ts';
import { DEFAULT_LIMITS } from '../../../../streams/quality-limits.ts';
import { compareDecimals, type DecimalString } from '../../../domain/decimal.ts';
import type { FeedMessage } from '../../../domain/market-event.ts';
import type { DayTicker } from '../../../domain/market-state.ts';
import { NO_FLAGS, type Quote } from '../../../domain/quote.ts';
import type { EpochMs } from '../../../domain/time.ts';
import type { BookLevel, OrderBook } from '../order-book.ts';
import type { VenueFeed } from '../venue-feed.ts';
import type { VenueHttp } from '../venue-http.ts';
import { backoffMs, openVenueSocket, rejection } from '../venue-socket.ts';
import { intervalOf } from './candles.ts';
import { fetchDepthSnapshot } from './depth.ts';
import { LocalBook } from './local-book.ts';
import { DEPTH_SOURCE, type DepthDiff, mapSpotFrame, PROVIDER, streamSymbols } from './map.ts';

const MAX_STREAMS = 1_024;
/** Oftener than a quote may be old (5 s); one ping in 2 s of the 5 messages a second that the venue allows. */
const PING_MS = 2_000;
/** What a quote carries while its instrument's book is being repaired after a gap. */
const REPAIRED = GAP | RESYNCING;

/** How long a ticker may lag behind its book before its quote is no longer believed. */
const TICKER_BEHIND_MS = 1_000;
/** A ticker that is further from its own book than a price may jump is wrong, however often it says so. */
const MAX_FROM_BOOK = DEFAULT_LIMITS.venues.spotexchange.maxJump;

export interface SpotExchangeFeedOptions {
  /** `wss://stream.binance.com:9443`; `/stream?streams=…` is added. */
  readonly streamUrl: string;
  /** For the snapshots of the local books. */
  readonly rest: VenueHttp;
  readonly clock: Clock;
  /** For the jitter of backoffs, 0 <= n < 1. */
  readonly random: () => number;
  /** In the product's spelling: `BTCUSDT`. */
  readonly instruments: readonly string[];
  /** Timeframes whose closed bars are wanted, e.g. `1m`. Default none. */
  readonly timeframes?: readonly string[];
  /** Whether local order books are kept. Default true. */
  readonly books?: boolean;
  /** Whether the rolling day statistics are followed. Default false. */
  readonly tickers?: boolean;
  /** Levels a side of a snapshot. Default 1000 (weight 50). */
  readonly snapshotLevels?: number;
  /** See `VenueSocketOptions`. */
  readonly silenceMs?: number;
  readonly dataSilenceMs?: number;
}

export interface SpotExchangeFeed extends VenueFeed {
  /** The local book down to `levels` a side; null while there is none (not followed, not yet synchronised, disconnected). */
  book(instrument: string, levels: number): OrderBook | null;
  /** The newest day statistics; null before the first and while disconnected. */
  dayTicker(instrument: string): DayTicker | null;
}

/** The path of the combined stream for some instruments. @throws RangeError where the venue takes no so many streams at once. */
export function combinedStreamPath(instruments: readonly string[], timeframes: readonly string[], books: boolean, tickers = false): string {
  const streams: string[] = [];
  for (const instrument of instruments) {
    const symbol = instrument.toLowerCase();
    streams.push(`${symbol}@bookTicker`);
    if (books) streams.push(`${symbol}@depth@100ms`);
    if (tickers) streams.push(`${symbol}@ticker`);
    for (const timeframe of timeframes) streams.push(`${symbol}@kline_${intervalOf(timeframe)}`);
  }
  if (streams.length === 0) throw new RangeError('a feed needs at least one instrument');
  if (streams.length > MAX_STREAMS) throw new RangeError(`${streams.length} streams; the venue takes ${MAX_STREAMS} per connection`);
  return `/stream?streams=${streams.join('/')}`;
}

/**
 * The live feed. Subscribing connects, the last unsubscribe closes everything; several subscribers share one connection.
 * A lost update of an order book makes that instrument's quotes `degraded` (gap, resyncing) until a new snapshot fits, since
 * order-book connectivity counts for the breaker (spec section 3.1). So does a ticker that stops while its book goes on.
 */
export function createSpotExchangeFeed(options: SpotExchangeFeedOptions): SpotExchangeFeed {
  const { clock, rest } = options;
  const unknownFields = createUnknownFields();
  const keepBooks = options.books ?? true;
  const symbols = streamSymbols(options.instruments);
  const url =
    options.streamUrl.replace(/\/$/, '') + combinedStreamPath(options.instruments, options.timeframes ?? [], keepBooks, options.tickers);
  const books = new Map<string, LocalBook>();
  const dayTickers = new Map<string, DayTicker>();
  if (keepBooks) for (const instrument of options.instruments) books.set(instrument, new LocalBook());

  const messages = new Observable<FeedMessage>((subscriber) => {
    /** Instruments whose book is being repaired; usually empty. */
    const repairing = new Set<string>();
    /** What the ticker of each instrument said last, and since when its book contradicts it. */
    const tickers = new Map<string, { quote: Quote; behindSince: EpochMs | null }>();
    /** Instruments for which a snapshot is being asked for, with what stops the wait for the next attempt. */
    const asking = new Map<string, () => void>();
    let epoch = 0;
    let stopped = false;

    function forget(): void {
      for (const cancel of asking.values()) cancel();
      asking.clear();
      repairing.clear();
      tickers.clear();
      dayTickers.clear();
      for (const book of books.values()) book.clear();
    }

    function askSnapshot(instrument: string, book: LocalBook, attempt: number): void {
      const asked = epoch;
      const stale = () => stopped || asked !== epoch;
      const again = () => {
        const cancel = clock.deadline(clock.now() + backoffMs(attempt, options.random), () => askSnapshot(instrument, book, attempt + 1));
        asking.set(instrument, cancel);
      };
      asking.set(instrument, () => {});
      fetchDepthSnapshot(rest, instrument, options.snapshotLevels ?? 1_000)
        .then((snapshot) => {
          if (stale()) return;
          if (book.restart(snapshot, clock.now()) === 'too_old') return again();
          asking.delete(instrument);
          repairing.delete(instrument);
        })
        .catch((error: Error) => {
          if (stale()) return;
          subscriber.next(
            rejection('spotexchange', DEPTH_SOURCE, clock.now(), 'venue_error', `no snapshot of ${instrument}: ${error.message}`, ''),
          );
          again();
        });
    }

    function keepTicker(quote: Quote): void {
      const ticker = tickers.get(quote.instrument);
      if (ticker === undefined) tickers.set(quote.instrument, { quote, behindSince: null });
      else {
        ticker.quote = quote;
        ticker.behindSince = null;
      }
    }

    /**
     * The ticker of one instrument may stop while the socket, whose pongs vouch for its quotes, lives on. The book tells:
     * both count the same update ids, so a book that is ahead of the last quote and has another top has seen what the
     * ticker did not bring.
     */
    function compareWithTicker(diff: DepthDiff, book: LocalBook): void {
      const ticker = tickers.get(diff.instrument);
      if (ticker === undefined || diff.lastId <= (ticker.quote.sequence as number)) return;
      const [bid, ask] = [book.bids[0], book.asks[0]];
      if (sameTop(bid, ticker.quote.bid) && sameTop(ask, ticker.quote.ask)) {
        ticker.behindSince = null;
        return;
      }
      ticker.behindSince ??= diff.receivedAt;
      if (diff.receivedAt - ticker.behindSince > TICKER_BEHIND_MS) subscriber.next(quoteOfTop(diff, bid, ask));
    }

    function applyDiff(diff: DepthDiff): void {
      const book = books.get(diff.instrument);
      if (book === undefined) return;
      const outcome = book.apply(diff);
      if (outcome === 'gap') repairing.add(diff.instrument);
      else if (outcome === 'applied') compareWithTicker(diff, book);
      // The snapshot is asked for after the first difference is kept, so that it cannot be older than what is kept.
      if (book.needsSnapshot && !asking.has(diff.instrument)) askSnapshot(diff.instrument, book, 1);
    }

    const stop = openVenueSocket(
      {
        venue: 'spotexchange',
        source: PROVIDER,
        url,
        clock,
        random: options.random,
        keepAlive: { everyMs: PING_MS, frame: null },
        ...(options.silenceMs === undefined ? {} : { silenceMs: options.silenceMs }),
        ...(options.dataSilenceMs === undefined ? {} : { dataSilenceMs: options.dataSilenceMs }),
        opened: (connection) => {
          epoch = connection.epoch;
          forget();
        },
        frame: (frame, receivedAt, connection) => {
          // A bar that is still forming yields nothing and proves all the same that data flows.
          let data = true;
          for (const message of mapSpotFrame(frame, receivedAt, symbols, unknownFields.note)) {
            if (message.kind === 'quote') {
              if (keepBooks) keepTicker(message);
              const marks =
                repairing.size > 0 && repairing.has(message.instrument) ? REPAIRED : leavesBook(message, books) ? PRICE_JUMP : 0;
              subscriber.next(marks === 0 ? message : markQuote(message, marks));
            } else if (message.kind === 'depth_diff') {
              applyDiff(message);
            } else if (message.kind === 'day_ticker') {
              dayTickers.set(message.instrument, message);
            } else if (message.kind === 'server_shutdown') {
              connection.reconnect('the venue announced a shutdown');
            } else {
              if (message.kind === 'rejection') data = false;
              subscriber.next(message);
            }
          }
          return data;
        },
      },
      (message) => {
        if (message.kind === 'feed_status' && message.status === 'disconnected') forget();
        subscriber.next(message);
      },
    );
    return () => {
      stopped = true;
      stop();
      forget();
    };
  }).pipe(share());

  return {
    venue: 'spotexchange',
    messages,
    unknownFields,
    dayTicker: (instrument) => dayTickers.get(instrument) ?? null,
    book(instrument, levels) {
      const book = books.get(instrument);
      if (book === undefined || book.state === 'new') return null;
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
        quality: book.state === 'resyncing' ? 'degraded' : 'live',
        flags: book.state === 'resyncing' ? flagsOf(REPAIRED) : NO_FLAGS,
      };
    },
  };
}

function sameTop(level: BookLevel | undefined, price: DecimalString | null): boolean {
  return level === undefined || price === null ? level === undefined && price === null : compareDecimals(level[0], price) === 0;
}

/** True where the exchange's own book contradicts a quote. */
function leavesBook({ instrument, bid, ask }: Quote, books: ReadonlyMap<string, LocalBook>): boolean {
  const book = books.get(instrument);
  if (book === undefined || book.state !== 'live' || bid === null || ask === null) return false;
  const [bestBid, bestAsk] = [book.bids[0], book.asks[0]];
  if (bestBid === undefined || bestAsk === undefined) return false;
  return apart('spotexchange', bid, ask, bestBid[0], bestAsk[0], MAX_FROM_BOOK);
}

/** What a book shows while its ticker is silent: where the market is, and that something of it was lost. */
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
    flags: flagsOf(GAP),
  };
}
