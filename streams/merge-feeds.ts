/** Many venue feeds as one ordered stream that nothing can end. */
import type { Observable, Subscription } from 'rxjs';
import type { FeedMessage } from '../src/domain/market-event.ts';
import type { EpochMs } from '../src/domain/time.ts';
import type { Venue } from '../src/domain/venue.ts';
import type { Clock } from './clock.ts';
import type { FeedCounters, UnknownFields } from './feed-counters.ts';
import { createOrderedBus } from './ordered-bus.ts';

/** The live side of a venue. Subscribing connects. */
export interface Feed {
  readonly venue: Venue;
  readonly messages: Observable<FeedMessage>;
  /** What its messages hold that nobody knows; none where it does not count. */
  readonly unknownFields?: UnknownFields;
}

export interface MergeOptions {
  readonly clock: Clock;
  /** For the jitter of the delays, 0 <= n < 1. */
  readonly random: () => number;
  readonly counters?: FeedCounters;
  /** The first delay before a failed feed is subscribed again, doubled at each failure. Default 1 s. */
  readonly firstRetryMs?: number;
  /** The longest delay. Default 30 s. */
  readonly maxRetryMs?: number;
}

export interface MergedFeeds {
  /** `receivedAt` never decreases. Never errors; completes only on `stop`. */
  readonly stream: Observable<FeedMessage>;
  /** Puts a message of our own (bars that were fetched, a tape's event) in line with the others. */
  push(message: FeedMessage): void;
  /** Subscribes every feed. */
  start(): void;
  /** Unsubscribes every feed and completes the stream. */
  stop(): void;
}

/**
 * Merges feeds into one stream. A feed that throws or ends is reported in band (its connections as `disconnected`, and
 * a counted rejection) and subscribed again after a delay with jitter and cap. A receipt that lies before one already
 * passed on is moved up to it; one in the future is moved back to now.
 */
export function mergeFeeds(feeds: readonly Feed[], options: MergeOptions): MergedFeeds {
  const { clock, random, counters } = options;
  const firstRetryMs = options.firstRetryMs ?? 1_000;
  const maxRetryMs = options.maxRetryMs ?? 30_000;
  const bus = createOrderedBus<FeedMessage>();
  let last: EpochMs = Number.NEGATIVE_INFINITY;
  let running = false;
  let stops: (() => void)[] = [];

  function push(message: FeedMessage): void {
    let receivedAt = message.receivedAt;
    if (receivedAt < last) receivedAt = last;
    else if (receivedAt > last) {
      const now = clock.now();
      if (receivedAt > now) receivedAt = Math.max(now, last);
      last = receivedAt;
    }
    // The exception, not the rule: a message that an adapter stamped before it did something slow.
    bus.next(receivedAt === message.receivedAt ? message : { ...message, receivedAt });
  }

  function follow(feed: Feed): () => void {
    let subscription: Subscription | null = null;
    let cancelRetry = (): void => {};
    let failures = 0;
    let over = false;
    /** A feed that failed before it named a connection was reported under its venue's name. */
    let namelessDown = false;
    /** Epoch of each connection that the feed reported as made. */
    const connections = new Map<string, number>();

    function failed(detail: string): void {
      if (over) return;
      counters?.count(feed.venue, 'feed_error');
      const receivedAt = clock.now();
      namelessDown ||= connections.size === 0;
      const sources: readonly (readonly [string, number])[] = connections.size === 0 ? [[feed.venue, 0]] : [...connections];
      connections.clear();
      for (const [source, epoch] of sources) {
        push({ kind: 'feed_status', venue: feed.venue, source, receivedAt, status: 'disconnected', epoch, detail });
      }
      push({
        kind: 'rejection',
        venue: feed.venue,
        source: sources[0]?.[0] ?? feed.venue,
        receivedAt,
        reason: 'venue_error',
        detail,
        sample: '',
      });
      failures++;
      const delay = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 16));
      cancelRetry = clock.deadline(clock.now() + Math.round(delay * (0.5 + random() / 2)), subscribe);
    }

    function subscribe(): void {
      const startedAt = clock.now();
      let ended = false;
      const end = (detail: string): void => {
        if (ended) return;
        ended = true;
        // A feed that held for longer than the longest delay starts over.
        if (clock.now() - startedAt > maxRetryMs) failures = 0;
        failed(detail);
      };
      subscription = feed.messages.subscribe({
        next: (message) => {
          if (namelessDown) {
            namelessDown = false;
            const { receivedAt } = message;
            push({ kind: 'feed_status', venue: feed.venue, source: feed.venue, receivedAt, status: 'connected', epoch: 0, detail: '' });
          }
          if (message.kind === 'feed_status') {
            if (message.status === 'connected') connections.set(message.source, message.epoch);
            else connections.delete(message.source);
          }
          push(message);
        },
        error: (error: unknown) => end(`the feed failed: ${error instanceof Error ? error.message : String(error)}`),
        complete: () => end('the feed ended'),
      });
    }

    subscribe();
    return () => {
      over = true;
      cancelRetry();
      subscription?.unsubscribe();
    };
  }

  return {
    stream: bus.stream,
    push,
    start() {
      if (running) return;
      running = true;
      stops = feeds.map(follow);
    },
    stop() {
      for (const stop of stops) stop();
      stops = [];
      running = false;
      bus.complete();
    },
  };
}
