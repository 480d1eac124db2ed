/** POST /v1/marketplace/:id/unlist: ends one of the organization's listings. */
import { NO_LISTING } from '../../../src/domain/marketplace/listing.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { EmptyBody } from '../../shapes.ts';
import { ListingBody, ListingPath, listingBody } from './listing-body.ts';

export const unlistListing = defineRoute({
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
