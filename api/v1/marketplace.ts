/** Strategies for sale: listings, checkouts and licences. */
import { type Static, Type } from 'typebox';
import { type CheckoutCommands, NO_CHECKOUT } from '../../actors/checkout/commands.ts';
import { type CheckoutView, checkout, type Licence, licence } from '../../actors/checkout/resource.ts';
import type { ListingCommands } from '../../actors/listing/commands.ts';
import { type Listing, listing } from '../../actors/listing/resource.ts';
import type { CheckoutStore } from '../../src/adapters/store/marketplace/checkout-store.ts';
import type { ListingStore } from '../../src/adapters/store/marketplace/listing-store.ts';
import { NO_AGENT } from '../../src/domain/agents/agent.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { licencePrice, listingCategories, NO_LISTING } from '../../src/domain/marketplace/listing.ts';
import { isAddress } from '../../src/domain/solana/base58.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { malformed } from '../http/strict-json.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath, isUuid } from '../identifier.ts';
import { sendProblem, sendRefusal } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { DecimalText, EmptyBody, IdText, objectSchema, pageFields, pageSchema, type StageWord, Time, walletAddress } from '../shapes.ts';
import { AgentBody, agentBody } from './agents/agent-body.ts';
import { SignedTransaction, TAKES_SIGNED_TRANSACTION } from './signed-transaction.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly marketplace: {
      readonly listings: { readonly reads: Pick<ListingStore, 'list' | 'find' | 'rules' | 'prices'>; readonly commands: ListingCommands };
      readonly checkouts: { readonly reads: Pick<CheckoutStore, 'list' | 'find' | 'licences'>; readonly commands: CheckoutCommands };
    };
  }
}

const ListingPath = objectSchema({ id: IdText });

/** A licence price in a request. */
const PriceField = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 40,
  description: 'Units of the dollar stablecoin, 0 to 10000 inclusive, at most 6 decimals; as a decimal text or as a number.',
  examples: ['49.50'],
});

const ListingBody = Type.Object(listing.wire, { $id: 'Listing' });

const ListingDetailBody = Type.Object(
  {
    ...ListingBody.properties,
    rules: Type.Unsafe<unknown>({ description: 'The pinned manifest; null without a licence.' }),
  },
  { $id: 'ListingDetail' },
);

function listingBody(view: Listing): Static<typeof ListingBody> {
  const { at, gates, curve = [], luck, ...record } = view.evidence;
  return listing.body(view, {
    evidence: {
      ...record,
      at: isoTime(at),
      gates: gates.map(({ runId: __, checks, at: assessedAt, simulated = null, ...gate }) => ({
        ...gate,
        simulated,
        at: isoTime(assessedAt),
        checks: checks.map((check) => ({ ...check })),
      })),
      gatesPassed: gates.filter(({ passed }) => passed).length,
      curve: curve.map(([pointAt, returnPct]) => ({ at: isoTime(pointAt), returnPct })),
      luck,
      stage: record.stage as Static<typeof StageWord> | null,
    },
    metrics: gates.find(({ kind }) => kind === 'backtest')?.metrics ?? null,
    own: view.own,
  });
}

function listingDetailBody(view: Listing, rules: Manifest | null): Static<typeof ListingDetailBody> {
  return { ...listingBody(view), rules };
}

const CheckoutBody = Type.Object(checkout.wire, { $id: 'Checkout' });

function checkoutBody(view: CheckoutView): Static<typeof CheckoutBody> {
  return checkout.body(view, view);
}

const LicenceBody = Type.Object(licence.wire, { $id: 'Licence' });

function licenceBody(view: Licence): Static<typeof LicenceBody> {
  return licence.body(view, view);
}

const publishListing = defineRoute({
  method: 'POST',
  url: '/v1/marketplace',
  name: 'publishListing',
  tag: 'marketplace',
  summary: 'Publishes one manifest version of an agent',
  description:
    'The listing is pinned to this version: later versions of the agent change nothing. Its metrics, gates and luck-adjusted statistics come from the evidence on record; the request cannot set them. Payments go whole to the payout wallet, which has to be linked (`POST /v1/wallets`) before.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectSchema({
      agentId: Type.String({ minLength: 1, maxLength: 64 }),
      manifestVersion: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
      priceUsd: PriceField,
      payoutWallet: walletAddress('The wallet that is paid, base58; its ownership was proved by a signature.'),
      categories: Type.Array(Type.String({ minLength: 1, maxLength: 32, pattern: '^[A-Za-z0-9][A-Za-z0-9 _-]*$' }), {
        minItems: 1,
        maxItems: 8,
        description: 'Category tags; kept in lower case.',
      }),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The listing.', schema: ListingBody } },
  refusals: ['not_found', 'manifest_invalid', 'wallet_unproved', 'state_conflict', 'external_not_listable'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { agentId, manifestVersion, priceUsd, payoutWallet, categories } = request.body;
      if (!isAddress(payoutWallet)) throw malformed('$.payoutWallet', 'it is not an address', '32 bytes in base58');
      const price = licencePrice(priceUsd);
      if (!price.ok) return sendRefusal(reply, price.refusal);
      if (!isUuid(agentId)) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, {
        status: 201,
        answer: listingBody,
        run: (context) =>
          ports.marketplace.listings.commands.publish(context, {
            agentId: agentId.toLowerCase(),
            manifestVersion,
            priceUsd: price.value,
            payoutWallet,
            categories: listingCategories(categories),
          }),
      });
    };
  },
});

const repriceListing = defineRoute({
  method: 'POST',
  url: '/v1/marketplace/:id/price',
  name: 'repriceListing',
  tag: 'marketplace',
  summary: 'Changes the price of a listing of yours',
  description: 'Checkouts that were prepared before keep the price that they were prepared with.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: ListingPath, body: objectSchema({ priceUsd: PriceField }) },
  idempotent: true,
  answers: { 200: { description: 'The listing.', schema: ListingBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const price = licencePrice(request.body.priceUsd);
      if (!price.ok) return sendRefusal(reply, price.refusal);
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LISTING);
      return carryOut(request, reply, {
        status: 200,
        answer: listingBody,
        run: (context) => ports.marketplace.listings.commands.reprice(context, id, price.value),
      });
    };
  },
});

const unlistListing = defineRoute({
  method: 'POST',
  url: '/v1/marketplace/:id/unlist',
  name: 'unlistListing',
  tag: 'marketplace',
  summary: 'Ends a listing of yours',
  description: 'Ends sales. Licences stay valid, and checkouts that were prepared before can still be paid.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: ListingPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The listing.', schema: ListingBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LISTING);
      return carryOut(request, reply, {
        status: 200,
        answer: listingBody,
        run: (context) => ports.marketplace.listings.commands.unlist(context, id),
      });
    };
  },
});

const listListings = defineRoute({
  method: 'GET',
  url: '/v1/marketplace',
  name: 'listListings',
  tag: 'marketplace',
  summary: 'Strategies that can be bought, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      category: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 80, description: 'Found anywhere in the name or the description.' })),
      maxPriceUsd: Type.Optional(Type.String({ pattern: '^\\d{1,5}(\\.\\d{1,6})?$' })),
      mine: Type.Optional(Type.Boolean({ description: 'Listings of your organization, including unlisted ones.' })),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of listings.', schema: pageSchema(ListingBody) } },
  refusals: [],
  handle: (ports) => async (request, reply) => {
    const { category, search, maxPriceUsd, mine = false } = request.query;
    const price = maxPriceUsd === undefined ? null : licencePrice(maxPriceUsd);
    if (price?.ok === false) return sendProblem(reply, 'malformed', price.refusal.detail.replace('$.priceUsd', 'maxPriceUsd'));
    const page = pageOfQuery(request.query, 'listings', POSITIONS.number);
    const filter = { category: category?.toLowerCase() ?? null, search: search ?? null, maxPriceUsd: price?.value ?? null, mine };
    return pageBody(await ports.marketplace.listings.reads.list(requireMember(request).orgId, filter, page), 'listings', listingBody);
  },
});

const getListing = defineRoute({
  method: 'GET',
  url: '/v1/marketplace/:id',
  name: 'getListing',
  tag: 'marketplace',
  summary: 'One listing with its evidence',
  description: 'The rules are in the answer for the organization that published them, and for those that hold a licence.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: ListingPath },
  answers: { 200: { description: 'The listing.', schema: ListingDetailBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const { orgId } = requireMember(request);
    const { reads } = ports.marketplace.listings;
    const [found, rules] = id === null ? [null, null] : await Promise.all([reads.find(orgId, id), reads.rules(orgId, id)]);
    return found === null ? sendProblem(reply, 'not_found', NO_LISTING) : listingDetailBody(found, rules);
  },
});

const ListingPriceBody = Type.Object({ priceUsd: DecimalText, at: Time }, { $id: 'ListingPrice' });

const listListingPrices = defineRoute({
  method: 'GET',
  url: '/v1/marketplace/:id/prices',
  name: 'listListingPrices',
  tag: 'marketplace',
  summary: 'Every price of a listing, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: ListingPath, querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of prices.', schema: pageSchema(ListingPriceBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const { orgId } = requireMember(request);
    const { reads } = ports.marketplace.listings;
    if (id === null || (await reads.find(orgId, id)) === null) return sendProblem(reply, 'not_found', NO_LISTING);
    const page = pageOfQuery(request.query, 'listing-prices', POSITIONS.number);
    return pageBody(await reads.prices(orgId, id, page), 'listing-prices', ({ priceUsd, at }) => ({ priceUsd, at: isoTime(at) }));
  },
});

const beginCheckout = defineRoute({
  method: 'POST',
  url: '/v1/marketplace/:id/checkout',
  name: 'beginCheckout',
  tag: 'marketplace',
  summary: 'Prepares the payment of a licence',
  description:
    "A transfer of the stablecoin straight from the buyer to the creator, who gets all of it, with a memo of this checkout; the creator's token account is made where there is none. It is simulated and stored before this answers. Where the price is 0 there is no transaction, and the licence is issued at once. One checkout of a listing is under way at a time.",
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    params: ListingPath,
    body: objectSchema({
      buyer: Type.Optional(walletAddress('The wallet that pays and signs, base58; needed where the price is above 0.')),
    }),
  },
  idempotent: true,
  answers: {
    201: { description: 'The checkout with its unsigned payment.', schema: CheckoutBody, shownAt: '/v1/marketplace/checkouts/{id}' },
  },
  refusals: ['not_found', 'state_conflict', 'blocked_by_risk', 'payment_refused', 'feature_disabled', 'halted', 'too_many_prepared'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { buyer = null } = request.body;
      if (buyer !== null && !isAddress(buyer)) throw malformed('$.buyer', 'it is not an address', '32 bytes in base58');
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LISTING);
      return carryOut(request, reply, {
        status: 201,
        answer: checkoutBody,
        run: (context) => ports.marketplace.checkouts.commands.begin(context, id, buyer),
      });
    };
  },
});

const settleCheckout = defineRoute({
  method: 'POST',
  url: '/v1/marketplace/checkouts/:id/settle',
  name: 'settleCheckout',
  tag: 'marketplace',
  summary: 'Submits the signed payment of a checkout',
  description:
    'The bytes must carry the prepared message, byte for byte, under the signature of the buyer. They are sent and followed to finality; then the licence is issued, once. Submitting the same bytes again answers the present state. Bytes that come after the expiry are not sent any more: the chain is asked whether they had landed, and where they had, the licence is issued.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: { params: ListingPath, body: SignedTransaction },
  answers: { 202: { description: 'The checkout, submitted.', schema: CheckoutBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_CHECKOUT);
      return carryOut(request, reply, {
        status: 202,
        answer: checkoutBody,
        run: (context) => ports.marketplace.checkouts.commands.settle(context, id, request.body.signedTransaction),
      });
    };
  },
});

const importListing = defineRoute({
  method: 'POST',
  url: '/v1/marketplace/:id/import',
  name: 'importListing',
  tag: 'marketplace',
  summary: 'Imports the rules of a licensed listing as a new agent',
  description:
    'The agent stands at `draft` with autonomy `research`, has the manifest of the listing under the same hash, and has to pass all seven gates itself. A licence permits any number of imports, also after the listing has ended.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: ListingPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 201: { description: 'The new agent.', schema: AgentBody, shownAt: '/v1/agents/{id}' } },
  refusals: ['not_found', 'licence_missing', 'halted', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LISTING);
      return carryOut(request, reply, {
        status: 201,
        answer: agentBody,
        run: (context) => ports.marketplace.checkouts.commands.importListing(context, id),
      });
    };
  },
});

const listCheckouts = defineRoute({
  method: 'GET',
  url: '/v1/marketplace/checkouts',
  name: 'listCheckouts',
  tag: 'marketplace',
  summary: 'Checkouts of your organization, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of checkouts.', schema: pageSchema(CheckoutBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'checkouts', POSITIONS.number);
    return pageBody(await ports.marketplace.checkouts.reads.list(requireMember(request).orgId, page), 'checkouts', checkoutBody);
  },
});

const getCheckout = defineRoute({
  method: 'GET',
  url: '/v1/marketplace/checkouts/:id',
  name: 'getCheckout',
  tag: 'marketplace',
  summary: 'One checkout',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: ListingPath },
  answers: { 200: { description: 'The checkout.', schema: CheckoutBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.marketplace.checkouts.reads.find(requireMember(request).orgId, id);
    return found === null ? sendProblem(reply, 'not_found', NO_CHECKOUT) : checkoutBody(found);
  },
});

const listLicences = defineRoute({
  method: 'GET',
  url: '/v1/marketplace/licences',
  name: 'listLicences',
  tag: 'marketplace',
  summary: 'Licences of your organization, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of licences.', schema: pageSchema(LicenceBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'licences', POSITIONS.number);
    return pageBody(await ports.marketplace.checkouts.reads.licences(requireMember(request).orgId, page), 'licences', licenceBody);
  },
});

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
