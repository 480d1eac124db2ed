/** Instruments whose basis is tracked, and their legs. Pure. */
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** True if an instrument has a second leg: a token with a reference price, or a spot instrument with a perpetual. */
export function hasBasis({ kind, pairedPerp }: Pick<CatalogEntry, 'kind' | 'pairedPerp'>): boolean {
  return kind === 'tokenized_equity' || (kind === 'spot' && pairedPerp !== null);
}

/** Returns the instruments to quote: those with a basis and their perpetuals, each once. */
export function quotedLegs(entries: readonly CatalogEntry[]): ReadonlySet<InstrumentKey> {
  return new Set(entries.filter(hasBasis).flatMap(({ key, pairedPerp }) => (pairedPerp === null ? [key] : [key, pairedPerp])));
}

/** Returns the series of hourly bars to read: every leg of the basis for its half-life, and pre-IPO tokens for their momentum. */
export function hourlySeries(entries: readonly CatalogEntry[]): ReadonlySet<InstrumentKey> {
  const legs = entries.filter(hasBasis).flatMap(({ key, benchmark, pairedPerp }) => [key, benchmark, pairedPerp]);
  const tokens = entries.filter(({ kind }) => kind === 'pre_ipo').map(({ key }) => key);
  return new Set([...legs.filter((key) => key !== null), ...tokens]);
}
