/** GET /v1/takes/:id/chart: returns the Take's machine and its present state. */
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath } from '../../shapes.ts';
import { ChartBody } from '../agents/chart.ts';
import { NO_TAKE } from './take-body.ts';

export const getTakeChart = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id/chart',
  name: 'getTakeChart',
  tag: 'takes',
  summary: "The Take's state chart with its present state",
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The chart.', schema: ChartBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const chartState = id === null ? null : await ports.takes.reads.chartState(memberOf(request).orgId, id);
    if (chartState === null) return sendProblem(reply, 'not_found', NO_TAKE);
    const chart = ports.machines.describe(chartState.machine);
    const { machine, version, status, value } = chartState;
    return { machine, version, status, value, definition: chart?.definition ?? null, mermaid: chart?.mermaid ?? null };
  },
});
