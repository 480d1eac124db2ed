/** The clock of a live process: system time that runs backwards only where a wrong one is corrected, and timers of any length. */
import type { EpochMs } from '../src/domain/values/time.ts';
import type { Clock } from './clock.ts';

/** The longest delay that setTimeout keeps; a longer one fires at once, so longer waits are cut into pieces. */
export const MAX_TIMEOUT_MS = 2_147_483_647;

/** Time readings of the live clock. A test may supply its own. */
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

/** The system's time, ahead by so many milliseconds: that of a sandbox whose time was moved on. */
export function aheadOfSystem(aheadMs: () => number): TimeSource {
  return { ...SYSTEM, wall: () => SYSTEM.wall() + aheadMs() };
}

/** A system time that steps back by more than this was wrong before: the clock steps with it. */
const MAX_SLEW_MS = 10_000;

/** A timer that fires later than this was held up by its own process, which has not read its sockets meanwhile either. */
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
  /** Total by which the clock has stepped back, in milliseconds. */
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
      // A timer may fire a little early by the system's time: the rest is waited again.
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
