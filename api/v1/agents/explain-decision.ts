/** GET /v1/agents/:id/decisions/:decisionId/explain: one decision record in words. */
import { Type } from 'typebox';
import { explainDecision } from '../../../src/domain/explain-decision.ts';
import { memberOf } from '../../caller.ts';
import { idInPath, isUuid } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { HashText, IdText, objectOf } from '../../shapes.ts';
import { NO_DECISION } from './decision-body.ts';

const RulesInWords = Type.Array(Type.Object({ type: Type.String(), passed: Type.Boolean(), sentence: Type.String() }));

export const ExplainedDecision = Type.Object({
  decisionId: IdText,
  hash: HashText,
  summary: Type.String(),
  why: Type.Array(Type.String()),
  instruments: Type.Array(Type.Object({ instrument: Type.String(), seen: Type.String(), entry: RulesInWords, exit: RulesInWords })),
  missing: Type.Array(Type.String(), { description: 'What stood between this decision and a trade, the nearest first.' }),
});

export const explainAgentDecision = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/decisions/:decisionId/explain',
  name: 'explainDecision',
  tag: 'agents',
  summary: 'One decision in words',
  description:
    'What was seen, which rules held, what followed and what was missing for a trade. Every number is one of the decision record, which `hash` names.',
  cost: 'costly',
  schema: { params: objectOf({ id: IdText, decisionId: IdText }) },
  answers: { 200: { description: 'The decision in words.', schema: ExplainedDecision } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const { decisionId } = request.params;
    const found =
      id === null || !isUuid(decisionId) ? null : await ports.agents.decisions.get(memberOf(request).orgId, id, decisionId.toLowerCase());
    if (found === null) return sendProblem(reply, 'not_found', NO_DECISION);
    return { decisionId: found.id, hash: found.hash, ...explainDecision(found) };
  },
});
