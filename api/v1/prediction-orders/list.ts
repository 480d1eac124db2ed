/** GET /v1/prediction-orders: orders on prediction markets, newest first. */
import { Type } from 'typebox';
import { MarketIdText, PredictionOrderStateWord } from '../../../actors/prediction-order/resource.ts';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { PredictionOrderBody, predictionOrderBody } from './prediction-order-body.ts';

export const listPredictionOrders = defineRoute({
  method: 'GET',
  url: '/v1/prediction-orders',
  name: 'listPredictionOrders',
  tag: 'prediction-orders',
  summary: 'Orders on prediction markets, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      ...pageFields,
      mode: Type.Optional(choice(EXECUTION_MODES)),
      state: Type.Optional(PredictionOrderStateWord),
      marketId: Type.Optional(MarketIdText),
    }),
  },
  answers: { 200: { description: 'A page of orders.', schema: pageOf(PredictionOrderBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { mode, state, marketId } = request.query;
    const page = pageOfQuery(request.query, 'prediction-orders', POSITIONS.number);
    const filter = {
      ...(mode === undefined ? {} : { mode }),
      ...(state === undefined ? {} : { state }),
      ...(marketId === undefined ? {} : { marketId }),
    };
    return pageBody(
      await ports.predictionOrders.reads.list(memberOf(request).orgId, filter, page),
      'prediction-orders',
      predictionOrderBody,
    );
  },
});
