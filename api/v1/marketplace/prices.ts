/** GET /v1/marketplace/:id/prices: lists the prices of a listing, newest first. */
import { Type } from 'typebox';
import { NO_LISTING } from '../../../src/domain/marketplace/listing.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { DecimalText, objectOf, pageFields, pageOf, Time } from '../../shapes.ts';
import { ListingPath } from './listing-body.ts';

const ListingPriceBody = Type.Object({ priceUsd: DecimalText, at: Time }, { $id: 'ListingPrice' });

export const listListingPrices = defineRoute({
  method: 'GET',
  url: '/v1/marketplace/:id/prices',
  name: 'listListingPrices',
  tag: 'marketplace',
  summary: 'Every price of a listing, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: ListingPath, querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of prices.', schema: pageOf(ListingPriceBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const { orgId } = memberOf(request);
    const { reads } = ports.marketplace.listings;
    if (id === null || (await reads.find(orgId, id)) === null) return sendProblem(reply, 'not_found', NO_LISTING);
    const page = pageOfQuery(request.query, 'listing-prices', POSITIONS.number);
    return pageBody(await reads.prices(orgId, id, page), 'listing-prices', ({ priceUsd, at }) => ({ priceUsd, at: isoTime(at) }));
  },
});
