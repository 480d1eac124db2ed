/** Base of both providers' feeds: the catalogue is listed repeatedly, and selected markets are streamed. */
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

/** Oftener than a market's words may be old (60 s). */
const LIST_EVERY_MS = 30_000;
/** Wait before the next listing after a stream announced a change. Milliseconds. */
const SOON_MS = 1_000;
/** Markets that are streamed at most: what one connection of either provider carries. */
const MAX_STREAMED = 100;
/** A market that the provider no longer lists is asked for by itself, so many at once. */
const MAX_LEFT = 50;
/** A market that was asked for so often in vain is given up; the store keeps the last word on it. */
const MAX_MISSES = 20;

/** A feed of quotes that also tells markets and trades. `news` is received while `messages` is subscribed. */
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
  /** A message has a member that is unknown. */
  readonly noteUnknown: NoteUnknownField;
  trades(trades: readonly PredictionTrade[]): void;
  /** A market's own words changed in the stream (its grid): tell it on. */
  changed(market: PredictionMarket): void;
  /** Requests a listing soon: a market changed in a way that only its listing shows. */
  listAgain(): void;
}

/** A provider's stream of quotes over a set of markets that may change. */
export interface ProviderStream {
  follow(markets: readonly PredictionMarket[]): void;
  stop(): void;
}

/** Requests to a provider. */
export interface ProviderRest {
  /** Counter of unknown fields in its answers; its stream's are counted separately. */
  readonly unknownFields: UnknownFields;
  /** Every market that is open now. @throws VenueError */
  list(): Promise<Listing>;
  /** Markets that were open and are listed no more. @throws VenueError */
  ask(left: readonly PredictionMarket[]): Promise<Listing>;
}

/** Dependencies of either provider's feed. */
export interface ProviderFeedOptions {
  readonly rest: ProviderRest;
  readonly clock: Clock;
  /** Random source for jitter of backoffs, 0 <= n < 1. */
  readonly random: () => number;
  /** Default 30 s. */
  readonly listEveryMs?: number;
  /** Default 100. */
  readonly maxStreamed?: number;
}

/** A whole book that was asked for may be lost like any other frame: asked again after 10 s, then more rarely, up to 40 s. */
const ASK_AGAIN_MS = 10_000;
const MOST_DOUBLINGS = 2;
/** A venue whose frames come in the wrong order breaks each book as it comes: without a pause the two would only ask and answer. */
const ASK_PAUSE_MS = 1_000;

/** Timers of followed instruments that wait for their whole book. */
export class BookWait {
  #asks = 0;
  #askedAt: EpochMs = 0;

  /** A whole book was asked for just now. */
  asked(now: EpochMs): void {
    this.#asks += 1;
    this.#askedAt = now;
  }

  /** Marks the awaited message as received. */
  came(): void {
    this.#asks = 0;
  }

  /** True if it was asked for so lately that asking again is left for later. */
  isRecent(now: EpochMs): boolean {
    return now - this.#askedAt < ASK_PAUSE_MS;
  }

  /** True if it did not come in time. */
  isOver(now: EpochMs): boolean {
    return now - this.#askedAt >= ASK_AGAIN_MS * 2 ** Math.min(Math.max(this.#asks - 1, 0), MOST_DOUBLINGS);
  }
}

/** Calls every 5 s until it is stopped, to check on missing books. */
export function lookForBooks(clock: Clock, look: (now: EpochMs) => void): () => void {
  const looking = interval(ASK_AGAIN_MS / 2, createClockScheduler(clock)).subscribe({ next: () => look(clock.now()) });
  return () => looking.unsubscribe();
}

/** Selects the markets to stream: those about an underlying of the catalog first, then the most traded ones. */
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

/** The last word on an outcome that trades no more: nobody stands on either side. */
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

/** The feed of one provider. Cold; several subscribers share one connection. A listing that fails is counted and tried again. */
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
    /** Markets changed while a round was under way. */
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
      // News of several markets come together; one listing tells of them all.
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

/** The markets of one provider that are not decided yet, as its listings tell of them. */
class Catalogue {
  readonly #rest: ProviderRest;
  readonly #news: Subject<PredictionNews>;
  /** Markets that are not decided yet, those that wait the longest first. */
  readonly #open = new Map<string, PredictionMarket>();
  /** Number of unanswered requests of each. */
  readonly #unanswered = new Map<string, number>();
  #streamed = new Map<string, PredictionMarket>();

  constructor(rest: ProviderRest, news: Subject<PredictionNews>) {
    this.#rest = rest;
    this.#news = news;
  }

  /** Lists, and asks for what is listed no more; tells the news, and yields what could not be read. @throws VenueError */
  async *listed(): AsyncGenerator<FeedMessage> {
    const listing = await this.#rest.list();
    yield* this.#take(listing);
    const listed = new Set(listing.markets.map(({ id }) => id));
    // Markets that are no longer listed, or closed without an outcome, longest wait first.
    const left = [...this.#open.values()].filter(({ id, status }) => !listed.has(id) || status === 'closed').slice(0, MAX_LEFT);
    if (left.length === 0) return;
    const answer = await this.#rest.ask(left);
    this.#moveBack(left, new Set(answer.markets.map(({ id }) => id)));
    yield* this.#take(answer);
  }

  /** The markets to stream now, and those that were streamed until now. */
  choose(most: number): { readonly followed: readonly PredictionMarket[]; readonly gone: readonly PredictionMarket[] } {
    const next = new Map(worthStreaming([...this.#open.values()], most).map((market) => [market.id, market]));
    const gone = [...this.#streamed.values()].filter(({ id }) => !next.has(id));
    this.#streamed = next;
    return { followed: [...next.values()], gone };
  }

  #take(listing: Listing): readonly Rejection[] {
    for (const market of listing.markets) {
      // One that is decided needs no more asking.
      if (market.status === 'resolved' || market.status === 'voided') this.#open.delete(market.id);
      else this.#open.set(market.id, market);
    }
    if (listing.markets.length > 0) this.#news.next({ kind: 'markets', markets: listing.markets });
    return listing.rejections;
  }

  /** Moves requested markets to the end of the queue. One that the provider no longer knows leaves it. */
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
