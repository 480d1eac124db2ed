/** Finds the missing bars of a range. Nothing is filled in or cut off silently. */
import type { EpochMs } from '../../../src/domain/values/time.ts';

/** Missing bars that open from `from` (inclusive) to `to` (exclusive). */
interface Gap {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly missing: number;
}

/**
 * Returns the gaps between ascending open times within [from, to), on the grid of the timeframe. All times are aligned to it. The reader
 * decides which gaps a closed market explains.
 */
export function gapsOf(openTimes: readonly EpochMs[], from: EpochMs, to: EpochMs, timeframeLength: number): Gap[] {
  const gaps: Gap[] = [];
  let expected = from;
  const close = (until: EpochMs): void => {
    if (until > expected) gaps.push({ from: expected, to: until, missing: Math.round((until - expected) / timeframeLength) });
  };
  for (const openTime of openTimes) {
    close(openTime);
    expected = openTime + timeframeLength;
  }
  close(to);
  return gaps;
}
