/** Subscribing without fear: a consumer that throws costs one event, never the stream, never the process. */
import type { Observable, Subscription } from 'rxjs';

/** What happened to a consumer. `during` says whether it threw on an event or the stream itself failed. */
export interface ConsumerFailure {
  readonly error: unknown;
  readonly during: 'consume' | 'stream';
}

/** A subscription that counts. */
export interface SafeSubscription {
  readonly subscription: Subscription;
  /** Events that the consumer took without throwing. */
  readonly consumed: number;
  /** Events on which the consumer threw. */
  readonly failed: number;
}

/**
 * Subscribes a consumer so that its exceptions are counted and reported, and the next event comes all the same. The
 * only way to subscribe to a shared stream: a bare subscriber's exception ends up as an uncaught one of the process.
 * `onFailure` must not throw; where it does, that is swallowed too, for there is nobody left to tell.
 */
export function safeConsume<T>(
  stream: Observable<T>,
  consume: (value: T) => void,
  onFailure: (failure: ConsumerFailure) => void,
): SafeSubscription {
  let consumed = 0;
  let failed = 0;
  const report = (failure: ConsumerFailure): void => {
    try {
      onFailure(failure);
    } catch {
      // Reported as far as it could be.
    }
  };
  const subscription = stream.subscribe({
    next: (value) => {
      try {
        consume(value);
        consumed++;
      } catch (error) {
        failed++;
        report({ error, during: 'consume' });
      }
    },
    error: (error) => report({ error, during: 'stream' }),
  });
  return {
    subscription,
    get consumed() {
      return consumed;
    },
    get failed() {
      return failed;
    },
  };
}
