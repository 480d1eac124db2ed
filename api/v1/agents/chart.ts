/** GET /v1/agents/:id/chart: the agent's machine and where it stands. */

import { Type } from 'typebox';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, AnyJson, choice, nullable } from '../../shapes.ts';
import { NO_AGENT } from './agent-body.ts';

const ChartBody = Type.Object(
  {
    machine: Type.String({ description: 'The machine and its version, for example `agent@1`.' }),
    version: Type.Integer({ description: 'How many steps the actor has taken.' }),
    status: choice(['running', 'done', 'quarantined']),
    value: AnyJson,
    definition: AnyJson,
    mermaid: nullable('string', 'The machine as a Mermaid state diagram.'),
  },
  { $id: 'Chart', description: '`definition` and `mermaid` are null for a machine that this version of the service no longer has.' },
);

export const getChart = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/chart',
  name: 'getChart',
  tag: 'agents',
  summary: "The agent's state chart and where it stands",
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The chart.', schema: ChartBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const standing = id === null ? null : await ports.agents.reads.standing(memberOf(request).orgId, id);
    if (standing === null) return sendProblem(reply, 'not_found', NO_AGENT);
    const chart = ports.machines.describe(standing.machine);
    const { machine, version, status, value } = standing;
    return { machine, version, status, value, definition: chart?.definition ?? null, mermaid: chart?.mermaid ?? null };
  },
});
