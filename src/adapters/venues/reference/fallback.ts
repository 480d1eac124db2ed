/**
 * Fallback of share prices. It listens to the first source and requests only shares without a current price there.
 * See docs/reference/outside/second-reference-source.md.
 */

import { concatMap, defer, EMPTY, merge, mergeMap, type Observable, Subject, takeUntil, tap, timer } from 'rxjs';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { createClockScheduler } from '../../../../streams/clock/clock-scheduler.ts';
import { createUnknownFields } from '../../../../streams/feed-counters.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { ReferencePrice, Session } from '../../../domain/market/quote.ts';
import { sessionAt as usSessionAt } from '../../../domain/market/session.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../domain/values/time.ts';
import { askAgain, retryPauseMs } from '../ask-again.ts';
import { feedStatus } from '../feed-messages.ts';
import { unusableAnswer } from '../polling.ts';
import type { RequestBudget } from '../request-budget.ts';
import { VenueError, type VenueFeed } from '../venue-feed.ts';
import { createKeyedClient } from './keyed-client.ts';
import type { ShareQuotes } from './share-quotes.ts';

/** Requests per minute of the provider's free plan. */
export const FALLBACK_PER_MINUTE = 60;
/** Share of the plan that is used, because others may use the same key. */
const PLAN_SHARE = 0.8;
/** Time without a newer price after which a share is requested, in milliseconds: twice the age at which it stops being live. */
const STALE_AFTER_MS = 10_000;
/** Time for which the first source must be stable before the fallback stops, in milliseconds. */
const SETTLE_MS = 30_000;
/** Minimum interval of requests for a share, in milliseconds. */
const EVERY_MS = 5_000;
/**
 * Interval of requests while no session is open, in milliseconds. Prices do not move then, so the fallback only replaces a first source
 * without any price.
 */
const CLOSED_EVERY_MS = 900_000;
/** Pause after the provider did not know a share, in milliseconds. */
const UNKNOWN_PAUSE_MS = HOUR_MS;
/** Pause after a refused key, in milliseconds. Retrying does not make it valid. */
const REFUSED_PAUSE_MS = MINUTE_MS;

interface FallbackOptions {
  readonly primary: VenueFeed;
  readonly provider: ShareQuotes;
  /** Base URL: `https://finnhub.io/api/v1`. Paths are appended. */
  readonly baseUrl: string;
  readonly key: string;
  /** Shares by the first source's symbols. */
  readonly symbols: readonly string[];
  readonly clock: Clock;
  /** Random source for the jitter of the backoff, 0 <= n < 1. */
  readonly random: () => number;
  readonly perMinute?: number;
  readonly budget?: RequestBudget;
  readonly sessionAt?: (at: EpochMs) => Session;
  readonly staleAfterMs?: number;
  readonly settleMs?: number;
}

interface Share {
  readonly symbol: string;
  /** Newest time in a price of the first source, or the start if there was none. */
  freshAt: EpochMs;
  /** Time since which these times have had no gap of `staleAfterMs`. */
  freshSince: EpochMs;
  received: boolean;
  asking: boolean;
  askedAt: EpochMs;
  /** Earliest time of the next request. */
  restsUntil: EpochMs;
}

/**
 * Creates a feed of the first source's messages, plus prices of the fallback under its own name where the first source is stale or
 * absent. Prices keep their source, and the streams decide which one counts.
 */
export function withFallback(options: FallbackOptions): VenueFeed {
  const { primary, provider, clock, random, symbols } = options;
  const unknownFields = primary.unknownFields ?? createUnknownFields();
  const perMinute = options.perMinute ?? FALLBACK_PER_MINUTE;
  const sessionAt = options.sessionAt ?? usSessionAt;
  const staleAfterMs = options.staleAfterMs ?? STALE_AFTER_MS;
  const settleMs = options.settleMs ?? SETTLE_MS;
  const spacingMs = Math.ceil(MINUTE_MS / (perMinute * PLAN_SHARE));
  const client = createKeyedClient({
    venue: 'reference',
    baseUrl: options.baseUrl,
    headers: provider.headers(options.key),
    clock,
    random,
    perMinute,
    attempts: 1,
    ...(options.budget === undefined ? {} : { budget: options.budget }),
  });

  const messages = defer(() => {
    const shares = new WatchedShares(symbols, clock, { staleAfterMs, settleMs });
    const link = new ProviderLink(provider, clock);
    const primaryEnded = new Subject<void>();
    /** Requests the due shares once, or does nothing if none is due. */
    const round = (): Observable<FeedMessage> => {
      const due = shares.due(sessionAt(clock.now()) === 'CLOSED', provider.batch);
      if (due.length === 0) return EMPTY;
      const names = due.map(({ symbol }) => symbol);
      const { path, query } = provider.request(names);
      for (const share of due) share.askedAt = clock.now();
      return defer(() => client.get(path, query)).pipe(
        mergeMap((body) => {
          const { prices, rejections } = provider.read(body, names, clock.now(), unknownFields.note);
          if (rejections.some(({ reason }) => reason === 'unknown_instrument')) {
            const told = new Set(prices.map(({ instrument }) => instrument));
            for (const share of due) if (!told.has(share.symbol)) share.restsUntil = clock.now() + UNKNOWN_PAUSE_MS;
          }
          return [...link.answered(), ...rejections, ...prices];
        }),
      );
    };
    const second = askAgain<FeedMessage>({
      clock,
      round,
      pauseMs: () => spacingMs,
      failed: (error) => link.failed(error),
      retryMs: (error) => {
        const keyRefused = error instanceof VenueError && (error.status === 401 || error.status === 403);
        const pause = retryPauseMs(error, link.failures, random);
        return Math.max(spacingMs, keyRefused ? Math.max(error.retryAfterMs ?? 0, REFUSED_PAUSE_MS) : pause);
      },
    });
    return merge(
      primary.messages.pipe(
        tap({
          next: (message) => {
            if (message.kind === 'reference') shares.receive(message);
          },
          complete: () => primaryEnded.next(),
        }),
      ),
      timer(spacingMs, createClockScheduler(clock)).pipe(
        concatMap(() => second),
        takeUntil(primaryEnded),
      ),
    );
  });
  return { venue: 'reference', messages, unknownFields };
}

class ProviderLink {
  readonly #provider: ShareQuotes;
  readonly #clock: Clock;
  #connected: boolean | null = null;
  #epoch = 0;
  /** Failures since the last answer. A round without requests does not reset them. */
  failures = 0;

  constructor(provider: ShareQuotes, clock: Clock) {
    this.#provider = provider;
    this.#clock = clock;
  }

  answered(): readonly FeedMessage[] {
    this.failures = 0;
    if (this.#connected === true) return [];
    this.#connected = true;
    this.#epoch += 1;
    return [this.#status('connected', '')];
  }

  failed(error: unknown): readonly FeedMessage[] {
    this.failures += 1;
    const unusable = unusableAnswer(error, this.#provider.source, this.#clock);
    if (unusable.length > 0 || this.#connected === false) return unusable;
    this.#connected = false;
    return [this.#status('disconnected', (error as Error).message)];
  }

  #status(word: 'connected' | 'disconnected', detail: string): FeedMessage {
    return feedStatus('reference', this.#provider.source, this.#clock.now(), word, this.#epoch, detail);
  }
}

/** Shares with the freshness of the first source's price, and the earliest time of a fallback request. */
class WatchedShares {
  readonly #shares: readonly Share[];
  readonly #bySymbol: ReadonlyMap<string, Share>;
  readonly #clock: Clock;
  readonly #staleAfterMs: number;
  readonly #settleMs: number;

  constructor(
    symbols: readonly string[],
    clock: Clock,
    { staleAfterMs, settleMs }: { readonly staleAfterMs: number; readonly settleMs: number },
  ) {
    const startedAt = clock.now();
    this.#clock = clock;
    this.#staleAfterMs = staleAfterMs;
    this.#settleMs = settleMs;
    this.#shares = symbols.map((symbol) => ({
      symbol,
      freshAt: startedAt,
      freshSince: startedAt,
      received: false,
      asking: false,
      askedAt: Number.NEGATIVE_INFINITY,
      restsUntil: Number.NEGATIVE_INFINITY,
    }));
    this.#bySymbol = new Map(this.#shares.map((share) => [share.symbol, share]));
  }

  /** Records a price of the first source. */
  receive(price: ReferencePrice): void {
    const share = this.#bySymbol.get(price.instrument);
    if (share === undefined) return;
    share.received = true;
    const at = Math.min(price.feedUpdatedAt, price.receivedAt);
    if (at <= share.freshAt) return;
    if (at - share.freshAt > this.#staleAfterMs) share.freshSince = at;
    share.freshAt = at;
  }

  /** Returns the shares to request now, longest waiting first, at most `most`. `closed` is true if no session is open. */
  due(closed: boolean, most: number): readonly Share[] {
    const now = this.#clock.now();
    return this.#shares
      .filter((share) => this.#isWanted(share, now, closed))
      .sort((a, b) => a.askedAt - b.askedAt)
      .slice(0, most);
  }

  #isWanted(share: Share, now: EpochMs, closed: boolean): boolean {
    if (now - share.freshAt > this.#staleAfterMs) share.asking = true;
    else if (now - share.freshSince >= this.#settleMs) share.asking = false;
    if (!share.asking || now < share.restsUntil) return false;
    if (closed) return !share.received && now - share.askedAt >= CLOSED_EVERY_MS;
    return now - share.askedAt >= EVERY_MS;
  }
}
