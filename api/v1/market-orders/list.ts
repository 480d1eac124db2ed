/** GET /v1/market-orders: orders of people, newest first. */
import { Type } from 'typebox';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { MarketOrderBody, marketOrderBody } from './market-order-body.ts';

export const listMarketOrders = defineRoute({
  method: 'GET',
  url: '/v1/market-orders',
  name: 'listMarketOrders',
  tag: 'market-orders',
  summary: 'Orders of people on the spot exchange, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      ...pageFields,
      mode: Type.Optional(choice(EXECUTION_MODES)),
      open: Type.Optional(choice(['true'], 'Open orders, which may still be filled.')),
    }),
  },
  answers: { 200: { description: 'A page of orders.', schema: pageOf(MarketOrderBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { mode, open } = request.query;
    const page = pageOfQuery(request.query, 'market-orders', POSITIONS.number);
    return pageBody(
      await ports.marketOrders.reads.list(
        memberOf(request).orgId,
        { ...(mode === undefined ? {} : { mode }), open: open === 'true' },
        page,
      ),
      'market-orders',
      marketOrderBody,
    );
  },
});
