/** The second source of share prices: listens to the first one, and asks another only for shares that it leaves without a price. */
import { Observable } from 'rxjs';
import type { Clock } from '../../../../streams/clock.ts';
import { createUnknownFields } from '../../../../streams/feed-counters.ts';
import type { FeedMessage } from '../../../domain/market-event.ts';
import type { ReferencePrice, Session } from '../../../domain/quote.ts';
import { sessionAt as usSessionAt } from '../../../domain/session.ts';
import type { EpochMs } from '../../../domain/time.ts';
import type { RequestBudget } from '../request-budget.ts';
import { VenueError, type VenueFeed } from '../venue-feed.ts';
import { backoffMs, rejection } from '../venue-socket.ts';
import { createKeyedClient } from './keyed-client.ts';
import type { ShareQuotes } from './share-quotes.ts';

/** Requests that the free plan of the provider allows in a minute. */
export const FALLBACK_PER_MINUTE = 60;
/** The share of the plan that is used: others may ask with the same key. */
const PLAN_SHARE = 0.8;
/** A share without a newer price for so long is asked for: twice the age at which it stopped being live. */
const STALE_AFTER_MS = 10_000;
/** The first source has to hold for so long before the second one rests: a source that comes and goes is not back. */
const SETTLE_MS = 30_000;
/** A share is not asked for more often. */
const EVERY_MS = 5_000;
/** While no session is open, prices stand still: asked for rarely, and only where the first source said nothing at all. */
const CLOSED_EVERY_MS = 900_000;
/** A share that the provider does not know is asked for again after so long. */
const UNKNOWN_PAUSE_MS = 3_600_000;
/** A refused key does not become right by asking often. */
const REFUSED_PAUSE_MS = 60_000;

export interface FallbackOptions {
  readonly primary: VenueFeed;
  readonly provider: ShareQuotes;
  /** `https://finnhub.io/api/v1`; paths are appended. */
  readonly baseUrl: string;
  readonly key: string;
  /** Shares by symbol, as the first source names them. */
  readonly symbols: readonly string[];
  readonly clock: Clock;
  /** For the jitter of the backoff, 0 <= n < 1. */
  readonly random: () => number;
  readonly perMinute?: number;
  readonly budget?: RequestBudget;
  readonly sessionAt?: (at: EpochMs) => Session;
  readonly staleAfterMs?: number;
  readonly settleMs?: number;
}

interface Share {
  readonly symbol: string;
  /** The newest time inside of a price of the first source; its start until one came. */
  freshAt: EpochMs;
  /** Since when there was no hole of `staleAfterMs` in those times. */
  freshSince: EpochMs;
  heard: boolean;
  asking: boolean;
  askedAt: EpochMs;
  /** Not asked before, whatever happens. */
  restsUntil: EpochMs;
}

/**
 * The first source's messages as they come, and prices of the second source under its own name while and where the
 * first is stale or absent. Nothing is relabelled: which of the two counts is judged by the streams.
 */
export function withFallback(options: FallbackOptions): VenueFeed {
  const { primary, provider, clock, random, symbols } = options;
  const unknownFields = primary.unknownFields ?? createUnknownFields();
  const perMinute = options.perMinute ?? FALLBACK_PER_MINUTE;
  const sessionAt = options.sessionAt ?? usSessionAt;
  const staleAfterMs = options.staleAfterMs ?? STALE_AFTER_MS;
  const settleMs = options.settleMs ?? SETTLE_MS;
  const spacingMs = Math.ceil(60_000 / (perMinute * PLAN_SHARE));
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

  const messages = new Observable<FeedMessage>((subscriber) => {
    const startedAt = clock.now();
    const shares = symbols.map(
      (symbol): Share => ({
        symbol,
        freshAt: startedAt,
        freshSince: startedAt,
        heard: false,
        asking: false,
        askedAt: Number.NEGATIVE_INFINITY,
        restsUntil: Number.NEGATIVE_INFINITY,
      }),
    );
    const bySymbol = new Map(shares.map((share) => [share.symbol, share]));
    let stopped = false;
    let connected: boolean | null = null;
    let epoch = 0;
    let failures = 0;
    let cancel = (): void => {};

    function hearPrimary(price: ReferencePrice): void {
      const share = bySymbol.get(price.instrument);
      if (share === undefined) return;
      share.heard = true;
      const at = Math.min(price.feedUpdatedAt, price.receivedAt);
      if (at <= share.freshAt) return;
      if (at - share.freshAt > staleAfterMs) share.freshSince = at;
      share.freshAt = at;
    }

    function isWanted(share: Share, now: EpochMs, closed: boolean): boolean {
      if (now - share.freshAt > staleAfterMs) share.asking = true;
      else if (now - share.freshSince >= settleMs) share.asking = false;
      if (!share.asking || now < share.restsUntil) return false;
      if (closed) return !share.heard && now - share.askedAt >= CLOSED_EVERY_MS;
      return now - share.askedAt >= EVERY_MS;
    }

    function status(word: 'connected' | 'disconnected', detail: string): void {
      subscriber.next({
        kind: 'feed_status',
        venue: 'reference',
        source: provider.source,
        receivedAt: clock.now(),
        status: word,
        epoch,
        detail,
      });
    }

    async function ask(due: readonly Share[]): Promise<void> {
      const names = due.map(({ symbol }) => symbol);
      const { path, query } = provider.request(names);
      for (const share of due) share.askedAt = clock.now();
      const body = await client.get(path, query);
      if (stopped) return;
      failures = 0;
      if (connected !== true) {
        connected = true;
        epoch += 1;
        status('connected', '');
      }
      const { prices, rejections } = provider.read(body, names, clock.now(), unknownFields.note);
      for (const one of rejections) subscriber.next(one);
      for (const price of prices) subscriber.next(price);
      if (rejections.some(({ reason }) => reason === 'unknown_instrument')) {
        const told = new Set(prices.map(({ instrument }) => instrument));
        for (const share of due) if (!told.has(share.symbol)) share.restsUntil = clock.now() + UNKNOWN_PAUSE_MS;
      }
    }

    /** Tells of the failure; returns how long to keep away. */
    function failed(error: unknown): number {
      failures += 1;
      const refusal = error instanceof VenueError ? error : null;
      const detail = (error as Error).message;
      if (refusal !== null && refusal.status >= 200 && refusal.status < 300) {
        const reason = refusal.code === 'not_json' ? 'not_json' : 'unknown_shape';
        subscriber.next(rejection('reference', provider.source, clock.now(), reason, detail, ''));
      } else if (connected !== false) {
        connected = false;
        status('disconnected', detail);
      }
      const keyRefused = refusal?.status === 401 || refusal?.status === 403;
      return Math.max(refusal?.retryAfterMs ?? 0, keyRefused ? REFUSED_PAUSE_MS : backoffMs(failures, random));
    }

    async function look(): Promise<void> {
      const now = clock.now();
      const closed = sessionAt(now) === 'CLOSED';
      const due = shares
        .filter((share) => isWanted(share, now, closed))
        .sort((a, b) => a.askedAt - b.askedAt)
        .slice(0, provider.batch);
      let pause = spacingMs;
      if (due.length > 0)
        await ask(due).catch((error: unknown) => {
          pause = Math.max(pause, failed(error));
        });
      if (!stopped) cancel = clock.deadline(clock.now() + pause, () => void look());
    }

    const heard = primary.messages.subscribe({
      next(message) {
        if (message.kind === 'reference') hearPrimary(message);
        subscriber.next(message);
      },
      error: (error: unknown) => subscriber.error(error),
      complete: () => subscriber.complete(),
    });
    cancel = clock.deadline(startedAt + spacingMs, () => void look());
    return () => {
      stopped = true;
      cancel();
      heard.unsubscribe();
    };
  });
  return { venue: 'reference', messages, unknownFields };
}
