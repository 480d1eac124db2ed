/**
 * Live feed of the perpetuals venue: quotes, contexts, whole books and closed bars over one socket.
 * See docs/reference/outside/perpetuals-venue.md.
 */
import { defer, finalize, share, tap } from 'rxjs';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { OrderBook } from '../order-book.ts';
import { type VenueConnection, venueSocket } from '../venue-socket.ts';
import { toInterval } from './candles.ts';
import { CANDLE_SOURCE, type FormingCandle, mapPerpFrame, type PerpBook, PROVIDER } from './map.ts';

const MAX_SUBSCRIPTIONS = 1_000;
/** Ping interval in milliseconds, below a quote's maximum age (5 s). It uses 30 of the 2000 messages a minute that the venue allows. */
const PING_MS = 2_000;
/** Maximum lag of a book behind the last quote. A larger one means that the venue's clock was set back, not that the book is late. */
const CLOCK_STEP_MS = 5_000;

export interface EvmVenueFeedOptions {
  /** Websocket URL: `wss://api.hyperliquid.xyz/ws`. */
  readonly socketUrl: string;
  readonly clock: Clock;
  /** Random source for the jitter of backoffs, 0 <= n < 1. */
  readonly random: () => number;
  /** Coins as the venue spells them: `BTC`, `kPEPE`, `xyz:TSLA`. They must not be upper-cased. */
  readonly instruments: readonly string[];
  /** Timeframes whose closed bars are subscribed. Default none. */
  readonly timeframes?: readonly string[];
  /** Silence after which a connection counts as lost, in milliseconds (see `VenueSocketOptions`). */
  readonly silenceMs?: number;
  readonly dataSilenceMs?: number;
}

export type EvmVenueFeed = ReturnType<typeof createEvmVenueFeed>;

/** Returns the subscriptions of a feed. @throws RangeError if the venue does not allow that many on one socket */
export function perpSubscriptions(instruments: readonly string[], timeframes: readonly string[]): readonly object[] {
  const subscriptions: object[] = [];
  for (const coin of instruments) {
    subscriptions.push({ type: 'bbo', coin });
    // Without `fast` the venue may send every 5 s, which would look like an outage.
    subscriptions.push({ type: 'l2Book', coin, fast: true });
    subscriptions.push({ type: 'activeAssetCtx', coin });
    for (const timeframe of timeframes) subscriptions.push({ type: 'candle', coin, interval: toInterval(timeframe) });
  }
  if (subscriptions.length === 0) throw new RangeError('a feed needs at least one instrument');
  if (subscriptions.length > MAX_SUBSCRIPTIONS) {
    throw new RangeError(`${subscriptions.length} subscriptions; the venue allows ${MAX_SUBSCRIPTIONS} per address`);
  }
  return subscriptions;
}

/** Creates the live feed. Subscribing connects, the last unsubscribe closes everything, and subscribers share one connection. */
export function createEvmVenueFeed(options: EvmVenueFeedOptions) {
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
    venue: 'evmvenue' as const,
    messages,
    unknownFields,
    /** Returns the latest book with `levels` (at most 5) per side, or null before the first book and while disconnected. */
    book(instrument: string, levels: number): OrderBook | null {
      const received = books.get(instrument);
      if (received === undefined) return null;
      const { book } = received;
      const [bids, asks] = [book.bids.slice(0, levels), book.asks.slice(0, levels)];
      return { ...book, bids, asks, edge: { bid: bids.at(-1)?.[0] ?? null, ask: asks.at(-1)?.[0] ?? null } };
    },
  };
}

/** Reader of one subscription's frames: emits quotes and contexts at once and bars when they close, and stores books in `books`. */
class PerpReader {
  readonly #coins: ReadonlySet<string>;
  readonly #books: Map<string, PerpBook>;
  readonly #note: NoteUnknownField;
  /** Latest venue time of a quote, by coin. */
  readonly #quotedAt = new Map<string, EpochMs>();
  /** Open bar of each coin and timeframe, as last received. */
  readonly #forming = new Map<string, FormingCandle>();

  constructor(coins: ReadonlySet<string>, books: Map<string, PerpBook>, note: NoteUnknownField) {
    this.#coins = coins;
    this.#books = books;
    this.#note = note;
  }

  /** Discards the state of a lost connection. */
  forget(): void {
    this.#quotedAt.clear();
    this.#forming.clear();
    this.#books.clear();
  }

  /** Emits the messages of a frame. Returns true if it contained data. */
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
   * Emits a book's best prices as a quote, because `bbo` is silent while nothing changes. Skips a book older than `bbo`, which would look
   * like disorder.
   */
  #keepBook(book: PerpBook, emit: VenueConnection['emit']): void {
    const { top } = book;
    this.#books.set(top.instrument, book);
    const behindMs = (this.#quotedAt.get(top.instrument) ?? 0) - top.observedAt;
    if (behindMs > 0 && behindMs <= CLOCK_STEP_MS) return;
    this.#quotedAt.set(top.instrument, top.observedAt);
    emit(top);
  }

  /** Emits a bar as closed when a later one begins, because the venue does not mark it. The history supplies missed bars. */
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
