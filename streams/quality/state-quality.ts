/** Quality of a market state at an instant, by its age and its venue's connectivity. */
import type { VenueState } from '../../src/domain/market/market-state.ts';
import type { Quality, QualityFlag } from '../../src/domain/market/quote.ts';
import { type EpochMs, isOutdated } from '../../src/domain/values/time.ts';
import { FEED_DOWN, toFlags, toFlagBits, OVER_AGE, qualityWith } from './flag-bits.ts';

/** Milliseconds after which a venue state is outdated, because no process follows the venue. It is renewed every second. */
export const VENUE_STATE_MAX_AGE_MS = 10_000;

interface StateQuality {
  readonly ageMs: number;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** True if the venue is received: its state is fresh, and its feed is up. */
export function isReceived(venueState: VenueState | null, at: EpochMs): boolean {
  return venueState !== null && !isOutdated(venueState.receivedAt, at, VENUE_STATE_MAX_AGE_MS) && venueState.hearing !== 'feed_down';
}

/** Returns age and quality of a state. Its feed's own quality is kept if worse. */
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
  const knownAt = Math.min(state.observedAt, state.receivedAt);
  const ageMs = Math.max(0, at - knownAt);
  let bits = toFlagBits(state.flags ?? []);
  if (isOutdated(knownAt, at, maxAgeMs)) bits |= OVER_AGE;
  if (!isReceived(venueState, at)) bits |= FEED_DOWN;
  return { ageMs, quality: qualityWith(state.quality ?? 'live', bits), flags: toFlags(bits) };
}
