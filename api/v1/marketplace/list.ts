/** GET /v1/marketplace: listings that match, newest first. */
import { Type } from 'typebox';
import { licencePrice } from '../../../src/domain/marketplace/listing.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { ListingBody, listingBody } from './listing-body.ts';

export const listListings = defineRoute({
  method: 'GET',
  url: '/v1/marketplace',
  name: 'listListings',
  tag: 'marketplace',
  summary: 'Strategies that can be bought, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      category: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 80, description: 'Found anywhere in the name or the description.' })),
      maxPriceUsd: Type.Optional(Type.String({ pattern: '^\\d{1,5}(\\.\\d{1,6})?$' })),
      mine: Type.Optional(Type.Boolean({ description: 'Listings of your organization, including unlisted ones.' })),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of listings.', schema: pageOf(ListingBody) } },
  refusals: [],
  handle: (ports) => async (request, reply) => {
    const { category, search, maxPriceUsd, mine = false } = request.query;
    const price = maxPriceUsd === undefined ? null : licencePrice(maxPriceUsd);
    if (price?.ok === false) return sendProblem(reply, 'malformed', price.refusal.detail.replace('$.priceUsd', 'maxPriceUsd'));
    const page = pageOfQuery(request.query, 'listings', POSITIONS.number);
    const filter = { category: category?.toLowerCase() ?? null, search: search ?? null, maxPriceUsd: price?.value ?? null, mine };
    return pageBody(await ports.marketplace.listings.reads.list(memberOf(request).orgId, filter, page), 'listings', listingBody);
  },
});
