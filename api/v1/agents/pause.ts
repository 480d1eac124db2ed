/** POST /v1/agents/:id/pause. */

import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { TO_STOP } from '../../permission.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { AgentBody, agentBody } from './agent-body.ts';

export const pauseAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/pause',
  name: 'pauseAgent',
  tag: 'agents',
  summary: 'Pauses one agent',
  description: 'Stops its decisions and cancels its pending proposals. This route has a rate limit of its own.',
  permission: TO_STOP,
  cost: 'emergency',
  stops: true,
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The agent, paused.', schema: AgentBody } },
  refusals: ['not_found', 'already_paused', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, { status: 200, answer: agentBody, run: (context) => ports.agents.commands.pause(context, id) });
    };
  },
});
