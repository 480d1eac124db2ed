/** Clock of a live process: system time that runs backwards only to correct a wrong time, and timers of any length. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from './clock.ts';

/** Maximum delay of setTimeout. A longer one would fire at once, so longer waits are split. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

/** Sources of time for the live clock. Tests may supply their own. */
export interface TimeSource {
  /** Returns the system time in milliseconds since the epoch. May step. */
  wall(): number;
  /** Returns elapsed milliseconds. Never steps. */
  monotonic(): number;
  /** Calls once after `delayMs` (at most `MAX_TIMEOUT_MS`). Returns a function that cancels it. */
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

/** Returns system time that is ahead by the given milliseconds, for a sandbox whose time was moved. */
export function aheadOfSystem(aheadMs: () => number): TimeSource {
  return { ...SYSTEM, wall: () => SYSTEM.wall() + aheadMs() };
}

/** Maximum backward step in milliseconds that is smoothed. After a larger one the earlier time was wrong, and the clock steps too. */
const MAX_SLEW_MS = 10_000;

/** Delay in milliseconds from which a timer shows that its process was held up, and has not read its sockets either. */
const HELD_UP_MS = 50;

/**
 * Makes the clock of a live process. It follows the system's time; if that steps back by up to ten seconds (NTP), it
 * goes on at half speed until the system has caught up, so that nothing is received before what came before it. A larger
 * step is the correction of a wrong time: the clock steps too, and deadlines that were set before keep their delay.
 *
 * If the process was held up, a deadline calls only after what arrived meanwhile was read: what waits in a socket is no silence.
 */
export function createLiveClock(source: TimeSource = SYSTEM): Clock {
  let current = source.wall();
  let elapsed = source.monotonic();
  /** Total milliseconds by which the clock has stepped back. */
  let steppedMs = 0;

  function now(): EpochMs {
    const wall = source.wall();
    const monotonic = source.monotonic();
    if (wall >= current) current = wall;
    else if (current - wall > MAX_SLEW_MS) {
      steppedMs += current + Math.max(monotonic - elapsed, 0) - wall;
      current = wall;
    } else current += Math.max(monotonic - elapsed, 0) / 2;
    elapsed = monotonic;
    return Math.floor(current);
  }

  function deadline(at: EpochMs, call: () => void): () => void {
    let cancelled = false;
    let hasRead = false;
    let cancelTimer = (): void => {};
    now();
    const steppedBefore = steppedMs;
    const leftMs = (): number => at - now() - (steppedMs - steppedBefore);
    const wait = (): void => {
      // A timer may fire slightly early by the system time. Then the rest is waited again.
      cancelTimer = source.timer(Math.min(Math.max(Math.ceil(leftMs()), 0), MAX_TIMEOUT_MS), () => {
        if (cancelled) return;
        const left = leftMs();
        if (left > 0) wait();
        else if (left < -HELD_UP_MS && !hasRead) {
          hasRead = true;
          wait();
        } else {
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

  return { now, elapsed: () => source.monotonic(), deadline };
}
