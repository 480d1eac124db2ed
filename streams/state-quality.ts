/** Quality of a market state at an instant: by its age, and by its venue's connectivity. */
import type { VenueState } from '../src/domain/market/market-state.ts';
import type { Quality, QualityFlag } from '../src/domain/market/quote.ts';
import type { EpochMs } from '../src/domain/values/time.ts';
import { FEED_DOWN, flagsOf, flagBitsOf, OVER_AGE, qualityWith } from './flag-bits.ts';

/** A venue whose state was not renewed for so long is not followed by anybody; it is renewed every second. */
export const VENUE_STATE_MAX_AGE_MS = 10_000;

export interface StateQuality {
  readonly ageMs: number;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** True if the venue is received: its state is fresh, and its feed is not down. */
export function isReceived(venueState: VenueState | null, at: EpochMs): boolean {
  return venueState !== null && at - venueState.receivedAt <= VENUE_STATE_MAX_AGE_MS && venueState.hearing !== 'feed_down';
}

/** Age and quality of a state. What its feed said of it already is kept. */
export function stateQuality(
  state: {
    readonly observedAt: EpochMs;
    readonly receivedAt: EpochMs;
    readonly quality?: Quality;
    readonly flags?: readonly QualityFlag[];
  },
  venueState: VenueState | null,
  at: EpochMs,
  maxAgeMs: number,
): StateQuality {
  const ageMs = Math.max(0, at - Math.min(state.observedAt, state.receivedAt));
  let bits = flagBitsOf(state.flags ?? []);
  if (ageMs > maxAgeMs) bits |= OVER_AGE;
  if (!isReceived(venueState, at)) bits |= FEED_DOWN;
  return { ageMs, quality: qualityWith(state.quality ?? 'live', bits), flags: flagsOf(bits) };
}
