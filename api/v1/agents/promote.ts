/** POST /v1/agents/:id/promote. */
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { AgentBody, agentBody, NO_AGENT } from './agent-body.ts';

export const promoteAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/promote',
  name: 'promoteAgent',
  tag: 'agents',
  summary: 'Requests the next promotion stage',
  description:
    'Opens the agent’s next gate if its evidence has passed. Else 409: `evidence_missing` where nothing is on record, `gate_failed` with every condition, what was observed and what is asked. The database holds the same gate.',
  cost: 'write',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The agent at its new stage.', schema: AgentBody } },
  refusals: ['not_found', 'evidence_missing', 'gate_failed', 'sign_off_refused', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, { status: 200, answer: agentBody, run: (context) => ports.agents.gates.promote(context, id) });
    };
  },
});
