/** GET /v1/agents/:id/history: the committed steps of the agent's state chart, newest first. */

import { Type } from 'typebox';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, AnyJson, nullable, objectOf, pageFields, pageOf, Time } from '../../shapes.ts';

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
  schema: { params: AgentPath, querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of steps.', schema: pageOf(StepBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'history', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.reads.history(memberOf(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return pageBody(found, 'history', (step) => ({ ...step, at: isoTime(step.at) }));
  },
});
