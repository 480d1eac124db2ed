/** The clock of a live process: system time that never runs backwards, and timers of any length. */
import type { EpochMs } from '../src/domain/time.ts';
import type { Clock } from './clock.ts';
import { createClockScheduler } from './clock-scheduler.ts';

/** The longest delay that setTimeout keeps; a longer one fires at once, so longer waits are cut into pieces. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

/** What the live clock reads; a test may supply its own. */
export interface TimeSource {
  /** System time, milliseconds since the epoch; may step. */
  wall(): number;
  /** Elapsed milliseconds; never steps. */
  monotonic(): number;
  /** Calls once after `delayMs` (at most `MAX_TIMEOUT_MS`); returns what cancels it. */
  timer(delayMs: number, call: () => void): () => void;
}

const SYSTEM: TimeSource = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  timer: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Makes the clock of a live process. It follows the system's time; where that steps back (NTP, an operator), it goes
 * on at half speed until the system has caught up, so that nothing is ever received before what came before it.
 */
export function createLiveClock(source: TimeSource = SYSTEM): Clock {
  let current = source.wall();
  let elapsed = source.monotonic();

  function now(): EpochMs {
    const wall = source.wall();
    const monotonic = source.monotonic();
    current = wall >= current ? wall : current + Math.max(monotonic - elapsed, 0) / 2;
    elapsed = monotonic;
    return Math.floor(current);
  }

  function deadline(at: EpochMs, call: () => void): () => void {
    let cancelled = false;
    let cancelTimer = (): void => {};
    const wait = (): void => {
      // A timer may fire a little early by the system's time: the rest is waited again.
      cancelTimer = source.timer(Math.min(Math.max(Math.ceil(at - now()), 0), MAX_TIMEOUT_MS), () => {
        if (cancelled) return;
        if (now() < at) wait();
        else {
          cancelled = true;
          call();
        }
      });
    };
    wait();
    return () => {
      cancelled = true;
      cancelTimer();
    };
  }

  return { now, scheduler: createClockScheduler({ now, deadline }), deadline };
}
