/** POST /v1/market-orders/:id/cancel: withdraws the resting part of a manual order. */

import { NO_MARKET_ORDER } from '../../../actors/market-order/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { TO_STOP } from '../../permission.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { EmptyBody } from '../../shapes.ts';
import { MarketOrderBody, MarketOrderPath, marketOrderBody } from './market-order-body.ts';

export const cancelMarketOrder = defineRoute({
  method: 'POST',
  url: '/v1/market-orders/:id/cancel',
  name: 'cancelMarketOrder',
  tag: 'market-orders',
  summary: 'Cancels the resting part of an order',
  description:
    'The order is `withdrawing` until its venue has answered. Fills before and meanwhile stay. It ends `cancelled`, `partially_filled` or `filled`.',
  permission: TO_STOP,
  cost: 'write',
  schema: { params: MarketOrderPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The order, being cancelled.', schema: MarketOrderBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_MARKET_ORDER);
      return carryOut(request, reply, {
        status: 200,
        answer: marketOrderBody,
        run: (context) => ports.marketOrders.commands.cancel(context, id),
      });
    };
  },
});
