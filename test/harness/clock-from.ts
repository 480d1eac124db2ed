// Live clock shifted to another time, for tests of requests about "today".
import type { Clock } from '../../streams/clock/clock.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';

/** Creates a live clock that shows `at` now. */
export function clockFrom(at: number): Clock {
  const live = createLiveClock();
  const aheadMs = live.now() - at;
  return { ...live, now: () => live.now() - aheadMs, deadline: (then, call) => live.deadline(then + aheadMs, call) };
}
