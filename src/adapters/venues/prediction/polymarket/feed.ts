/**
 * Live feed of Polymarket: one socket of the market channel, two books per market, their best prices as quotes.
 * See docs/reference/outside/polymarket.md.
 */
import { evenGrid, type OutcomeSide, type PredictionMarket } from '../../../../domain/prediction/market.ts';
import { NO_FLAGS, type Quality, type QualityFlag, type Quote } from '../../../../domain/market/quote.ts';
import { type EpochMs, MINUTE_MS } from '../../../../domain/values/time.ts';
import { rejection } from '../../feed-messages.ts';
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
import { BOOK_SOURCE, type LevelChange, mapMarketFrame, PROVIDER, type TokenBook } from './map.ts';

/** Ping interval in milliseconds. The venue requires one about every 10 s. */
const PING_MS = 10_000;
/** Tokens per subscription message. The whole books of more might exceed a frame. */
const SUBSCRIBE_CHUNK = 20;
/** Maximum silence of data in milliseconds. Quiet markets send nothing for minutes; pongs show that the connection is alive. */
const DATA_SILENCE_MS = 15 * MINUTE_MS;
const ONE_SIDED: readonly QualityFlag[] = Object.freeze(['one_sided'] as const);
const LOST: readonly QualityFlag[] = Object.freeze(['gap', 'resyncing'] as const);
const RESYNCING: readonly QualityFlag[] = Object.freeze(['resyncing'] as const);

interface PolymarketFeedOptions extends ProviderFeedOptions {
  /** Websocket URL: `wss://ws-subscriptions-clob.polymarket.com/ws/market`. */
  readonly streamUrl: string;
}

/** Followed token. `book` is null from a lost connection or a changed price grid until its next whole book. */
interface Followed {
  readonly token: string;
  readonly side: OutcomeSide;
  market: PredictionMarket;
  book: LevelBook | null;
  at: EpochMs;
  last: Quote<'prediction'> | null;
  readonly wait: BookWait;
}

/** Creates the live feed. Subscribing connects. */
export function createPolymarketFeed(options: PolymarketFeedOptions): PredictionFeed {
  return createProviderFeed(PROVIDER, options, (stage) => openStream(options, stage));
}

function openStream(options: PolymarketFeedOptions, stage: Stage): ProviderStream {
  return new MarketChannel(options, stage);
}

class MarketChannel implements ProviderStream {
  readonly #streamUrl: PolymarketFeedOptions['streamUrl'];
  readonly #clock: PolymarketFeedOptions['clock'];
  readonly #random: PolymarketFeedOptions['random'];
  readonly #stage: Stage;
  readonly #followed = new Map<string, Followed>();
  #connection: VenueConnection | null = null;
  #close: (() => void) | null = null;

  constructor({ streamUrl, clock, random }: PolymarketFeedOptions, stage: Stage) {
    this.#streamUrl = streamUrl;
    this.#clock = clock;
    this.#random = random;
    this.#stage = stage;
  }

  follow(markets: readonly PredictionMarket[]): void {
    const wanted = new Map(
      markets.flatMap((market) => market.outcomes.map((outcome) => [outcome.providerId, { market, side: outcome.side }])),
    );
    const gone = [...this.#followed.keys()].filter((token) => !wanted.has(token));
    for (const token of gone) this.#followed.delete(token);
    const added: string[] = [];
    for (const [token, { market, side }] of wanted) {
      const known = this.#followed.get(token);
      if (known !== undefined) known.market = market;
      else {
        this.#followed.set(token, { token, side, market, book: null, at: 0, last: null, wait: new BookWait() });
        added.push(token);
      }
    }
    if (this.#close === null) {
      if (this.#followed.size > 0) {
        const closeSocket = this.#open();
        const stopLooking = lookForBooks(this.#clock, (now) => {
          if (this.#connection === null) return;
          const missing = [...this.#followed.values()].filter(({ book, wait }) => book === null && wait.isOver(now));
          if (missing.length > 0) this.#askAnew(missing, now);
        });
        this.#close = () => {
          stopLooking();
          closeSocket();
        };
      }
      return;
    }
    this.#send(gone, 'unsubscribe');
    this.#send(added, 'subscribe');
    for (const token of added) this.#followed.get(token)?.wait.asked(this.#clock.now());
  }

  stop(): void {
    return this.#close?.();
  }

  #tell(one: Followed, receivedAt: EpochMs, quality: Quality, flags: readonly QualityFlag[]): void {
    const { book } = one;
    const bid = book?.best('bids') ?? null;
    const ask = book?.best('asks') ?? null;
    const whole = flags === NO_FLAGS && (bid === null || ask === null);
    const quote: Quote<'prediction'> = {
      kind: 'quote',
      venue: 'prediction',
      instrument: one.market.outcomes[one.side === 'yes' ? 0 : 1].instrument,
      source: BOOK_SOURCE,
      observedAt: one.at,
      receivedAt,
      sourceTime: true,
      bid: bid?.price ?? null,
      ask: ask?.price ?? null,
      bidSize: bid?.size ?? null,
      askSize: ask?.size ?? null,
      // The venue has no sequence numbers; time gives the order.
      sequence: null,
      quality: whole ? 'degraded' : quality,
      flags: whole ? ONE_SIDED : flags,
    };
    const { last } = one;
    const same =
      last !== null &&
      last.bid === quote.bid &&
      last.ask === quote.ask &&
      last.bidSize === quote.bidSize &&
      last.askSize === quote.askSize &&
      last.quality === quote.quality;
    one.last = quote;
    if (!same) this.#stage.emit(quote);
  }

  #send(tokens: readonly string[], operation: 'subscribe' | 'unsubscribe'): void {
    for (let from = 0; from < tokens.length; from += SUBSCRIBE_CHUNK) {
      this.#connection?.send(JSON.stringify({ assets_ids: tokens.slice(from, from + SUBSCRIBE_CHUNK), operation }));
    }
  }

  #askAnew(tokens: readonly Followed[], now: EpochMs): void {
    for (const { wait } of tokens) wait.asked(now);
    this.#send(
      tokens.map(({ token }) => token),
      'unsubscribe',
    );
    this.#send(
      tokens.map(({ token }) => token),
      'subscribe',
    );
  }

  /** Flags a book that no longer equals the venue's, and requests it again. */
  #resync(one: Followed, receivedAt: EpochMs, flags: readonly QualityFlag[]): void {
    one.book = null;
    this.#tell(one, receivedAt, 'degraded', flags);
    if (!one.wait.isRecent(receivedAt)) this.#askAnew([one], receivedAt);
  }

  #takeBook({ token, at, bids, asks }: TokenBook, receivedAt: EpochMs): void {
    const one = this.#followed.get(token);
    if (one === undefined) return;
    one.wait.came();
    one.book ??= new LevelBook();
    one.book.replace(bids, asks);
    one.at = at;
    this.#tell(one, receivedAt, 'live', NO_FLAGS);
  }

  #takeChanges(at: EpochMs, changes: readonly LevelChange[], receivedAt: EpochMs): void {
    const touched = new Map<Followed, LevelChange>();
    for (const change of changes) {
      const one = this.#followed.get(change.token);
      // Differences are meaningless before the whole book.
      if (one?.book == null) continue;
      one.book.set(change.side, change.price, change.size);
      one.at = at;
      touched.set(one, change);
    }
    for (const [one, { best }] of touched) {
      const bid = one.book?.best('bids')?.price ?? null;
      const ask = one.book?.best('asks')?.price ?? null;
      // Only the venue's own best prices prove that nothing was lost.
      if (best !== null && (best.bid !== bid || best.ask !== ask)) this.#resync(one, receivedAt, LOST);
      else this.#tell(one, receivedAt, 'live', NO_FLAGS);
    }
  }

  /** Counts an unreadable book or change as lost, so that pongs do not confirm the state before it. */
  #loseBooks(frame: Buffer, receivedAt: EpochMs): void {
    const text = frame.toString('utf8');
    if (!/"event_type":"(book|price_change)"/.test(text)) return;
    for (const [, token = ''] of text.matchAll(/"asset_id":"(\w{1,100})"/g)) {
      const one = this.#followed.get(token);
      if (one?.book) this.#resync(one, receivedAt, LOST);
    }
  }

  #forget(): void {
    for (const one of this.#followed.values()) {
      one.book = null;
      one.last = null;
    }
  }

  #open(): () => void {
    const socket = venueSocket({
      venue: 'prediction',
      source: PROVIDER,
      url: this.#streamUrl,
      clock: this.#clock,
      random: this.#random,
      dataSilenceMs: DATA_SILENCE_MS,
      keepAlive: { everyMs: PING_MS, frame: 'PING' },
      opened: (made) => this.#opened(made),
      frame: (frame, receivedAt) => this.#read(frame, receivedAt),
    });
    const subscription = socket.subscribe({
      next: (message) => {
        if (message.kind === 'feed_status' && message.status === 'disconnected') {
          this.#connection = null;
          this.#forget();
        }
        if (message.kind === 'rejection')
          this.#stage.emit(rejection('prediction', PROVIDER, message.receivedAt, message.reason, message.detail, message.sample));
        else this.#stage.emit(message);
      },
    });
    return () => subscription.unsubscribe();
  }

  #read(frame: Buffer, receivedAt: EpochMs): boolean {
    let data = false;
    for (const message of mapMarketFrame(frame, receivedAt, (token) => this.#followed.get(token)?.market, this.#stage.noteUnknown)) {
      if (isRejection(message)) {
        this.#stage.emit(message);
        this.#loseBooks(frame, receivedAt);
      } else if (message.kind === 'pong') this.#stage.emit({ kind: 'heartbeat', venue: 'prediction', source: PROVIDER, receivedAt });
      else {
        data = true;
        if (message.kind === 'book') this.#takeBook(message, receivedAt);
        else if (message.kind === 'changes') this.#takeChanges(message.at, message.changes, receivedAt);
        else if (message.kind === 'trade') this.#stage.trades([message.trade]);
        else if (message.kind === 'listing') this.#stage.listAgain();
        else {
          const one = this.#followed.get(message.token);
          if (one === undefined) continue;
          // A new price grid starts a new book.
          one.market = { ...one.market, priceGrid: evenGrid(message.step), observedAt: message.at, receivedAt };
          if (one.side === 'yes') this.#stage.changed(one.market);
          this.#resync(one, receivedAt, RESYNCING);
        }
      }
    }
    return data;
  }

  #opened(made: VenueConnection): void {
    this.#connection = made;
    this.#forget();
    const tokens = [...this.#followed.keys()];
    made.send(
      JSON.stringify({
        type: 'market',
        assets_ids: tokens.slice(0, SUBSCRIBE_CHUNK),
        initial_dump: true,
        level: 2,
        custom_feature_enabled: true,
      }),
    );
    this.#send(tokens.slice(SUBSCRIBE_CHUNK), 'subscribe');
    for (const { wait } of this.#followed.values()) wait.asked(this.#clock.now());
  }
}
