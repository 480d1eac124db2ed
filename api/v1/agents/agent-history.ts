/** Committed steps and the state chart of an agent. */
import { Type } from 'typebox';
import type { ChartState } from '../../../src/adapters/store/agents/agent-reads.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { requireMember } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { AgentPath, AnyJson, choice, nullable, objectSchema, pageFields, pageSchema, Time } from '../../shapes.ts';

export const StepBody = Type.Object(
  {
    version: Type.Integer({ description: "The actor's version after the step." }),
    at: Time,
    machine: Type.String(),
    event: AnyJson,
    from: AnyJson,
    to: AnyJson,
    cause: nullable('string', 'Origin of the event: a request id, `timer`, `activity` or `feed`.'),
  },
  { $id: 'Step' },
);

export const listHistory = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/history',
  name: 'listHistory',
  tag: 'agents',
  summary: "The steps of the agent's state chart, newest first",
  description: 'Every committed step except ordinary ticks, which are decision records.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of steps.', schema: pageSchema(StepBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'history', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.reads.history(requireMember(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return pageBody(found, 'history', (step) => ({ ...step, at: isoTime(step.at) }));
  },
});

export const ChartBody = Type.Object(
  {
    machine: Type.String({ description: 'The machine and its version, for example `agent@1`.' }),
    version: Type.Integer({ description: 'Steps taken by the actor.' }),
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
  summary: "The agent's state chart with its present state",
  permission: 'agent:read',
  cost: 'read',
  description: 'With `at`, where the chart stood at that time: rebuilt from the last checkpoint before it and the steps since.',
  schema: {
    params: AgentPath,
    querystring: objectSchema({
      at: Type.Optional(Type.String({ format: 'date-time', description: 'Moment of the chart; the present unless given.' })),
    }),
  },
  answers: { 200: { description: 'The chart.', schema: ChartBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const { at } = request.query;
    const found =
      id === null ? null : await foundAt(ports.agents, requireMember(request).orgId, id, at === undefined ? null : Date.parse(at));
    if (found === null) return sendProblem(reply, 'not_found', at === undefined ? NO_AGENT : 'there was no such agent at that time');
    const chart = ports.machines.describe(found.machine);
    const { machine, version, status, value } = found;
    return { machine, version, status, value, definition: chart?.definition ?? null, mermaid: chart?.mermaid ?? null };
  },
});

async function foundAt({ reads, past }: ApiPorts['agents'], orgId: string, id: string, at: EpochMs | null): Promise<ChartState | null> {
  if (at === null) return reads.chartState(orgId, id);
  const found = await past.stateAt(orgId, 'agent', id, { at });
  if (!found.ok) return null;
  const { machine, version, state } = found.value;
  return { machine, version, status: state.status === 'done' ? 'done' : 'running', value: state.value };
}
