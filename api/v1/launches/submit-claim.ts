/** POST /v1/launches/:id/claims/:claimId/submit: the signed claim of a launch's fees. */

import { memberOf } from '../../caller.ts';
import { onceOnly } from '../../idempotency.ts';
import { isUuid } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { SignedTransaction, TAKES_SIGNED_TRANSACTION } from '../signed-transaction.ts';
import { ClaimBody, ClaimPath, claimBody, NO_CLAIM } from './claim-body.ts';

export const submitLaunchClaim = defineRoute({
  method: 'POST',
  url: '/v1/launches/:id/claims/:claimId/submit',
  name: 'submitLaunchClaim',
  tag: 'launches',
  summary: 'Submits a signed claim of a launch',
  description:
    'The signed bytes are compared with the prepared ones, sent once and followed to finality. Submitting the same bytes again answers the present state.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: { params: ClaimPath, body: SignedTransaction },
  answers: { 202: { description: 'The claim, submitted.', schema: ClaimBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return async (request, reply) => {
      const { id, claimId } = request.params;
      const claim = isUuid(claimId) ? await ports.launches.claims.find(memberOf(request).orgId, claimId) : null;
      if (claim === null || claim.subject['launchId'] !== id) return sendProblem(reply, 'not_found', NO_CLAIM);
      return carryOut(request, reply, {
        status: 202,
        answer: claimBody,
        run: (context) => ports.launches.claims.submit(context, claimId, request.body.signedTransaction),
      });
    };
  },
});
