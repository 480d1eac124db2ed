/** POST /v1/marketplace/checkouts/:id/settle: takes the signed payment of a checkout. */
import { NO_CHECKOUT } from '../../../actors/checkout/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { SignedTransaction, TAKES_SIGNED_TRANSACTION } from '../signed-transaction.ts';
import { CheckoutBody, checkoutBody } from './checkout-body.ts';
import { ListingPath } from './listing-body.ts';

export const settleCheckout = defineRoute({
  method: 'POST',
  url: '/v1/marketplace/checkouts/:id/settle',
  name: 'settleCheckout',
  tag: 'marketplace',
  summary: 'Submits the signed payment of a checkout',
  description:
    'The bytes must carry the prepared message, byte for byte, under the signature of the buyer. They are sent and followed to finality; then the licence is issued, once. Submitting the same bytes again answers the present state. Bytes that come after the expiry are not sent any more: the chain is asked whether they had landed, and where they had, the licence is issued.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: { params: ListingPath, body: SignedTransaction },
  answers: { 202: { description: 'The checkout, submitted.', schema: CheckoutBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_CHECKOUT);
      return carryOut(request, reply, {
        status: 202,
        answer: checkoutBody,
        run: (context) => ports.marketplace.checkouts.commands.settle(context, id, request.body.signedTransaction),
      });
    };
  },
});
