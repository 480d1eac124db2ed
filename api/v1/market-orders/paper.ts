/** POST /v1/market-orders/paper: a person's order, filled against the live book. */
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { MarketOrderBody, MarketOrderWish, marketOrderBody, requestOf } from './market-order-body.ts';

export const placePaperOrder = defineRoute({
  method: 'POST',
  url: '/v1/market-orders/paper',
  name: 'placePaperOrder',
  tag: 'market-orders',
  summary: 'Paper order on the spot exchange',
  description:
    "Goes through the same pre-trade risk function as every order, in the organization's manual book, with its risk preferences as the mandate. It is filled at once through the depth of the exchange's live book. Each fill names its quotes, and an unfilled part has a reason.",
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: MarketOrderWish },
  idempotent: true,
  answers: { 201: { description: 'The order as it ended.', schema: MarketOrderBody } },
  refusals: ['halted', 'blocked_by_risk'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const wish = requestOf(ports, request.body);
      return carryOut(request, reply, {
        status: 201,
        answer: marketOrderBody,
        run: (context) => ports.marketOrders.commands.place(context, 'paper', wish),
      });
    };
  },
});
