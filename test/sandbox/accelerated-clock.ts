/** Clock that starts at a given time and runs faster than the wall clock, for tests over real sockets. */

import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';

export function acceleratedClock(start: EpochMs, speed: number): Clock {
  const began = performance.now();
  return createLiveClock({
    wall: () => start + (performance.now() - began) * speed,
    monotonic: () => performance.now() * speed,
    timer: (delayMs, call) => {
      const timer = setTimeout(call, delayMs / speed);
      return () => clearTimeout(timer);
    },
  });
}
