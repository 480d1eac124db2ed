/** Merges many venue feeds into one ordered stream that nothing can end. */

import { catchError, concat, concatWith, defer, from, merge, Observable, retry, type Subscription, throwError, timer } from 'rxjs';
import type { FeedMessage } from '../src/domain/market/market-event.ts';
import type { DecimalString } from '../src/domain/values/decimal.ts';
import type { EpochMs } from '../src/domain/values/time.ts';
import { errorText } from '../src/domain/values/value-text.ts';
import type { Venue } from '../src/domain/market/venue.ts';
import { backoffMs } from './backoff.ts';
import type { Clock } from './clock/clock.ts';
import { createClockScheduler } from './clock/clock-scheduler.ts';
import type { FeedCounters, UnknownFields } from './feed-counters.ts';
import { createOrderedBus } from './ordered-bus.ts';

/** Polling schedule of a feed that requests its quotes. */
export interface AskingSchedule {
  /** Sets the instruments with live capital or open orders, which are polled first. */
  askFirst(instruments: ReadonlySet<string>): void;
  /** Sets the instruments that agents look at and books hold. The others may be polled half as often while nothing has live capital. */
  attend(instruments: ReadonlySet<string>): void;
  /** Returns the maximum milliseconds between polls of an instrument, or null if it is not polled. */
  everyMs(instrument: string): number | null;
}

/** A venue's live feed. Subscribing connects. */
export interface Feed {
  readonly venue: Venue;
  readonly messages: Observable<FeedMessage>;
  /** Counter of unknown message fields. Absent if they are not counted. */
  readonly unknownFields?: UnknownFields;
  /** Polling schedule of a feed that requests its quotes. */
  readonly schedule?: AskingSchedule;
  /** Receives the last known multipliers of its tokens, by name, before it is subscribed. Absent if its units never change. */
  readonly recallMultipliers?: (known: ReadonlyMap<string, DecimalString>) => void;
}

interface MergeOptions {
  readonly clock: Clock;
  /** Random source for jitter of the delays, 0 <= n < 1. */
  readonly random: () => number;
  readonly counters?: FeedCounters;
  /** First delay before a failed feed is subscribed again, doubled at each failure. Default 1 s. */
  readonly firstRetryMs?: number;
  /** Longest delay. Default 30 s. */
  readonly maxRetryMs?: number;
}

/**
 * Merges feeds into one stream. A feed that throws or ends is reported in band (its connections as `disconnected`, and a counted rejection)
 * and subscribed again after a delay with jitter and cap.
 */
export function mergeFeeds(feeds: readonly Feed[], options: MergeOptions) {
  const bus = createOrderedBus<FeedMessage>();
  const inReceiptOrder = createReceiptOrder(options.clock);
  /** Inserts a message of our own (fetched bars, a tape's event). */
  const push = (message: FeedMessage): void => bus.next(inReceiptOrder(message));
  let running: Subscription | null = null;
  return {
    /** Merged messages. `receivedAt` never decreases. Never errors, and completes only on `stop`. */
    stream: bus.stream,
    push,
    /** Subscribes every feed. */
    start() {
      // `followed` never fails. If it did, the subscriber of the bus would receive the error.
      running ??= merge(...feeds.map((feed) => followed(feed, options))).subscribe({ next: push, error: (error) => bus.error(error) });
    },
    /** Unsubscribes every feed and completes the stream. */
    stop() {
      running?.unsubscribe();
      running = null;
      bus.complete();
    },
  };
}

/** Returns a function that raises a receipt time before an already emitted one to it, and lowers one in the future to now. */
function createReceiptOrder(clock: Clock): (message: FeedMessage) => FeedMessage {
  let last: EpochMs = Number.NEGATIVE_INFINITY;
  return (message) => {
    let { receivedAt } = message;
    if (receivedAt < last) receivedAt = last;
    else if (receivedAt > last) {
      const now = clock.now();
      if (receivedAt > now) receivedAt = Math.max(now, last);
      last = receivedAt;
    }
    // Rare: an adapter stamped the message and then did something slow.
    return receivedAt === message.receivedAt ? message : { ...message, receivedAt };
  };
}

/** Subscribes a feed again whenever it fails or ends, and reports that in band. Never errors, never completes. */
function followed(feed: Feed, options: MergeOptions): Observable<FeedMessage> {
  const { clock, random, counters } = options;
  const bounds = { firstMs: options.firstRetryMs ?? 1_000, mostMs: options.maxRetryMs ?? 30_000 };
  return defer(() => {
    const connections = new Connections(feed.venue);
    let startedAt: EpochMs = 0;
    let failures = 0;
    const lost = (error: unknown): Observable<FeedMessage> => {
      counters?.count(feed.venue, 'feed_error');
      return concat(
        from(connections.lost(error instanceof FeedEnded ? error.message : `the feed failed: ${toText(error)}`, clock.now())),
        throwError(() => error),
      );
    };
    const pause = (): Observable<unknown> => {
      // A feed that lasted longer than the maximum delay starts over.
      if (clock.now() - startedAt > bounds.mostMs) failures = 0;
      failures++;
      return timer(backoffMs(failures, random, bounds), createClockScheduler(clock));
    };
    return defer(() => {
      startedAt = clock.now();
      return connections.of(feed.messages);
    }).pipe(concatWith(throwError(() => new FeedEnded())), catchError(lost), retry({ delay: pause }));
  });
}

class FeedEnded extends Error {
  constructor() {
    super('the feed ended');
  }
}

function toText(error: unknown): string {
  return errorText(error);
}

/** Connections that a feed reported as made, so that they can be reported as lost if the feed itself cannot. */
class Connections {
  readonly #venue: Venue;
  /** Epoch of each open connection. */
  readonly #up = new Map<string, number>();
  /** True if the feed failed before naming a connection, and was reported under its venue's name. */
  #namelessDown = false;

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  /** Passes on messages. Before the first one after a nameless failure, reports that it is over. */
  of(messages: Observable<FeedMessage>): Observable<FeedMessage> {
    return new Observable((subscriber) =>
      messages.subscribe({
        next: (message) => {
          if (this.#namelessDown) {
            this.#namelessDown = false;
            subscriber.next(this.#status(this.#venue, 'connected', 0, '', message.receivedAt));
          }
          if (message.kind === 'feed_status') {
            if (message.status === 'connected') this.#up.set(message.source, message.epoch);
            else this.#up.delete(message.source);
          }
          subscriber.next(message);
        },
        error: (error) => subscriber.error(error),
        complete: () => subscriber.complete(),
      }),
    );
  }

  /** Returns the messages of a failed feed: every connection is lost, and the failure counts as a rejection. */
  lost(detail: string, receivedAt: EpochMs): FeedMessage[] {
    const venue = this.#venue;
    if (this.#up.size === 0) this.#namelessDown = true;
    const sources: readonly (readonly [string, number])[] = this.#up.size === 0 ? [[venue, 0]] : [...this.#up];
    this.#up.clear();
    return [
      ...sources.map(([source, epoch]) => this.#status(source, 'disconnected', epoch, detail, receivedAt)),
      { kind: 'rejection', venue, source: sources[0]?.[0] ?? venue, receivedAt, reason: 'venue_error', detail, sample: '' },
    ];
  }

  #status(source: string, status: 'connected' | 'disconnected', epoch: number, detail: string, receivedAt: EpochMs): FeedMessage {
    return { kind: 'feed_status', venue: this.#venue, source, receivedAt, status, epoch, detail };
  }
}
