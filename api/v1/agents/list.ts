/** GET /v1/agents: the organization's agents, newest first. */

import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { AgentBody, agentBody } from './agent-body.ts';

export const listAgents = defineRoute({
  method: 'GET',
  url: '/v1/agents',
  name: 'listAgents',
  tag: 'agents',
  summary: "The organization's agents, newest first",
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of agents.', schema: pageOf(AgentBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'agents', POSITIONS.uuid);
    return pageBody(await ports.agents.reads.list(memberOf(request).orgId, page), 'agents', agentBody);
  },
});
