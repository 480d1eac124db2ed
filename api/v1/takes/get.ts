/** GET /v1/takes/:id. */
import { take } from '../../../actors/take/resource.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath } from '../../shapes.ts';
import { NO_TAKE, TakeBody } from './take-body.ts';

export const getTake = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id',
  name: 'getTake',
  tag: 'takes',
  summary: 'One Take',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The Take.', schema: TakeBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.takes.reads.find(memberOf(request).orgId, id);
    return found === null ? sendProblem(reply, 'not_found', NO_TAKE) : take.body(found);
  },
});
