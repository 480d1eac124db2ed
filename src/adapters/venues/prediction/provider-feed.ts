/** Base of both providers' feeds: the catalog is listed repeatedly, and selected markets are streamed. */
import { createClockScheduler } from '../../../../streams/clock/clock-scheduler.ts';
import { defer, finalize, interval, merge, type Observable, Subject, share } from 'rxjs';
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { NoteUnknownField, UnknownFields } from '../../../../streams/feed-counters.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { PredictionMarket, PredictionNews, PredictionProvider, PredictionTrade } from '../../../domain/prediction/market.ts';
import type { Quote, Rejection } from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { askAgain, retryPauseMs } from '../ask-again.ts';
import { rejection } from '../feed-messages.ts';
import { VenueError, type VenueFeed } from '../venue-feed.ts';

/** Listing interval in milliseconds, below the maximum age of market data (60 s). */
const LIST_EVERY_MS = 30_000;
/** Delay of a listing after a stream announced a change, in milliseconds. */
const SOON_MS = 1_000;
/** Maximum number of streamed markets, the capacity of one connection of either provider. */
const MAX_STREAMED = 100;
/** Maximum number of unlisted markets that are requested individually per round. */
const MAX_LEFT = 50;
/** Unanswered requests after which a market is dropped. The store keeps its last state. */
const MAX_MISSES = 20;

/** Feed of quotes that also reports markets and trades. `news` is received while `messages` is subscribed. */
export interface PredictionFeed extends VenueFeed {
  readonly provider: PredictionProvider;
  readonly news: Observable<PredictionNews>;
}

export interface Listing {
  readonly markets: readonly PredictionMarket[];
  readonly rejections: readonly Rejection[];
}

/** Callbacks of a provider's stream. */
export interface Stage {
  emit(message: FeedMessage): void;
  /** Receives unknown fields of messages. */
  readonly noteUnknown: NoteUnknownField;
  trades(trades: readonly PredictionTrade[]): void;
  /** Reports that the stream changed a market's own data, such as its price grid. */
  changed(market: PredictionMarket): void;
  /** Requests a listing soon, after a change that only the listing shows. */
  listAgain(): void;
}

/** Stream of a provider's quotes for a changing set of markets. */
export interface ProviderStream {
  follow(markets: readonly PredictionMarket[]): void;
  stop(): void;
}

interface ProviderRest {
  /** Counter of unknown fields in its answers. The stream counts its own. */
  readonly unknownFields: UnknownFields;
  /** Lists all open markets. @throws VenueError */
  list(): Promise<Listing>;
  /** Reads markets that were open and are no longer listed. @throws VenueError */
  ask(left: readonly PredictionMarket[]): Promise<Listing>;
}

export interface ProviderFeedOptions {
  readonly rest: ProviderRest;
  readonly clock: Clock;
  /** Random source for the jitter of backoffs, 0 <= n < 1. */
  readonly random: () => number;
  /** Interval between listings, in milliseconds. Default 30 s. */
  readonly listEveryMs?: number;
  /** Maximum number of streamed markets. Default 100. */
  readonly maxStreamed?: number;
}

/** Wait before a whole book is requested again, in milliseconds. It grows up to 40 s. A requested book may be lost like any frame. */
const ASK_AGAIN_MS = 10_000;
const MOST_DOUBLINGS = 2;
/**
 * Minimum time between requests of a book, in milliseconds. A venue with disordered frames breaks every book, and would be asked
 * continuously.
 */
const ASK_PAUSE_MS = 1_000;

/** Timers of followed instruments that wait for a whole book. */
export class BookWait {
  #asks = 0;
  #askedAt: EpochMs = 0;

  /** Records a request of a whole book. */
  asked(now: EpochMs): void {
    this.#asks += 1;
    this.#askedAt = now;
  }

  /** Records the arrival of the book. */
  came(): void {
    this.#asks = 0;
  }

  /** True if a request is so recent that the next one must wait. */
  isRecent(now: EpochMs): boolean {
    return now - this.#askedAt < ASK_PAUSE_MS;
  }

  /** True if the book did not arrive in time. */
  isOver(now: EpochMs): boolean {
    return now - this.#askedAt >= ASK_AGAIN_MS * 2 ** Math.min(Math.max(this.#asks - 1, 0), MOST_DOUBLINGS);
  }
}

/** Calls every 5 s, to check for missing books. Returns a function that stops it. */
export function lookForBooks(clock: Clock, look: (now: EpochMs) => void): () => void {
  const looking = interval(ASK_AGAIN_MS / 2, createClockScheduler(clock)).subscribe({ next: () => look(clock.now()) });
  return () => looking.unsubscribe();
}

/** Selects the markets to stream: those about a catalog underlying first, then the most traded ones. */
export function worthStreaming(markets: readonly PredictionMarket[], most: number): PredictionMarket[] {
  const rank = (market: PredictionMarket): number =>
    (market.asks !== null ? 2e15 : market.underlying !== null ? 1e15 : 0) + Number(market.volume24h ?? market.volume ?? 0);
  return markets
    .filter(({ status }) => status === 'open' || status === 'paused')
    .map((market) => ({ market, rank: rank(market) }))
    .sort((a, b) => b.rank - a.rank || (a.market.id < b.market.id ? -1 : 1))
    .slice(0, most)
    .map(({ market }) => market);
}

/** Returns the final quotes of a market that no longer trades: both sides empty. */
function haltedQuotes(market: PredictionMarket, receivedAt: number): Quote<'prediction'>[] {
  return market.outcomes.map(({ instrument }) => ({
    kind: 'quote',
    venue: 'prediction',
    instrument,
    source: market.source,
    observedAt: receivedAt,
    receivedAt,
    sourceTime: false,
    bid: null,
    ask: null,
    bidSize: null,
    askSize: null,
    sequence: null,
    quality: 'halted',
    flags: ['one_sided'],
  }));
}

/** Creates the feed of one provider. It is cold, and subscribers share one connection. A failed listing is counted and repeated. */
export function createProviderFeed(
  provider: PredictionProvider,
  options: ProviderFeedOptions,
  openStream: (stage: Stage) => ProviderStream,
): PredictionFeed {
  const { rest, clock, random } = options;
  const { unknownFields } = rest;
  const listEveryMs = options.listEveryMs ?? LIST_EVERY_MS;
  const news = new Subject<PredictionNews>();

  const messages = defer(() => {
    const wake = new Subject<void>();
    /** True if markets changed during a listing. */
    let soon = false;
    const streamed = new Subject<FeedMessage>();
    const stream = openStream({
      emit: (message) => streamed.next(message),
      noteUnknown: unknownFields.note,
      trades: (trades) => news.next({ kind: 'trades', trades }),
      changed: (market) => news.next({ kind: 'markets', markets: [market] }),
      listAgain() {
        soon = true;
        wake.next();
      },
    });
    const catalogue = new Catalogue(rest, news);
    async function* round(): AsyncGenerator<FeedMessage> {
      soon = false;
      yield* catalogue.listed();
      const { followed, gone } = catalogue.choose(options.maxStreamed ?? MAX_STREAMED);
      stream.follow(followed);
      for (const market of gone) yield* haltedQuotes(market, clock.now());
    }
    const listing = askAgain<FeedMessage>({
      clock,
      round,
      // Changes of several markets come together, and one listing covers them all.
      pauseMs: () => (soon ? SOON_MS : listEveryMs),
      failed(error) {
        const words = error instanceof VenueError ? `${error.code}: ${error.message}` : (error as Error).message;
        return [rejection('prediction', `${provider}:listing`, clock.now(), 'venue_error', words, '')];
      },
      retryMs: (error, failures) => (soon ? SOON_MS : retryPauseMs(error, failures, random)),
      wake,
    });
    return merge(streamed, listing).pipe(finalize(() => stream.stop()));
  }).pipe(share());

  return { venue: 'prediction', provider, messages, unknownFields, news: news.asObservable() };
}

/** Undecided markets of one provider, from its listings. */
class Catalogue {
  readonly #rest: ProviderRest;
  readonly #news: Subject<PredictionNews>;
  /** Undecided markets, the longest waiting first. */
  readonly #open = new Map<string, PredictionMarket>();
  /** Number of unanswered requests by market. */
  readonly #unanswered = new Map<string, number>();
  #streamed = new Map<string, PredictionMarket>();

  constructor(rest: ProviderRest, news: Subject<PredictionNews>) {
    this.#rest = rest;
    this.#news = news;
  }

  /** Lists markets and requests those that are no longer listed. Reports news and yields rejections. @throws VenueError */
  async *listed(): AsyncGenerator<FeedMessage> {
    const listing = await this.#rest.list();
    yield* this.#take(listing);
    const listed = new Set(listing.markets.map(({ id }) => id));
    // Markets that are no longer listed or closed without an outcome, longest waiting first.
    const left = [...this.#open.values()].filter(({ id, status }) => !listed.has(id) || status === 'closed').slice(0, MAX_LEFT);
    if (left.length === 0) return;
    const answer = await this.#rest.ask(left);
    this.#moveBack(left, new Set(answer.markets.map(({ id }) => id)));
    yield* this.#take(answer);
  }

  /** Returns the markets to stream now, and those that were streamed before. */
  choose(most: number): { readonly followed: readonly PredictionMarket[]; readonly gone: readonly PredictionMarket[] } {
    const next = new Map(worthStreaming([...this.#open.values()], most).map((market) => [market.id, market]));
    const gone = [...this.#streamed.values()].filter(({ id }) => !next.has(id));
    this.#streamed = next;
    return { followed: [...next.values()], gone };
  }

  #take(listing: Listing): readonly Rejection[] {
    for (const market of listing.markets) {
      // A decided market is not requested again.
      if (market.status === 'resolved' || market.status === 'voided') this.#open.delete(market.id);
      else this.#open.set(market.id, market);
    }
    if (listing.markets.length > 0) this.#news.next({ kind: 'markets', markets: listing.markets });
    return listing.rejections;
  }

  /** Moves requested markets to the end of the queue. A market that the provider no longer knows is removed. */
  #moveBack(asked: readonly PredictionMarket[], answered: ReadonlySet<string>): void {
    for (const market of asked) {
      this.#open.delete(market.id);
      const misses = answered.has(market.id) ? 0 : (this.#unanswered.get(market.id) ?? 0) + 1;
      if (misses === 0 || misses >= MAX_MISSES) this.#unanswered.delete(market.id);
      else this.#unanswered.set(market.id, misses);
      if (misses < MAX_MISSES) this.#open.set(market.id, market);
    }
  }
}
