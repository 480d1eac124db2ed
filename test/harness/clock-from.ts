// The clock of the wall, begun at another instant: what is asked for "today" is then asked for on that day.
import type { Clock } from '../../streams/clock/clock.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';

/** A live clock that stands at `at` now. */
export function clockFrom(at: number): Clock {
  const live = createLiveClock();
  const aheadMs = live.now() - at;
  return { ...live, now: () => live.now() - aheadMs, deadline: (then, call) => live.deadline(then + aheadMs, call) };
}
