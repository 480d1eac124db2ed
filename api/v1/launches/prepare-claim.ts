/** POST /v1/launches/:id/claims: the transaction that pays the waiting fees out to the creator, to be signed. */
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { EmptyBody } from '../../shapes.ts';
import { ClaimBody, claimBody } from './claim-body.ts';
import { LaunchPath } from './launch-view-body.ts';

export const prepareLaunchClaim = defineRoute({
  method: 'POST',
  url: '/v1/launches/:id/claims',
  name: 'prepareLaunchClaim',
  tag: 'launches',
  summary: "Prepares a claim of the creator's fees",
  description:
    'All fees that have accrued for the creator are claimed; only the creator is paid. The claim is simulated and stored before this answers.',
  cost: 'write',
  schema: { params: LaunchPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 201: { description: 'The claim and its transaction.', schema: ClaimBody } },
  refusals: ['launch_refused', 'not_found', 'halted', 'state_conflict', 'feature_disabled', 'too_many_prepared'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LAUNCH);
      return carryOut(request, reply, { status: 201, answer: claimBody, run: (context) => ports.launches.claims.prepare(context, id) });
    };
  },
});
