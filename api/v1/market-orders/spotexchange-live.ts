/** POST /v1/market-orders/spotexchange/live: a person's live order. */
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { MarketOrderBody, MarketOrderWish, marketOrderBody, requestOf } from './market-order-body.ts';

export const placeSpotexchangeOrder = defineRoute({
  method: 'POST',
  url: '/v1/market-orders/spotexchange/live',
  name: 'placeSpotexchangeOrder',
  tag: 'market-orders',
  summary: 'Live order on the spot exchange',
  description:
    'Only if SVC_LIVE_SPOTEXCHANGE_ENABLED=true. Goes through the same pre-trade risk function, lease and epoch as every order, and is sent once, as LIMIT IOC at its worst acceptable price. GET /v1/market-orders/:id tells the outcome; it is `unknown` until the exchange has reported it.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: MarketOrderWish },
  idempotent: true,
  answers: { 202: { description: 'The order, submitted. Poll `GET /v1/market-orders/{id}` for its outcome.', schema: MarketOrderBody } },
  refusals: ['halted', 'feature_disabled', 'blocked_by_risk'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const wish = requestOf(ports, request.body);
      return carryOut(request, reply, {
        status: 202,
        answer: marketOrderBody,
        run: (context) => ports.marketOrders.commands.place(context, 'live', wish),
      });
    };
  },
});
