/** Looks up an instrument as one of the catalog or as the reference price of one. */
import type { Catalog } from '../../../src/domain/catalog/catalog.ts';
import { instrumentKey, type Venue } from '../../../src/domain/market/venue.ts';

export const NO_INSTRUMENT = 'there is no such instrument on this venue; GET /v1/catalog lists them';

export function knownInstrument(catalog: Catalog, venue: Venue, instrument: string): boolean {
  const key = instrumentKey(venue, instrument);
  return catalog.byKey(key) !== undefined || (venue === 'reference' && catalog.entries.some((entry) => entry.benchmark === key));
}
