/** Clock that starts at a given time and runs faster than the wall clock, for tests over real sockets. */

import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';

/** Most milliseconds that count between two looks at the time. */
const MOST_MS = 3;
const LOOK_EVERY_MS = 1;
/** Looks end so long after the last use, in milliseconds. */
const UNUSED_MS = 1_000;

/**
 * Time of this thread in milliseconds: it passes with its turns. A thread that waits for a processor reads no sockets either, and on a
 * fast clock a tenth of a second of that would be the silence of a venue.
 */
const thread = { ms: 0, lookedAt: 0, usedAt: 0, looks: undefined as ReturnType<typeof setInterval> | undefined };

function look(): number {
  const now = performance.now();
  thread.ms += Math.min(now - thread.lookedAt, MOST_MS);
  thread.lookedAt = now;
  return now;
}

function threadMs(): number {
  thread.usedAt = look();
  thread.looks ??= setInterval(() => {
    if (look() - thread.usedAt < UNUSED_MS) return;
    clearInterval(thread.looks);
    thread.looks = undefined;
  }, LOOK_EVERY_MS).unref();
  return thread.ms;
}

export function acceleratedClock(start: EpochMs, speed: number): Clock {
  const began = threadMs();
  return createLiveClock({
    wall: () => start + (threadMs() - began) * speed,
    monotonic: () => threadMs() * speed,
    timer: (delayMs, call) => {
      const timer = setTimeout(call, delayMs / speed);
      return () => clearTimeout(timer);
    },
  });
}
