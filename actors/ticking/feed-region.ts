/** Chart region of a trading actor's data state, shared by agents and Takes. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey, Venue } from '../../src/domain/market/venue.ts';
import { DATA_DEGRADATION_MS } from '../../src/domain/venues/venue-facts.ts';

/** Degraded venues, and instruments whose own books are broken, sorted. */
export type DegradedFeeds = readonly (Venue | InstrumentKey)[];

/** A venue, or one of its instruments. `leftMs` is the rest of the five seconds since the last good message. */
export type FeedEvent =
  | { readonly type: 'feed.degraded'; readonly venue: Venue | InstrumentKey; readonly leftMs?: number }
  | { readonly type: 'feed.restored'; readonly venue: Venue | InstrumentKey }
  | { readonly type: 'feed.lost' };

/** Returns how long degraded data is tolerated from now on, in milliseconds. */
export function degradedForMs(event: { readonly type: string; readonly leftMs?: number }): EpochMs {
  return event.type === 'feed.degraded' ? (event.leftMs ?? DATA_DEGRADATION_MS) : DATA_DEGRADATION_MS;
}

/** Returns the degraded feeds after an event. */
export function degradedAfter(
  venues: DegradedFeeds,
  event: { readonly type: string; readonly venue?: Venue | InstrumentKey },
): DegradedFeeds {
  const { type, venue } = event;
  if (venue === undefined) return venues;
  if (type === 'feed.degraded') return venues.includes(venue) ? venues : [...venues, venue].sort();
  return type === 'feed.restored' ? venues.filter((one) => one !== venue) : venues;
}

/** True if an event restores the last degraded feed. */
export function isLastRestored(venues: DegradedFeeds, event: { readonly type: string; readonly venue?: Venue | InstrumentKey }): boolean {
  return event.type === 'feed.restored' && venues.every((one) => one === event.venue);
}

const DEGRADED = { actions: 'noteFeed' } as const;
const RESTORED = [{ guard: 'lastVenueRestored', target: 'live', actions: 'noteFeed' }, DEGRADED] as const;

/**
 * Region that tolerates degraded data for five seconds. Lost data then cancels proposals, is reported to people and, by `raiseLost` (the
 * event `feed.lost`), to the other regions of the chart. The chart supplies the action `noteFeed` (`degradedAfter`), the guard
 * `lastVenueRestored` (`isLastRestored`) and the delay `degradedFor` (`degradedForMs`).
 */
export const FEED_REGION = {
  initial: 'live',
  states: {
    live: { on: { 'feed.degraded': { target: 'degraded', actions: 'noteFeed' } } },
    degraded: { after: { degradedFor: 'lost' }, on: { 'feed.degraded': DEGRADED, 'feed.restored': RESTORED } },
    lost: {
      entry: [
        { type: 'cancelProposals', params: { reason: 'data_degraded' } },
        { type: 'alert', params: { what: 'data_degraded' } },
        'raiseLost',
      ],
      on: { 'feed.degraded': DEGRADED, 'feed.restored': RESTORED },
    },
  },
} as const;
