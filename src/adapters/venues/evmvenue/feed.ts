/**
 * The perpetuals venue live: quotes, contexts, whole books and closed bars over one socket.
 * See docs/reference/outside/perpetuals-venue.md.
 */
import { defer, finalize, share, tap } from 'rxjs';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { OrderBook } from '../order-book.ts';
import type { VenueFeed } from '../venue-feed.ts';
import { type VenueConnection, venueSocket } from '../venue-socket.ts';
import { intervalOf } from './candles.ts';
import { CANDLE_SOURCE, type FormingCandle, mapPerpFrame, type PerpBook, PROVIDER } from './map.ts';

const MAX_SUBSCRIPTIONS = 1_000;
/** Oftener than a quote may be old (5 s); 30 of the 2000 messages a minute that the venue allows. */
const PING_MS = 2_000;
/** A book that is older than the last quote by more than this shows that the venue's clock was set back, not that it is late. */
const CLOCK_STEP_MS = 5_000;

export interface EvmVenueFeedOptions {
  /** `wss://api.hyperliquid.xyz/ws`. */
  readonly socketUrl: string;
  readonly clock: Clock;
  /** Random source for jitter of backoffs, 0 <= n < 1. */
  readonly random: () => number;
  /** Coins as the venue spells them: `BTC`, `kPEPE`, `xyz:TSLA`. Never upper-cased. */
  readonly instruments: readonly string[];
  /** Timeframes whose closed bars are wanted. Default none. */
  readonly timeframes?: readonly string[];
  /** See `VenueSocketOptions`. */
  readonly silenceMs?: number;
  readonly dataSilenceMs?: number;
}

export interface EvmVenueFeed extends VenueFeed {
  /** The latest book down to `levels` (at most 5) a side; null before the first and while disconnected. */
  book(instrument: string, levels: number): OrderBook | null;
}

/** The subscriptions of a feed. @throws RangeError if the venue takes no so many on one socket. */
export function perpSubscriptions(instruments: readonly string[], timeframes: readonly string[]): readonly object[] {
  const subscriptions: object[] = [];
  for (const coin of instruments) {
    subscriptions.push({ type: 'bbo', coin });
    // Without `fast` the venue may choose its cadence of 5 s, which would look like an outage.
    subscriptions.push({ type: 'l2Book', coin, fast: true });
    subscriptions.push({ type: 'activeAssetCtx', coin });
    for (const timeframe of timeframes) subscriptions.push({ type: 'candle', coin, interval: intervalOf(timeframe) });
  }
  if (subscriptions.length === 0) throw new RangeError('a feed needs at least one instrument');
  if (subscriptions.length > MAX_SUBSCRIPTIONS) {
    throw new RangeError(`${subscriptions.length} subscriptions; the venue takes ${MAX_SUBSCRIPTIONS} per address`);
  }
  return subscriptions;
}

/** The live feed. Subscribing connects, the last unsubscribe closes everything; several subscribers share one connection. */
export function createEvmVenueFeed(options: EvmVenueFeedOptions): EvmVenueFeed {
  const coins: ReadonlySet<string> = new Set(options.instruments);
  const subscriptions = perpSubscriptions([...coins], options.timeframes ?? []).map((subscription) =>
    JSON.stringify({ method: 'subscribe', subscription }),
  );
  const books = new Map<string, PerpBook>();
  const unknownFields = createUnknownFields();

  const messages = defer(() => {
    const reader = new PerpReader(coins, books, unknownFields.note);
    return venueSocket({
      venue: 'evmvenue',
      source: PROVIDER,
      url: options.socketUrl,
      clock: options.clock,
      random: options.random,
      keepAlive: { everyMs: PING_MS, frame: '{"method":"ping"}' },
      ...(options.silenceMs === undefined ? {} : { silenceMs: options.silenceMs }),
      ...(options.dataSilenceMs === undefined ? {} : { dataSilenceMs: options.dataSilenceMs }),
      opened: (connection) => {
        reader.forget();
        for (const subscription of subscriptions) connection.send(subscription);
      },
      frame: (frame, receivedAt, connection) => reader.read(frame, receivedAt, connection),
    }).pipe(
      tap((message) => {
        if (message.kind === 'feed_status' && message.status === 'disconnected') reader.forget();
      }),
      finalize(() => reader.forget()),
    );
  }).pipe(share());

  return {
    venue: 'evmvenue',
    messages,
    unknownFields,
    book(instrument, levels) {
      const received = books.get(instrument);
      if (received === undefined) return null;
      const { book } = received;
      const [bids, asks] = [book.bids.slice(0, levels), book.asks.slice(0, levels)];
      return { ...book, bids, asks, edge: { bid: bids.at(-1)?.[0] ?? null, ask: asks.at(-1)?.[0] ?? null } };
    },
  };
}

/** Reads the frames of one subscription: quotes and contexts as they come, books into `books`, bars once they are closed. */
class PerpReader {
  readonly #coins: ReadonlySet<string>;
  readonly #books: Map<string, PerpBook>;
  readonly #note: NoteUnknownField;
  /** The latest venue time that a quote of a coin carried. */
  readonly #quotedAt = new Map<string, EpochMs>();
  /** The bar of each coin and timeframe that was still growing when it was last received. */
  readonly #forming = new Map<string, FormingCandle>();

  constructor(coins: ReadonlySet<string>, books: Map<string, PerpBook>, note: NoteUnknownField) {
    this.#coins = coins;
    this.#books = books;
    this.#note = note;
  }

  /** Forgets what was received over a lost connection. It says nothing about the next one. */
  forget(): void {
    this.#quotedAt.clear();
    this.#forming.clear();
    this.#books.clear();
  }

  /** Emits what a frame says; returns whether it held data. */
  read(frame: Buffer, receivedAt: EpochMs, { emit }: Pick<VenueConnection, 'emit'>): boolean {
    let data = false;
    for (const message of mapPerpFrame(frame, receivedAt, this.#coins, this.#note)) {
      if (message.kind === 'perp_book') {
        data = true;
        this.#keepBook(message, emit);
      } else if (message.kind === 'forming_candle') {
        data = true;
        this.#grow(message, emit);
      } else {
        if (message.kind === 'quote') this.#quotedAt.set(message.instrument, message.observedAt);
        if (message.kind !== 'rejection' && message.kind !== 'heartbeat') data = true;
        emit(message);
      }
    }
    return data;
  }

  /**
   * `bbo` is silent while nothing changes; the book says that the top still stands. Where it is older than what `bbo`
   * already said, it would only look like disorder.
   */
  #keepBook(book: PerpBook, emit: VenueConnection['emit']): void {
    const { top } = book;
    this.#books.set(top.instrument, book);
    const behindMs = (this.#quotedAt.get(top.instrument) ?? 0) - top.observedAt;
    if (behindMs > 0 && behindMs <= CLOCK_STEP_MS) return;
    this.#quotedAt.set(top.instrument, top.observedAt);
    emit(top);
  }

  /** A bar is closed once a later one begins; the venue does not say so. Missed bars are left to the history. */
  #grow(bar: FormingCandle, emit: VenueConnection['emit']): void {
    const key = `${bar.timeframe} ${bar.instrument}`;
    const before = this.#forming.get(key);
    if (before !== undefined && bar.candle.openTime < before.candle.openTime) return;
    this.#forming.set(key, bar);
    if (before === undefined || bar.candle.openTime === before.candle.openTime) return;
    emit({
      kind: 'candles',
      venue: 'evmvenue',
      instrument: bar.instrument,
      timeframe: bar.timeframe,
      source: CANDLE_SOURCE,
      receivedAt: bar.receivedAt,
      candles: [before.candle],
    });
  }
}
