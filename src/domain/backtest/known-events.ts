/** The stretches over which a source of events is known: received by the feed, or held by an archive. */
import { type Stretch, unitedStretches } from '../values/stretches.ts';
import type { EpochMs } from '../values/time.ts';

/** An archive's source and the times between which it is complete. */
export interface ArchivedStretch extends Stretch {
  readonly source: string;
}

/** Stretches in which events of one source were received without a gap. */
export function sourceStretches(source: string, received: Stretch | null, archives: readonly ArchivedStretch[]): readonly Stretch[] {
  return unitedStretches([...archives.filter((archive) => archive.source === source), ...(received === null ? [] : [received])]);
}

/** The slots at which every event of a look-back is known. */
export function afterLookback(told: readonly Stretch[], lookbackMs: number): readonly Stretch[] {
  return told.map(({ from, to }) => ({ from: from + lookbackMs, to })).filter(({ from, to }) => from < to);
}

/** Returns the stretch since the first kept report, throughout which every source was received. */
export function receivedStretch(firstReceivedAt: EpochMs | null, until: EpochMs): Stretch | null {
  return firstReceivedAt === null || firstReceivedAt >= until ? null : { from: firstReceivedAt, to: until };
}
