/** Commands of marketplace listings, as the API calls them. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';

/** Listing to publish. It makes no claims about the strategy. Those come from the track record. */
export interface ListingWish {
  readonly agentId: string;
  readonly manifestVersion: number;
  readonly priceUsd: DecimalString;
  /** Base58. A wallet of the primary chain that the organization has proved. */
  readonly payoutWallet: string;
  readonly categories: readonly string[];
}
