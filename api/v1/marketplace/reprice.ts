/** POST /v1/marketplace/:id/price: changes the price. */
import { licencePrice, NO_LISTING } from '../../../src/domain/marketplace/listing.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { ListingBody, ListingPath, listingBody, PriceField } from './listing-body.ts';

export const repriceListing = defineRoute({
  method: 'POST',
  url: '/v1/marketplace/:id/price',
  name: 'repriceListing',
  tag: 'marketplace',
  summary: 'Changes the price of a listing of yours',
  description: 'Checkouts that were prepared before keep the price that they were prepared with.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: ListingPath, body: objectOf({ priceUsd: PriceField }) },
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
