/** POST /v1/agents/:id/autonomy. */
import { AUTONOMY_IDENTIFIERS, AUTONOMY_LEVELS, type Autonomy, NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, choice, objectOf } from '../../shapes.ts';
import { AgentBody, agentBody } from './agent-body.ts';

const AutonomyRequest = objectOf({
  autonomy: choice([...AUTONOMY_LEVELS, ...Object.keys(AUTONOMY_IDENTIFIERS)], 'The level, in either form.'),
});

export const setAgentAutonomy = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/autonomy',
  name: 'setAgentAutonomy',
  tag: 'agents',
  summary: 'Sets the autonomy level',
  description: 'Raising to `policy_auto` or `autonomous` also needs `risk:manage`; lowering is always allowed.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: AutonomyRequest },
  idempotent: true,
  answers: { 200: { description: 'The agent at its new level.', schema: AgentBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const { autonomy: word } = request.body;
      const autonomy = AUTONOMY_IDENTIFIERS[word] ?? (word as Autonomy);
      return carryOut(request, reply, {
        status: 200,
        answer: agentBody,
        run: (context) => ports.agents.commands.setAutonomy(context, id, autonomy),
      });
    };
  },
});
