/** Present and missing bars of a range. Nothing is filled in and nothing is cut off silently. */
import type { EpochMs } from '../../../src/domain/values/time.ts';

/** Bars that are missing: those that open from `from` (inclusive) to `to` (exclusive). */
export interface Gap {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly missing: number;
}

/**
 * The gaps between ascending open times within [from, to), on the grid of the timeframe. All times are aligned to it.
 * Which gaps a closed market explains is for the reader to assess.
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
