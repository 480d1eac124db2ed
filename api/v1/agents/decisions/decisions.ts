/** GET /v1/agents/:id/decisions: the agent's decision records, newest first. */
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { memberOf } from '../../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../../cursor.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, objectOf, pageFields } from '../../../shapes.ts';
import { DecisionBody, decisionPageOf, movedOf } from './decision-body.ts';

export const listDecisions = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/decisions',
  name: 'listDecisions',
  tag: 'agents',
  summary: 'The decision records of an agent, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of decisions.', schema: decisionPageOf(DecisionBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'decisions', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.decisions.list(memberOf(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return { ...pageBody(found, 'decisions', (decision) => decision), ...movedOf(found) };
  },
});
