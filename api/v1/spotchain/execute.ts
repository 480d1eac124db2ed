/** POST /v1/spotchain/orders/:id/execute: the signed bytes of a prepared swap. */
import { NO_TRANSACTION } from '../../../actors/prepared-transaction/submission.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { SignedTransaction, TAKES_SIGNED_TRANSACTION } from '../signed-transaction.ts';
import { SwapOrderBody, SwapOrderPath, swapOrderBody } from './swap-body.ts';

export const executeSwap = defineRoute({
  method: 'POST',
  url: '/v1/spotchain/orders/:id/execute',
  name: 'executeSwap',
  tag: 'spotchain',
  summary: 'Submits the signed transaction of a prepared swap',
  description:
    'The signed message must be the prepared one byte for byte; where a wallet changed it, the answer names the programs that it inserted, removed or altered, and nothing is sent. The bytes are recorded before they are broadcast, and once: the same bytes again answer the present state, other bytes are refused. GET /v1/spotchain/orders/:id tells the outcome; the fill is booked once the chain has finalized it.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: { params: SwapOrderPath, body: SignedTransaction },
  answers: { 202: { description: 'The order, submitted. Poll `GET /v1/spotchain/orders/{id}` for its outcome.', schema: SwapOrderBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_TRANSACTION);
      return carryOut(request, reply, {
        status: 202,
        answer: swapOrderBody,
        run: (context) => ports.swaps.commands.execute(context, id, request.body.signedTransaction),
      });
    };
  },
});
