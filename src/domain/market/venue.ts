/** Venues of the product, and keys of the instruments on them. */
import { evmvenue } from '../venues/evmvenue.ts';
import { prediction } from '../venues/prediction.ts';
import { reference } from '../venues/reference.ts';
import { spotchain } from '../venues/spotchain.ts';
import { spotexchange } from '../venues/spotexchange.ts';
import type { VenueFacts } from '../venues/venue-facts.ts';

/** All sources of prices, in display order. */
const FACTS = { spotchain, spotexchange, evmvenue, prediction, reference } as const;

/** `reference` is the price of the underlying share and never executable. */
export type Venue = keyof typeof FACTS;
/** Venues whose quotes may become orders. */
export type ExecutableVenue = { [Name in Venue]: (typeof FACTS)[Name]['executable'] extends true ? Name : never }[Venue];

export const VENUE_FACTS: Readonly<Record<Venue, VenueFacts>> = FACTS;
export const VENUES = Object.keys(FACTS) as readonly Venue[];
export const EXECUTABLE_VENUES = VENUES.filter((venue) => isExecutable(venue));

/** True if quotes of a venue may become orders. */
export function isExecutable(venue: Venue): venue is ExecutableVenue {
  return VENUE_FACTS[venue].executable;
}

/** Key of one instrument on one venue: `spotexchange:BTCUSDT`, `spotchain:AAPLx`, `evmvenue:BTC`, `reference:AAPL`. */
export type InstrumentKey = `${Venue}:${string}`;

/** Joins a venue and its instrument name into a key. */
export function instrumentKey(venue: Venue, instrument: string): InstrumentKey {
  return `${venue}:${instrument}`;
}

/** Splits a key at its first colon. */
export function splitInstrumentKey(key: InstrumentKey): { venue: Venue; instrument: string } {
  const colon = key.indexOf(':');
  return { venue: key.slice(0, colon) as Venue, instrument: key.slice(colon + 1) };
}

export function isVenue(text: string): text is Venue {
  return Object.hasOwn(FACTS, text);
}
