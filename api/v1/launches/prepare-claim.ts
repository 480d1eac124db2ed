/** POST /v1/launches/:id/claims: builds the transaction that pays out the claimable amount of the creator or the partner. */
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { ClaimBody, ClaimWishBody, claimBody } from './claim-body.ts';
import { LaunchPath } from './launch-view-body.ts';

export const prepareLaunchClaim = defineRoute({
  method: 'POST',
  url: '/v1/launches/:id/claims',
  name: 'prepareLaunchClaim',
  tag: 'launches',
  summary: 'Prepares a claim of accrued fees for the creator or the partner',
  description:
    'Everything of one kind that has accrued is claimed; only the wallet of the creator or of the partner is paid, and it has to sign. The claim is simulated and stored before this answers.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: LaunchPath, body: ClaimWishBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 201: { description: 'The claim and its transaction.', schema: ClaimBody } },
  refusals: ['launch_refused', 'not_found', 'halted', 'state_conflict', 'feature_disabled', 'too_many_prepared'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LAUNCH);
      const { kind = 'fees', as = 'creator' } = request.body ?? {};
      return carryOut(request, reply, {
        status: 201,
        answer: claimBody,
        run: (context) => ports.launches.claims.prepare(context, id, { kind, as }),
      });
    };
  },
});
