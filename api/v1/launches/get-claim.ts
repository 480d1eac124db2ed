/** GET /v1/launches/:id/claims/:claimId: one claim of a launch's fees. */
import { memberOf } from '../../caller.ts';
import { isUuid } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { ClaimBody, ClaimPath, claimBody, NO_CLAIM } from './claim-body.ts';

export const getLaunchClaim = defineRoute({
  method: 'GET',
  url: '/v1/launches/:id/claims/:claimId',
  name: 'getLaunchClaim',
  tag: 'launches',
  summary: 'One claim of accrued fees of a launch',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: ClaimPath },
  answers: { 200: { description: 'The claim.', schema: ClaimBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { id, claimId } = request.params;
    const claim = isUuid(claimId) ? await ports.launches.claims.find(memberOf(request).orgId, claimId) : null;
    return claim === null || claim.subject['launchId'] !== id ? sendProblem(reply, 'not_found', NO_CLAIM) : claimBody(claim);
  },
});
