/** Sources of market data, and how real each of them is. */
import { VENUES } from './venue.ts';

/** The venues, the issuers' marks, the newswire and the regulator's filings. */
export const DATA_SOURCES = [...VENUES, 'issuer', 'wire', 'filings'] as const;
export type DataSource = (typeof DATA_SOURCES)[number];

/**
 * `mixed`: the source trades or quotes for real and a part of its data is simulated. `unknown`: received before the service
 * wrote down what its sources are. Only `real` counts beside a real venue.
 */
export const SOURCE_ORIGINS = ['real', 'mixed', 'sandbox', 'unknown'] as const;
export type SourceOrigin = (typeof SOURCE_ORIGINS)[number];

/** Origins of the market data that a result stands on. */
export interface Provenance {
  /** False if every source was real while the result was made, and its time was not moved. */
  readonly simulated: boolean;
  readonly origins: Readonly<Record<string, SourceOrigin>>;
}

/** Origin of a source by the settings of a deployment. */
export type StatedOrigin = Exclude<SourceOrigin, 'unknown'>;
