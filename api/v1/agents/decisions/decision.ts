/** GET /v1/agents/:id/decisions/:decisionId: one decision record. */
import { memberOf } from '../../../caller.ts';
import { idInPath, storedId } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { IdText, objectOf } from '../../../shapes.ts';
import { DecisionBody, NO_DECISION } from './decision-body.ts';

export const getDecision = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/decisions/:decisionId',
  name: 'getDecision',
  tag: 'agents',
  summary: 'One decision record',
  permission: 'agent:read',
  cost: 'costly',
  schema: { params: objectOf({ id: IdText, decisionId: IdText }) },
  answers: { 200: { description: 'The decision.', schema: DecisionBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const [id, decisionId] = [idInPath(request.params), storedId(request.params.decisionId)];
    const found = id === null || decisionId === null ? null : await ports.agents.decisions.get(memberOf(request).orgId, id, decisionId);
    return found ?? sendProblem(reply, 'not_found', NO_DECISION);
  },
});
