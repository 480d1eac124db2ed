/** GET /v1/marketplace/checkouts/:id: one checkout of the organization. */
import { NO_CHECKOUT } from '../../../actors/checkout/commands.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { CheckoutBody, checkoutBody } from './checkout-body.ts';
import { ListingPath } from './listing-body.ts';

export const getCheckout = defineRoute({
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
    const checkout = id === null ? null : await ports.marketplace.checkouts.reads.find(memberOf(request).orgId, id);
    return checkout === null ? sendProblem(reply, 'not_found', NO_CHECKOUT) : checkoutBody(checkout);
  },
});
