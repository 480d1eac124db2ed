/** The venues of the product and the names of what trades on them. */

/** Venues whose quotes may become orders. */
export const EXECUTABLE_VENUES = ['spotchain', 'spotexchange', 'evmvenue', 'prediction'] as const;
export type ExecutableVenue = (typeof EXECUTABLE_VENUES)[number];

/** Every source of prices. `reference` is the underlying share's price and never executable. */
export const VENUES = [...EXECUTABLE_VENUES, 'reference'] as const;
export type Venue = (typeof VENUES)[number];

/** One tradable or quotable thing on one venue: `spotexchange:BTCUSDT`, `spotchain:AAPLx`, `evmvenue:BTC`, `reference:AAPL`. */
export type InstrumentKey = `${Venue}:${string}`;

/** Joins a venue and the venue's own name of an instrument into the key used everywhere inside. */
export function instrumentKey(venue: Venue, instrument: string): InstrumentKey {
  return `${venue}:${instrument}`;
}

/** Splits a key at its first colon. */
export function splitInstrumentKey(key: InstrumentKey): { venue: Venue; instrument: string } {
  const colon = key.indexOf(':');
  return { venue: key.slice(0, colon) as Venue, instrument: key.slice(colon + 1) };
}

export function isVenue(text: string): text is Venue {
  return (VENUES as readonly string[]).includes(text);
}
