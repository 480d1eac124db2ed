/** GET /v1/marketplace/:id: returns a listing, with its rules for callers who may read them. */
import { NO_LISTING } from '../../../src/domain/marketplace/listing.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { ListingDetailBody, ListingPath, listingDetailBody } from './listing-body.ts';

export const getListing = defineRoute({
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
    const { orgId } = memberOf(request);
    const { reads } = ports.marketplace.listings;
    const [listing, rules] = id === null ? [null, null] : await Promise.all([reads.find(orgId, id), reads.rules(orgId, id)]);
    return listing === null ? sendProblem(reply, 'not_found', NO_LISTING) : listingDetailBody(listing, rules);
  },
});
