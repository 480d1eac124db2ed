/** Sources of market data, and their origins. */
import { VENUES } from './venue.ts';

/** The venues, the issuers' marks, the newswire and the regulator's filings. */
const DATA_SOURCES = [...VENUES, 'issuer', 'wire', 'filings'] as const;
export type DataSource = (typeof DATA_SOURCES)[number];

/**
 * Origins. `mixed`: the source is real and a part of its data is simulated. `unknown`: received before the service recorded origins. Only
 * `real` counts beside a real venue.
 */
export const SOURCE_ORIGINS = ['real', 'mixed', 'sandbox', 'unknown'] as const;
export type SourceOrigin = (typeof SOURCE_ORIGINS)[number];

/** Origins of the market data behind a result. */
export interface Provenance {
  /** False if every source was real and the time was not moved. */
  readonly simulated: boolean;
  readonly origins: Readonly<Record<string, SourceOrigin>>;
}

/** Origin of a source according to the settings of a deployment. */
export type StatedOrigin = Exclude<SourceOrigin, 'unknown'>;
