/** GET /v1/prediction-orders/:id: one order on a prediction market with its fills. */
import { NO_PREDICTION_ORDER } from '../../../actors/prediction-order/commands.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { PredictionOrderBody, PredictionOrderPath, predictionOrderBody } from './prediction-order-body.ts';

export const getPredictionOrder = defineRoute({
  method: 'GET',
  url: '/v1/prediction-orders/:id',
  name: 'getPredictionOrder',
  tag: 'prediction-orders',
  summary: 'One prediction order with its fills',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: PredictionOrderPath },
  answers: { 200: { description: 'The order.', schema: PredictionOrderBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const order = id === null ? null : await ports.predictionOrders.reads.find(memberOf(request).orgId, id);
    return order === null ? sendProblem(reply, 'not_found', NO_PREDICTION_ORDER) : predictionOrderBody(order);
  },
});
