/** GET /v1/arbitrage/policies/:id. */
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath } from '../../shapes.ts';
import { NO_POLICY, PolicyBody, policyBody } from './policy-body.ts';

export const getBasisPolicy = defineRoute({
  method: 'GET',
  url: '/v1/arbitrage/policies/:id',
  name: 'getBasisPolicy',
  tag: 'arbitrage',
  summary: 'One basis policy',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The policy.', schema: PolicyBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.takes.reads.find(memberOf(request).orgId, id);
    return found === null || found.take.origin !== 'basis' ? sendProblem(reply, 'not_found', NO_POLICY) : policyBody(found);
  },
});
