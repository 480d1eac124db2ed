/** GET /v1/takes/:id/decisions/:decisionId/explain: one evaluation of a Take in words. */
import { explainDecision } from '../../../src/domain/explain-decision.ts';
import { memberOf } from '../../caller.ts';
import { idInPath, isUuid } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf } from '../../shapes.ts';
import { NO_DECISION } from '../agents/decision-body.ts';
import { ExplainedDecision } from '../agents/explain-decision.ts';

export const explainTakeDecision = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id/decisions/:decisionId/explain',
  name: 'explainTakeDecision',
  tag: 'takes',
  summary: 'One evaluation of a Take in words',
  description:
    'What was seen, which rules held, what followed and what was missing for a trade. Every number is one of the decision record.',
  cost: 'costly',
  schema: { params: objectOf({ id: IdText, decisionId: IdText }) },
  answers: { 200: { description: 'The decision in words.', schema: ExplainedDecision } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const { decisionId } = request.params;
    const found =
      id === null || !isUuid(decisionId) ? null : await ports.takes.decisions.get(memberOf(request).orgId, id, decisionId.toLowerCase());
    if (found === null) return sendProblem(reply, 'not_found', NO_DECISION);
    return { decisionId: found.id, hash: found.hash, ...explainDecision(found) };
  },
});
