/** Newest market states of one kind, and the state of their venues, from one read. */
import { type MarketState, type MarketStateKind, marketStateKey, type VenueState } from '../../../src/domain/market/market-state.ts';
import type { Venue } from '../../../src/domain/market/venue.ts';

/** Newest venue states besides quotes, in memory, by `marketStateKey`. */
export interface MarketStateReads {
  snapshot(): readonly MarketState[];
  latest(key: string): MarketState | null;
}

type StateOf<Kind extends MarketStateKind> = Extract<MarketState, { readonly kind: Kind }>;

/** Returns every state of a kind. */
export function listStates<Kind extends MarketStateKind>(states: MarketStateReads, kind: Kind): StateOf<Kind>[] {
  return states.snapshot().filter((state): state is StateOf<Kind> => state.kind === kind);
}

/** Returns the reception of a venue, or null if nothing reports it. */
export function findVenueState(states: MarketStateReads, venue: Venue): VenueState | null {
  const state = states.latest(marketStateKey({ kind: 'venue_state', venue }));
  return state?.kind === 'venue_state' ? state : null;
}
