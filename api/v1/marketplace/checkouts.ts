/** GET /v1/marketplace/checkouts: the organization's checkouts, newest first. */
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { CheckoutBody, checkoutBody } from './checkout-body.ts';

export const listCheckouts = defineRoute({
  method: 'GET',
  url: '/v1/marketplace/checkouts',
  name: 'listCheckouts',
  tag: 'marketplace',
  summary: 'Checkouts of your organization, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of checkouts.', schema: pageOf(CheckoutBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'checkouts', POSITIONS.number);
    return pageBody(await ports.marketplace.checkouts.reads.list(memberOf(request).orgId, page), 'checkouts', checkoutBody);
  },
});
