/** POST /v1/agents/:id/release: releases an agent from quarantine. */
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { AgentBody, agentBody } from './agent-body.ts';

export const releaseAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/release',
  name: 'releaseAgent',
  tag: 'agents',
  summary: 'Takes an agent out of quarantine',
  description:
    'An agent is quarantined if one of its rows cannot be read or its machine threw; its incidents name the cause. Release it after the repair. It is then paused with the cause `quarantine` until somebody other than its creator resumes it. If the cause remains, its next tick quarantines it again.',
  permission: 'risk:manage',
  cost: 'write',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The agent, paused.', schema: AgentBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, { status: 200, answer: agentBody, run: (context) => ports.agents.commands.release(context, id) });
    };
  },
});
