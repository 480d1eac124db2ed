/** GET /v1/agents/:id/evaluations: the runs of an agent's evaluations, newest first. */
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { memberOf } from '../../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../../cursor.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, objectOf, pageFields, pageOf } from '../../../shapes.ts';
import { EvaluationRunBody, evaluationBody } from './evaluation-body.ts';

export const listEvaluations = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/evaluations',
  name: 'listEvaluations',
  tag: 'agents',
  summary: "The runs of an agent's evaluations, newest first",
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of runs.', schema: pageOf(EvaluationRunBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'evaluations', POSITIONS.uuid);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.evaluations.list(memberOf(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return pageBody(found, 'evaluations', (run) => evaluationBody(run, ports.clock.now()));
  },
});
