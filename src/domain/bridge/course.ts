/** History of a transfer: its state and both chains at each read that changed something. */
import type { EpochMs } from '../values/time.ts';
import {
  type ArrivalState,
  FIRST_AXES,
  type ProviderState,
  type Sighting,
  type SourceState,
  seen,
  type TransferAxes,
  type TransferState,
} from './axes.ts';

/** A committed step of a transfer: its new state, and the reading, if any. */
export interface TransferStep {
  readonly at: EpochMs;
  readonly state: TransferState;
  readonly sighting: Sighting | null;
}

/** A point of the history. Amounts are base units, or null while nothing was seen. */
interface TransferPoint {
  readonly at: EpochMs;
  readonly state: TransferState;
  readonly provider: ProviderState;
  readonly source: SourceState;
  readonly arrived: string | null;
  readonly refunded: string | null;
  readonly destination: ArrivalState;
}

/** Returns the points of a transfer quoted at an instant, ascending: one for each step that changed something. */
export function transferCourse(quotedAt: EpochMs, steps: readonly TransferStep[]): readonly TransferPoint[] {
  let axes = FIRST_AXES;
  let seenAt = 0;
  const points = [toPoint(quotedAt, 'quoted', axes)];
  for (const { at, state, sighting } of steps) {
    // A read that began before the last counted one is outdated.
    if (sighting !== null && sighting.at >= seenAt) {
      axes = seen(axes, sighting);
      seenAt = sighting.at;
    }
    const point = toPoint(at, state, axes);
    if (JSON.stringify({ ...points.at(-1), at }) !== JSON.stringify(point)) points.push(point);
  }
  return points;
}

function toPoint(at: EpochMs, state: TransferState, { provider, source, destination, refund }: TransferAxes): TransferPoint {
  return {
    at,
    state,
    provider: provider.state,
    source: source.state,
    destination: destination.state,
    arrived: destination.amount,
    refunded: refund.amount,
  };
}
