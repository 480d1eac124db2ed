/** Periods over which a source of events is known: received by the feed, or contained in an archive. */
import { type Stretch, unitedStretches } from '../values/stretches.ts';
import type { EpochMs } from '../values/time.ts';

/** Source of an archive, and the period for which it is complete. */
export interface ArchivedStretch extends Stretch {
  readonly source: string;
}

/** Returns the periods in which events of a source were received without a gap. */
export function sourceStretches(source: string, received: Stretch | null, archives: readonly ArchivedStretch[]): readonly Stretch[] {
  return unitedStretches([...archives.filter((archive) => archive.source === source), ...(received === null ? [] : [received])]);
}

/** Returns the periods at whose slots every event of a look-back is known. */
export function afterLookback(told: readonly Stretch[], lookbackMs: number): readonly Stretch[] {
  return told.map(({ from, to }) => ({ from: from + lookbackMs, to })).filter(({ from, to }) => from < to);
}

/** Returns the period since the first stored report, in which every source was received. */
export function receivedStretch(firstReceivedAt: EpochMs | null, until: EpochMs): Stretch | null {
  return firstReceivedAt === null || firstReceivedAt >= until ? null : { from: firstReceivedAt, to: until };
}
