/** GET /v1/takes/:id/decisions: lists the decision records of a Take, newest first, in the shape of those of agents. */
import { Type } from 'typebox';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, IdText, objectOf, pageFields } from '../../shapes.ts';
import { DecisionBody, decisionPageOf, movedOf } from '../agents/decisions/decision-body.ts';
import { NO_TAKE } from './take-body.ts';

const TakeDecisionBody = Type.Object({ ...DecisionBody.properties, takeId: IdText }, { $id: 'TakeDecision' });

export const listTakeDecisions = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id/decisions',
  name: 'listTakeDecisions',
  tag: 'takes',
  summary: 'The decision records of a Take, newest first',
  description: 'One per half minute while it is running. `agentId` and `takeId` are the same id: what is hashed names the actor.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of decisions.', schema: decisionPageOf(TakeDecisionBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'take-decisions', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.takes.decisions.list(memberOf(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_TAKE);
    return { ...pageBody(found, 'take-decisions', (decision) => ({ ...decision, takeId: decision.agentId })), ...movedOf(found) };
  },
});
