/** POST /v1/prediction-orders/:id/execute: takes the signed transaction of a prepared order (spec sections 4.4, 5.5). */
import { Type } from 'typebox';
import { onceOnly } from '../../idempotency.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { OrderTransactionBody, orderTransactionBody } from './order-transaction-body.ts';
import { NO_PREDICTION_ORDER, PredictionOrderPath, predictionOrderIdOf } from './prediction-order-body.ts';

export const executePredictionOrder = defineRoute({
  method: 'POST',
  url: '/v1/prediction-orders/:id/execute',
  name: 'executePredictionOrder',
  tag: 'prediction-orders',
  summary: 'Executes the prepared prediction order',
  description:
    'The signed bytes must carry the prepared message, byte for byte, and every signature that it needs. They are sent once risk has passed the order again on the present market. Executed is not filled: GET /v1/prediction-orders/:id says when the order is open, and what the venue has filled of it.',
  cost: 'write',
  schema: {
    params: PredictionOrderPath,
    body: objectOf({
      signedTransaction: Type.String({ minLength: 1, maxLength: 4_096, description: 'The signed transaction in base64.' }),
    }),
  },
  idempotent: true,
  answers: { 202: { description: 'The transaction on its way.', schema: OrderTransactionBody } },
  refusals: [
    'not_found',
    'state_conflict',
    'halted',
    'feature_disabled',
    'blocked_by_risk',
    'malformed_transaction',
    'signed_bytes_differ',
    'signature_missing',
    'signature_invalid',
  ],
  handle: (doors) => {
    const carryOut = onceOnly(doors);
    return async (request, reply) => {
      const id = predictionOrderIdOf(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_PREDICTION_ORDER);
      return carryOut(request, reply, {
        status: 202,
        answer: orderTransactionBody,
        run: (context) => doors.livePredictionOrders.execute(context, id, request.body.signedTransaction),
      });
    };
  },
});
