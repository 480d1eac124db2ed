/** POST /v1/agents/:id/promote. */
import { Type } from 'typebox';
import type { PromotedView } from '../../../../actors/agent/gate-handler.ts';
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { onceOnly } from '../../../idempotency.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, EmptyBody, nullable } from '../../../shapes.ts';
import { AGENT_EXAMPLE, agentBody, agentFields } from '../agent-body.ts';
import { MissingHistoryBody, missingHistoryBody } from '../evaluations/missing-history-body.ts';

const PromotedBody = Type.Object(
  {
    ...agentFields,
    missingHistory: Type.Array(MissingHistoryBody, {
      description: 'After the step from `draft`: data that the conditions need and the backtest would miss.',
    }),
    liveLimit: nullable('string', 'Part of the universe that can never trade live, in one sentence. Null if everything can.'),
  },
  { $id: 'PromotedAgent', examples: [{ ...AGENT_EXAMPLE, stage: 'backtest', state: 'backtest', missingHistory: [], liveLimit: null }] },
);

function promotedBody(view: PromotedView) {
  return { ...agentBody(view), missingHistory: view.missingHistory.map(missingHistoryBody), liveLimit: view.liveLimit };
}

export const promoteAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/promote',
  name: 'promoteAgent',
  tag: 'agents',
  summary: 'Requests the next promotion stage',
  description:
    'Moves the agent to the next stage if its evidence passes. Otherwise 409: `evidence_missing` if there is no evidence, or `gate_failed` with each condition, the observed and the required value. The database enforces the same gate. The step from `draft` lists data that a backtest would miss, with the command that imports it.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The agent at its new stage.', schema: PromotedBody } },
  refusals: ['not_found', 'evidence_missing', 'gate_failed', 'sign_off_refused', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, { status: 200, answer: promotedBody, run: (context) => ports.agents.gates.promote(context, id) });
    };
  },
});
