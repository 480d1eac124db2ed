/** GET /v1/spotchain/orders: swaps, newest first. */
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { SwapOrderBody, swapOrderBody } from './swap-body.ts';

export const listSwaps = defineRoute({
  method: 'GET',
  url: '/v1/spotchain/orders',
  name: 'listSwaps',
  tag: 'spotchain',
  summary: 'Swaps on the primary chain, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf({ ...pageFields }) },
  answers: { 200: { description: 'A page of orders.', schema: pageOf(SwapOrderBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'spotchain-orders', POSITIONS.number);
    return pageBody(await ports.swaps.reads.list(memberOf(request).orgId, page), 'spotchain-orders', swapOrderBody);
  },
});
