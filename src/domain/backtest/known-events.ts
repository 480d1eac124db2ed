/** Periods over which a source of events is known: received by the feed, or contained in an archive. */
import { EVENTS_KEPT_MS, FILINGS_SOURCE, WIRE_SOURCE } from '../intelligence/listening.ts';
import type { Report } from '../intelligence/report.ts';
import { type Stretch, unitedStretches } from '../values/stretches.ts';
import { DAY_MS, type EpochMs } from '../values/time.ts';

/** Source of events, and a period for which it is complete. */
export interface EventStretch extends Stretch {
  readonly source: string;
}

/** Returns the periods for which a source is complete. */
export function sourceStretches(source: string, complete: readonly EventStretch[]): readonly Stretch[] {
  return unitedStretches(complete.filter((one) => one.source === source));
}

/**
 * Returns the periods at whose slots every event of a look-back is known, as of an instant. Reception knows the look-back from its first
 * moment, because a feed begins with the events of the longest one; an archive knows it only from a look-back after its start.
 */
export function knownEvents(
  source: string,
  lookbackMs: number,
  { received, archives }: { readonly received: readonly EventStretch[]; readonly archives: readonly EventStretch[] },
  at: EpochMs,
): readonly Stretch[] {
  // A run may begin a while after its request, when more reports are deleted.
  const keptSince = at - EVENTS_KEPT_MS + DAY_MS;
  const heard = sourceStretches(source, received).flatMap(({ from, to }) => {
    const kept = { from: Math.max(from, keptSince + lookbackMs), to: Math.min(to, at) };
    return kept.from < kept.to ? [kept] : [];
  });
  const told = unitedStretches([...sourceStretches(source, archives), ...heard]);
  const looked = told.map(({ from, to }) => ({ from: from + lookbackMs, to })).filter(({ from, to }) => from < to);
  return unitedStretches([...looked, ...heard]);
}

/** True if a received report of the wire or of a filing arrived without a gap of reception since its publication. */
export function cameInTime({ channel, publishedAt, receivedAt }: Report, received: readonly EventStretch[]): boolean {
  const source = channel === 'filing' ? FILINGS_SOURCE : WIRE_SOURCE;
  return sourceStretches(source, received).some(({ from, to }) => from <= publishedAt && receivedAt < to);
}
