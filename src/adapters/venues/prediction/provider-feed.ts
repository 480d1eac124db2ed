/** What both providers' feeds share: the catalogue is listed again and again, and what is worth streaming is streamed. */
import { Observable, Subject, share } from 'rxjs';
import type { Clock } from '../../../../streams/clock.ts';
import type { NoteUnknownField, UnknownFields } from '../../../../streams/feed-counters.ts';
import type { FeedMessage } from '../../../domain/market-event.ts';
import type { PredictionMarket, PredictionNews, PredictionProvider, PredictionTrade } from '../../../domain/prediction/market.ts';
import type { Quote, Rejection } from '../../../domain/quote.ts';
import type { EpochMs } from '../../../domain/time.ts';
import { VenueError, type VenueFeed } from '../venue-feed.ts';
import { backoffMs, rejection } from '../venue-socket.ts';

/** Oftener than a market's words may be old (60 s). */
const LIST_EVERY_MS = 30_000;
/** Markets that are streamed at most: what one connection of either provider carries. */
const MAX_STREAMED = 100;
/** A market that the provider no longer lists is asked for by itself, so many at once. */
const MAX_LEFT = 50;
/** A market that was asked for so often in vain is given up; the store keeps the last word on it. */
const MAX_MISSES = 20;

/** A feed of quotes that also tells markets and trades. `news` is heard while `messages` is subscribed. */
export interface PredictionFeed extends VenueFeed {
  readonly provider: PredictionProvider;
  readonly news: Observable<PredictionNews>;
}

export interface Listing {
  readonly markets: readonly PredictionMarket[];
  readonly rejections: readonly Rejection[];
}

/** What a provider's stream may do. */
export interface Stage {
  emit(message: FeedMessage): void;
  /** A message has a member that nobody knows. */
  readonly noteUnknown: NoteUnknownField;
  trades(trades: readonly PredictionTrade[]): void;
  /** A market's own words changed in the stream (its grid): tell it on. */
  changed(market: PredictionMarket): void;
  /** Something happened to a market that only its listing tells: list again soon. */
  listAgain(): void;
}

/** A provider's stream of quotes over a set of markets that may change. */
export interface ProviderStream {
  follow(markets: readonly PredictionMarket[]): void;
  stop(): void;
}

/** What a provider says when it is asked. */
export interface ProviderRest {
  /** What its answers hold that nobody knows; what its stream holds of it is counted beside. */
  readonly unknownFields: UnknownFields;
  /** Every market that is open now. @throws VenueError */
  list(): Promise<Listing>;
  /** Markets that were open and are listed no more. @throws VenueError */
  ask(left: readonly PredictionMarket[]): Promise<Listing>;
}

/** What the feed of either provider needs. */
export interface ProviderFeedOptions {
  readonly rest: ProviderRest;
  readonly clock: Clock;
  /** For the jitter of backoffs, 0 <= n < 1. */
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

/** How long the whole book of one followed thing has been waited for. */
export class BookWait {
  #asks = 0;
  #askedAt: EpochMs = 0;

  /** A whole book was asked for just now. */
  asked(now: EpochMs): void {
    this.#asks += 1;
    this.#askedAt = now;
  }

  /** It came. */
  came(): void {
    this.#asks = 0;
  }

  /** True where it was asked for so lately that asking again is left for later. */
  isRecent(now: EpochMs): boolean {
    return now - this.#askedAt < ASK_PAUSE_MS;
  }

  /** True where it did not come in time. */
  isOver(now: EpochMs): boolean {
    return now - this.#askedAt >= ASK_AGAIN_MS * 2 ** Math.min(Math.max(this.#asks - 1, 0), MOST_DOUBLINGS);
  }
}

/** Calls every 5 s until it is stopped, for whatever waits for a book. */
export function lookForBooks(clock: Clock, look: (now: EpochMs) => void): () => void {
  let cancel = (): void => {};
  const again = (): void => {
    cancel = clock.deadline(clock.now() + ASK_AGAIN_MS / 2, () => {
      look(clock.now());
      again();
    });
  };
  again();
  return () => cancel();
}

/** Which markets are worth a stream: those about an underlying of the catalog first, then the ones that trade most. */
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

  const messages = new Observable<FeedMessage>((subscriber) => {
    let stopped = false;
    let failures = 0;
    let cancelTimer = (): void => {};
    let wake = (): void => {};
    let soon = false;
    /** Markets that are not decided yet, those that wait the longest first. */
    const open = new Map<string, PredictionMarket>();
    /** How often each of them was asked for in vain. */
    const unanswered = new Map<string, number>();
    let streamed = new Map<string, PredictionMarket>();

    const stream = openStream({
      emit: (message) => subscriber.next(message),
      noteUnknown: unknownFields.note,
      trades: (trades) => news.next({ kind: 'trades', trades }),
      changed: (market) => news.next({ kind: 'markets', markets: [market] }),
      listAgain() {
        soon = true;
        wake();
      },
    });

    function take(listing: Listing): void {
      for (const one of listing.rejections) subscriber.next(one);
      for (const market of listing.markets) {
        // One that is decided needs no more asking.
        if (market.status === 'resolved' || market.status === 'voided') open.delete(market.id);
        else open.set(market.id, market);
      }
      if (listing.markets.length > 0) news.next({ kind: 'markets', markets: listing.markets });
    }

    /** Asks for those that are listed no more, or closed without an outcome, the longest waiting first. */
    async function askForLeft(listed: ReadonlySet<string>): Promise<void> {
      const left = [...open.values()].filter(({ id, status }) => !listed.has(id) || status === 'closed').slice(0, MAX_LEFT);
      if (left.length === 0) return;
      const answer = await rest.ask(left);
      if (stopped) return;
      const answered = new Set(answer.markets.map(({ id }) => id));
      for (const market of left) {
        // Whoever was asked for goes to the end of the line, and one that the provider no longer knows leaves it.
        open.delete(market.id);
        const misses = answered.has(market.id) ? 0 : (unanswered.get(market.id) ?? 0) + 1;
        if (misses === 0 || misses >= MAX_MISSES) unanswered.delete(market.id);
        else unanswered.set(market.id, misses);
        if (misses < MAX_MISSES) open.set(market.id, market);
      }
      take(answer);
    }

    async function round(): Promise<void> {
      const listing = await rest.list();
      if (stopped) return;
      take(listing);
      await askForLeft(new Set(listing.markets.map(({ id }) => id)));
      if (stopped) return;
      const next = new Map(worthStreaming([...open.values()], options.maxStreamed ?? MAX_STREAMED).map((market) => [market.id, market]));
      const gone = [...streamed.values()].filter(({ id }) => !next.has(id));
      streamed = next;
      stream.follow([...next.values()]);
      for (const market of gone) for (const quote of haltedQuotes(market, clock.now())) subscriber.next(quote);
    }

    async function run(): Promise<void> {
      while (!stopped) {
        let delayMs = listEveryMs;
        try {
          await round();
          failures = 0;
        } catch (error) {
          if (stopped) return;
          if (!(error instanceof VenueError)) throw error;
          failures += 1;
          delayMs = Math.max(error.retryAfterMs ?? 0, backoffMs(failures, random));
          subscriber.next(
            rejection('prediction', `${provider}:listing`, clock.now(), 'venue_error', `${error.code}: ${error.message}`, ''),
          );
        }
        if (stopped) return;
        if (!soon) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            cancelTimer = clock.deadline(clock.now() + delayMs, resolve);
          });
          cancelTimer();
        } else {
          // News of several markets come together; one listing tells of them all.
          await new Promise<void>((resolve) => {
            cancelTimer = clock.deadline(clock.now() + 1_000, resolve);
          });
        }
        soon = false;
      }
    }

    run().catch((error: unknown) => subscriber.error(error));
    return () => {
      stopped = true;
      cancelTimer();
      wake();
      stream.stop();
    };
  }).pipe(share());

  return { venue: 'prediction', provider, messages, unknownFields, news: news.asObservable() };
}
