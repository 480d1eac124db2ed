/** Asking a provider again and again: one loop for everything that is polled, with its signs of life and its patience. */
import { Observable } from 'rxjs';
import type { Clock } from '../../../streams/clock.ts';
import type { FeedMessage } from '../../domain/market-event.ts';
import type { RejectionReason } from '../../domain/quote.ts';
import { VenueError } from './venue-feed.ts';
import { backoffMs, rejection } from './venue-socket.ts';

/** What one asking gave. */
export interface Reading<Message> {
  readonly messages: readonly Message[];
  /** Why parts of the answer could not be used: each is counted. */
  readonly rejected?: readonly Rejected[];
  /** True where there is more to read at once. */
  readonly more?: boolean;
}

export interface Rejected {
  readonly reason: RejectionReason;
  readonly detail: string;
}

export interface PollingOptions<Message> {
  /** `<provider>:<what>`. */
  readonly source: string;
  readonly everyMs: number;
  readonly clock: Clock;
  /** For the jitter, 0 <= n < 1. */
  readonly random: () => number;
  /** Begins anew with every subscription. Its `ask` throws VenueError where the provider refuses or answers something else. */
  readonly open: () => {
    ask(): Promise<Reading<Message>>;
    /** Hears of every failure before the pause. */
    failed?(error: unknown): void;
  };
}

/** Of a period, so that many processes and sources do not ask in step. */
const JITTER = 0.1;

/**
 * Asks at once and then every `everyMs` give or take a tenth. Each round that succeeds is a heartbeat; the first failure
 * of an outage is a `disconnected`, and the pause grows from half a second up to the period, or to the provider's own
 * Retry-After where that is longer. What cannot be read is counted by reason. Never errors and never completes.
 */
export function poll<Message>(options: PollingOptions<Message>): Observable<Message | FeedMessage> {
  const { source, everyMs, clock, random } = options;
  return new Observable((subscriber) => {
    const provider = options.open();
    let stopped = false;
    let connected = false;
    let epoch = 0;
    let failures = 0;
    let cancel = (): void => {};

    function status(word: 'connected' | 'disconnected', detail: string): void {
      subscriber.next({ kind: 'feed_status', venue: 'reference', source, receivedAt: clock.now(), status: word, epoch, detail });
    }

    function refuse({ reason, detail }: Rejected): void {
      subscriber.next(rejection('reference', source, clock.now(), reason, detail, ''));
    }

    async function round(): Promise<void> {
      for (;;) {
        const { messages, rejected = [], more = false } = await provider.ask();
        if (stopped) return;
        failures = 0;
        if (!connected) {
          connected = true;
          epoch += 1;
          status('connected', '');
        }
        for (const one of rejected) refuse(one);
        for (const message of messages) subscriber.next(message);
        if (!more || stopped) return;
      }
    }

    function pauseAfter(error: unknown): number {
      failures += 1;
      provider.failed?.(error);
      if (error instanceof VenueError && error.status >= 200 && error.status < 300)
        refuse({ reason: error.code === 'not_json' ? 'not_json' : 'unknown_shape', detail: error.message });
      if (connected || failures === 1) status('disconnected', (error as Error).message);
      connected = false;
      const told = error instanceof VenueError ? (error.retryAfterMs ?? 0) : 0;
      return Math.max(Math.min(everyMs, backoffMs(failures, random)), told);
    }

    async function tick(): Promise<void> {
      let pause = everyMs * (1 + JITTER * (2 * random() - 1));
      try {
        await round();
        if (!stopped) subscriber.next({ kind: 'heartbeat', venue: 'reference', source, receivedAt: clock.now() });
      } catch (error) {
        if (stopped) return;
        pause = pauseAfter(error);
      }
      if (!stopped) cancel = clock.deadline(clock.now() + pause, () => void tick());
    }

    void tick();
    return () => {
      stopped = true;
      cancel();
    };
  });
}
