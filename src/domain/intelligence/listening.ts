/** Sources that must be received before "no event" may be said of an asset, and the maximum look-back of rules on events. */
import { CATALOG, type CatalogSource } from '../catalog/catalog.ts';
import { entityNamesOf } from './entities.ts';

/** News agencies' reports. */
export const WIRE_SOURCE = 'news:wire';
export const NEWS_PROVIDER_NAMES = ['alpaca', 'finnhub'] as const;
export type NewsProviderName = (typeof NEWS_PROVIDER_NAMES)[number];

/** Filings of issuers with the regulator. */
export const FILINGS_SOURCE = 'news:filings';

/** Longest look-back of a rule on events, in hours. Events are received, stored and served again for as long. */
export const LONGEST_EVENT_LOOKBACK_HOURS = 720;

const BY_WIRE: readonly string[] = [WIRE_SOURCE];
const BY_WIRE_AND_FILINGS: readonly string[] = [WIRE_SOURCE, FILINGS_SOURCE];
/** Underlyings whose issuer files with the regulator, by the source of the catalog that says so. */
let filers: { readonly of: CatalogSource; readonly underlyings: ReadonlySet<string> } | null = null;

function filersNow(): ReadonlySet<string> {
  if (filers?.of !== CATALOG.source) filers = { of: CATALOG.source, underlyings: new Set(entityNamesOf(CATALOG).ciks.values()) };
  return filers.underlyings;
}

/** The sources that bring an asset's events. While one of them is not received, its events are unknown. */
export function eventSourcesOf(underlying: string): readonly string[] {
  return filersNow().has(underlying) ? BY_WIRE_AND_FILINGS : BY_WIRE;
}
