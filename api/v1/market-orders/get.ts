/** GET /v1/market-orders/:id: one order of a person with its fills. */
import { NO_MARKET_ORDER } from '../../../actors/market-order/commands.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { MarketOrderBody, MarketOrderPath, marketOrderBody } from './market-order-body.ts';

export const getMarketOrder = defineRoute({
  method: 'GET',
  url: '/v1/market-orders/:id',
  name: 'getMarketOrder',
  tag: 'market-orders',
  summary: 'One order of a person with its fills',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: MarketOrderPath },
  answers: { 200: { description: 'The order.', schema: MarketOrderBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const order = id === null ? null : await ports.marketOrders.reads.find(memberOf(request).orgId, id);
    return order === null ? sendProblem(reply, 'not_found', NO_MARKET_ORDER) : marketOrderBody(order);
  },
});
