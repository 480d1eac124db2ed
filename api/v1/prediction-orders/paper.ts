/** POST /v1/prediction-orders/paper: a person's order on a prediction market, filled against the live book. */
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { PredictionOrderBody, predictionOrderBody, WISH_FIELDS, wishOf } from './prediction-order-body.ts';

export const placePaperPredictionOrder = defineRoute({
  method: 'POST',
  url: '/v1/prediction-orders/paper',
  name: 'placePaperPredictionOrder',
  tag: 'prediction-orders',
  summary: 'Paper prediction order',
  description:
    "Goes through the same pre-trade risk function as every order, in the organization's manual book, with its risk preferences as the mandate. Both outcomes of a market, and markets of an event that exclude each other, are one exposure. It is filled at once through the depth of the provider's live book, at the provider's own fee; each fill names its quotes, and an unfilled part has a reason.",
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: objectOf(WISH_FIELDS) },
  idempotent: true,
  answers: { 201: { description: 'The order as it ended.', schema: PredictionOrderBody } },
  refusals: ['not_found', 'state_conflict', 'halted', 'blocked_by_risk'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const wish = wishOf(request.body);
      return carryOut(request, reply, {
        status: 201,
        answer: predictionOrderBody,
        run: (context) => ports.predictionOrders.commands.paper(context, wish),
      });
    };
  },
});
