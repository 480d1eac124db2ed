/** GET /v1/agents/:id/decisions/:decisionId/explain: explains a decision in words. */
import { memberOf } from '../../../caller.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { IdText, objectOf } from '../../../shapes.ts';
import { NO_DECISION } from './decision-body.ts';
import { ExplainedDecision, explainedDecision } from './explained-decision.ts';

export const explainAgentDecision = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/decisions/:decisionId/explain',
  name: 'explainDecision',
  tag: 'agents',
  summary: 'One decision in words',
  description:
    'The observations, the rules that held, the decision, and what was missing for a trade. Every number is one of the decision record, which `hash` names.',
  permission: 'agent:read',
  cost: 'costly',
  schema: { params: objectOf({ id: IdText, decisionId: IdText }) },
  answers: { 200: { description: 'The decision in words.', schema: ExplainedDecision } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) =>
    (await explainedDecision(ports.agents.decisions, memberOf(request).orgId, request.params)) ??
    sendProblem(reply, 'not_found', NO_DECISION),
});
