/** Decimals of an instrument's price step. */
import { findPublishedStep, priceStepExponent } from '../../../src/domain/market/published-steps.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { CatalogEntry } from '../api.ts';

/** Counts the decimals of the price step near a price. @param kind Undefined for an instrument outside the catalog. */
export function countTickDecimals(key: string, kind: CatalogEntry['kind'] | undefined, price: string): number {
  const { tick } = findPublishedStep(key as InstrumentKey, kind);
  const decimals = tick.split('.')[1]?.length ?? 0;
  return decimals - priceStepExponent(key as InstrumentKey, Math.floor(Number(price) / Number(tick)), decimals);
}
