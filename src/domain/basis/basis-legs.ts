/** Instruments on which the basis is watched, and the legs of each. Pure. */
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** True for what has a second leg: a token with a reference price, or a spot instrument with a perpetual. */
export function hasBasis({ kind, pairedPerp }: Pick<CatalogEntry, 'kind' | 'pairedPerp'>): boolean {
  return kind === 'tokenized_equity' || (kind === 'spot' && pairedPerp !== null);
}

/** The instruments that quotes are received for: what the basis is watched on and its perpetuals, each once. */
export function quotedLegs(entries: readonly CatalogEntry[]): ReadonlySet<InstrumentKey> {
  return new Set(entries.filter(hasBasis).flatMap(({ key, pairedPerp }) => (pairedPerp === null ? [key] : [key, pairedPerp])));
}

/** The series whose hourly bars are looked at: every leg of the basis for its half-life, pre-IPO tokens for their momentum. */
export function hourlySeries(entries: readonly CatalogEntry[]): ReadonlySet<InstrumentKey> {
  const legs = entries.filter(hasBasis).flatMap(({ key, benchmark, pairedPerp }) => [key, benchmark, pairedPerp]);
  const tokens = entries.filter(({ kind }) => kind === 'pre_ipo').map(({ key }) => key);
  return new Set([...legs.filter((key) => key !== null), ...tokens]);
}
