/** Ports of the marketplace routes. */
import type { CheckoutCommands } from '../../../actors/checkout/commands.ts';
import type { CheckoutView, Licence } from '../../../actors/checkout/resource.ts';
import type { ListingCommands } from '../../../actors/listing/commands.ts';
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import type { Listing } from '../../../src/domain/marketplace/listing.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { Page, PageOf } from '../../page.ts';

/** Filter of listings. Null leaves a condition out. */
export interface ListingFilter {
  readonly category: string | null;
  /** Text to find anywhere in name or description, ignoring case. */
  readonly search: string | null;
  readonly maxPriceUsd: DecimalString | null;
  /** True for the organization's own listings, including unlisted ones. */
  readonly mine: boolean;
}

/** Reads of the marketplace, newest first. Every listing is for everybody; rules are for their creator and for licence holders. */
export interface ListingReads {
  list(orgId: string, filter: ListingFilter, page: Page): Promise<PageOf<Listing>>;
  find(orgId: string, id: string): Promise<Listing | null>;
  /** Null if the organization may not read them. */
  rules(orgId: string, id: string): Promise<Manifest | null>;
  prices(orgId: string, id: string, page: Page): Promise<PageOf<{ readonly priceUsd: DecimalString; readonly at: EpochMs }>>;
}

/** Checkouts and licences of the organization, newest first; a foreign one answers null, exactly as a missing one. */
export interface CheckoutReads {
  list(orgId: string, page: Page): Promise<PageOf<CheckoutView>>;
  find(orgId: string, id: string): Promise<CheckoutView | null>;
  licences(orgId: string, page: Page): Promise<PageOf<Licence>>;
}

export interface MarketplacePorts {
  readonly listings: { readonly reads: ListingReads; readonly commands: ListingCommands };
  readonly checkouts: { readonly reads: CheckoutReads; readonly commands: CheckoutCommands };
}
