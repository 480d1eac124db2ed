/** POST /v1/prediction-orders/:id/execute: takes the signed transaction of a prepared order. */
import { NO_PREDICTION_ORDER } from '../../../actors/prediction-order/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { SignedTransaction, TAKES_SIGNED_TRANSACTION } from '../signed-transaction.ts';
import { OrderTransactionBody, orderTransactionBody } from './order-transaction-body.ts';
import { PredictionOrderPath } from './prediction-order-body.ts';

export const executePredictionOrder = defineRoute({
  method: 'POST',
  url: '/v1/prediction-orders/:id/execute',
  name: 'executePredictionOrder',
  tag: 'prediction-orders',
  summary: 'Executes the prepared prediction order',
  description:
    'The signed bytes must carry the prepared message, byte for byte, and every signature that it needs. They are sent once risk has passed the order again on the present market. An executed order is not filled yet: GET /v1/prediction-orders/:id tells when it is open and what the venue has filled.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: { params: PredictionOrderPath, body: SignedTransaction },
  answers: { 202: { description: 'The transaction, submitted.', schema: OrderTransactionBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_PREDICTION_ORDER);
      return carryOut(request, reply, {
        status: 202,
        answer: orderTransactionBody,
        run: (context) => ports.predictionOrders.live.execute(context, id, request.body.signedTransaction),
      });
    };
  },
});
