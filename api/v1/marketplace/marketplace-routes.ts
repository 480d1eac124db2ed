/** Strategies for sale. */
import type { CheckoutCommands } from '../../../actors/checkout/command-handler.ts';
import type { ListingCommands } from '../../../actors/listing/command-handler.ts';
import type { CheckoutStore } from '../../../src/adapters/store/marketplace/checkout-store.ts';
import type { ListingStore } from '../../../src/adapters/store/marketplace/listing-store.ts';
import { type RouteGroup } from '../../route.ts';
import { beginCheckout } from './checkout.ts';
import { listCheckouts } from './checkouts.ts';
import { getListing } from './get.ts';
import { getCheckout } from './get-checkout.ts';
import { importListing } from './import.ts';
import { listLicences } from './licences.ts';
import { listListings } from './list.ts';
import { listListingPrices } from './prices.ts';
import { publishListing } from './publish.ts';
import { repriceListing } from './reprice.ts';
import { settleCheckout } from './settle.ts';
import { unlistListing } from './unlist.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly marketplace: {
      readonly listings: { readonly reads: Pick<ListingStore, 'list' | 'find' | 'rules' | 'prices'>; readonly commands: ListingCommands };
      readonly checkouts: { readonly reads: Pick<CheckoutStore, 'list' | 'find' | 'licences'>; readonly commands: CheckoutCommands };
    };
  }
}

export const marketplaceRoutes: RouteGroup = {
  tag: {
    name: 'marketplace',
    position: 240,
    description:
      'Strategies for sale and your licences. Publish one manifest version, or buy: check out, sign the payment, settle. The licence is issued when the payment is final on chain. An import is a new draft agent that passes every gate itself.',
  },
  routes: [
    publishListing,
    repriceListing,
    unlistListing,
    listListings,
    getListing,
    listListingPrices,
    beginCheckout,
    settleCheckout,
    importListing,
    listCheckouts,
    getCheckout,
    listLicences,
  ],
};
