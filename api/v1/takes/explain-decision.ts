/** GET /v1/takes/:id/decisions/:decisionId/explain: explains an evaluation of a Take in words. */
import { memberOf } from '../../caller.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf } from '../../shapes.ts';
import { NO_DECISION } from '../agents/decisions/decision-body.ts';
import { ExplainedDecision, explainedDecision } from '../agents/decisions/explained-decision.ts';

export const explainTakeDecision = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id/decisions/:decisionId/explain',
  name: 'explainTakeDecision',
  tag: 'takes',
  summary: 'One evaluation of a Take in words',
  description:
    'The observations, the rules that held, the decision, and what was missing for a trade. Every number is one of the decision record.',
  permission: 'agent:read',
  cost: 'costly',
  schema: { params: objectOf({ id: IdText, decisionId: IdText }) },
  answers: { 200: { description: 'The decision in words.', schema: ExplainedDecision } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) =>
    (await explainedDecision(ports.takes.decisions, memberOf(request).orgId, request.params)) ??
    sendProblem(reply, 'not_found', NO_DECISION),
});
