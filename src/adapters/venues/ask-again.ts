/** The one loop of everything that is asked again and again: round after round, with a backoff after failures. */
import { createClockScheduler } from '../../../streams/clock/clock-scheduler.ts';
import { catchError, concat, defer, from, type Observable, type ObservableInput, race, repeat, retry, tap, throwError, timer } from 'rxjs';
import { backoffMs } from '../../../streams/backoff.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { VenueError } from './venue-feed.ts';

interface AskAgainOptions<Message> {
  readonly clock: Clock;
  /** Asks once and emits what is to be told; fails if the provider refuses or stays silent. */
  readonly round: () => ObservableInput<Message>;
  /** Milliseconds between the end of a round and the next one. */
  readonly pauseMs: () => number;
  /** Returns the messages for the `failures`-th failure in a row. */
  readonly failed: (error: unknown, failures: number) => readonly Message[];
  /** Milliseconds to the next attempt after the `failures`-th failure in a row. */
  readonly retryMs: (error: unknown, failures: number) => number;
  /** Ends a pause at once. */
  readonly wake?: Observable<unknown>;
}

/** Asks at once when it is subscribed, and again until it is unsubscribed. Never errors and never completes. */
export function askAgain<Message>({ clock, round, pauseMs, failed, retryMs, wake }: AskAgainOptions<Message>): Observable<Message> {
  return defer(() => {
    let failures = 0;
    const told = (error: unknown): Observable<Message> => {
      failures += 1;
      return concat(
        from(failed(error, failures)),
        throwError(() => error),
      );
    };
    const pause = (ms: number): Observable<unknown> => {
      const over = timer(ms, createClockScheduler(clock));
      return wake === undefined ? over : race(over, wake);
    };
    return defer(round).pipe(
      tap({
        complete: () => {
          failures = 0;
        },
      }),
      repeat({ delay: () => pause(pauseMs()) }),
      catchError(told),
      retry({ delay: (error) => pause(retryMs(error, failures)) }),
    );
  });
}

/** The backoff of a failure in milliseconds, or the provider's own Retry-After if that is longer. */
export function retryPauseMs(error: unknown, failures: number, random: () => number): number {
  return Math.max(error instanceof VenueError ? (error.retryAfterMs ?? 0) : 0, backoffMs(failures, random));
}
