/** GET /v1/takes/:id/history: the committed steps of the Take's state chart, newest first. */
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { StepBody } from '../agents/history.ts';
import { NO_TAKE } from './take-body.ts';

export const listTakeHistory = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id/history',
  name: 'listTakeHistory',
  tag: 'takes',
  summary: "The steps of the Take's state chart, newest first",
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of steps.', schema: pageOf(StepBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'take-history', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.takes.reads.history(memberOf(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_TAKE);
    return pageBody(found, 'take-history', (step) => ({ ...step, at: isoTime(step.at) }));
  },
});
