/** POST /v1/marketplace/:id/checkout: prepares the payment of a licence. */
import { Type } from 'typebox';
import { NO_LISTING } from '../../../src/domain/marketplace/listing.ts';
import { isAddress } from '../../../src/domain/solana/base58.ts';
import { malformed } from '../../http/strict-json.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, walletAddress } from '../../shapes.ts';
import { CheckoutBody, checkoutBody } from './checkout-body.ts';
import { ListingPath } from './listing-body.ts';

export const beginCheckout = defineRoute({
  method: 'POST',
  url: '/v1/marketplace/:id/checkout',
  name: 'beginCheckout',
  tag: 'marketplace',
  summary: 'Prepares the payment of a licence',
  description:
    "A transfer of the stablecoin straight from the buyer to the creator, who gets all of it, with a memo of this checkout; the creator's token account is made where there is none. It is simulated and stored before this answers. Where the price is 0 there is no transaction, and the licence is issued at once. One checkout of a listing is under way at a time.",
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    params: ListingPath,
    body: objectOf({ buyer: Type.Optional(walletAddress('The wallet that pays and signs, base58; needed where the price is above 0.')) }),
  },
  idempotent: true,
  answers: {
    201: { description: 'The checkout with its unsigned payment.', schema: CheckoutBody, shownAt: '/v1/marketplace/checkouts/{id}' },
  },
  refusals: ['not_found', 'state_conflict', 'blocked_by_risk', 'payment_refused', 'feature_disabled', 'halted', 'too_many_prepared'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { buyer = null } = request.body;
      if (buyer !== null && !isAddress(buyer)) throw malformed('$.buyer', 'it is not an address', '32 bytes in base58');
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LISTING);
      return carryOut(request, reply, {
        status: 201,
        answer: checkoutBody,
        run: (context) => ports.marketplace.checkouts.commands.begin(context, id, buyer),
      });
    };
  },
});
