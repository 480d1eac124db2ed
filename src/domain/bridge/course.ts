/** Course of a transfer: its state and both chains, at each look that changed something. */
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

/** A committed step of a transfer: its new state, and the sighting, if any. */
export interface TransferStep {
  readonly at: EpochMs;
  readonly state: TransferState;
  readonly sighting: Sighting | null;
}

/** Amounts are base units; null while nothing was seen of them. */
export interface TransferPoint {
  readonly at: EpochMs;
  readonly state: TransferState;
  readonly provider: ProviderState;
  readonly source: SourceState;
  readonly arrived: string | null;
  readonly refunded: string | null;
  readonly destination: ArrivalState;
}

/** The points of a transfer that was quoted at an instant, ascending: one for each step after which anything of them was another. */
export function transferCourse(quotedAt: EpochMs, steps: readonly TransferStep[]): readonly TransferPoint[] {
  let axes = FIRST_AXES;
  let seenAt = 0;
  const points = [pointOf(quotedAt, 'quoted', axes)];
  for (const { at, state, sighting } of steps) {
    // A look that was begun before the last one that counted tells nothing new.
    if (sighting !== null && sighting.at >= seenAt) {
      axes = seen(axes, sighting);
      seenAt = sighting.at;
    }
    const point = pointOf(at, state, axes);
    if (JSON.stringify({ ...points.at(-1), at }) !== JSON.stringify(point)) points.push(point);
  }
  return points;
}

function pointOf(at: EpochMs, state: TransferState, { provider, source, destination, refund }: TransferAxes): TransferPoint {
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
