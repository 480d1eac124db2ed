/** POST /v1/agents/:id/resume: resumes a paused agent, if the caller may by the cause of the pause. */
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { AgentBody, agentBody } from './agent-body.ts';

export const resumeAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/resume',
  name: 'resumeAgent',
  tag: 'agents',
  summary: 'Resumes a paused agent',
  description:
    'The agent continues at the stage that it was paused from, unless its manifest changed. After a breaker the cause must be gone, and somebody other than the creator must ask.',
  permission: 'risk:manage',
  cost: 'write',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The agent, running again.', schema: AgentBody } },
  refusals: ['not_found', 'not_paused', 'cause_persists', 'resume_by_creator', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, { status: 200, answer: agentBody, run: (context) => ports.agents.commands.resume(context, id) });
    };
  },
});
