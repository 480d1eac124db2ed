/** GET /v1/agents/:id: one agent with its manifest versions. */

import { Type } from 'typebox';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, AnyJson, HashText, Time } from '../../shapes.ts';
import { agentBody, agentFields, waitingAgentBody } from './agent-body.ts';

const AgentDetailBody = Type.Object(
  {
    ...agentFields,
    versions: Type.Array(Type.Object({ version: Type.Integer(), manifestHash: HashText, createdBy: Type.String(), createdAt: Time }), {
      description: 'Newest first.',
    }),
    manifest: Type.Unsafe<object>({
      ...AnyJson,
      type: 'object',
      additionalProperties: true,
      description: 'The canonical manifest of the active version, as it was hashed.',
    }),
  },
  { $id: 'AgentDetail' },
);

export const getAgent = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id',
  name: 'getAgent',
  tag: 'agents',
  summary: 'One agent with its manifest versions',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The agent.', schema: AgentDetailBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const { orgId } = memberOf(request);
    const agent = id === null ? null : await ports.agents.reads.get(orgId, id);
    if (agent === null) return sendProblem(reply, 'not_found', NO_AGENT);
    const body = agent.closing.length === 0 ? agentBody(agent) : waitingAgentBody(agent, await ports.agents.closingFacts(orgId, agent.id));
    return { ...body, versions: agent.versions, manifest: agent.manifest };
  },
});
