/** GET /v1/launches/:id: one launch. */
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AnyLaunchBody, anyLaunchBody, LaunchPath } from './launch-view-body.ts';

export const getLaunch = defineRoute({
  method: 'GET',
  url: '/v1/launches/:id',
  name: 'getLaunch',
  tag: 'launches',
  summary: 'One launch',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: LaunchPath },
  answers: { 200: { description: 'The launch.', schema: AnyLaunchBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const launch = id === null ? null : await ports.launches.reads.find(memberOf(request).orgId, id);
    return launch === null ? sendProblem(reply, 'not_found', NO_LAUNCH) : anyLaunchBody(launch, ports.clock.now());
  },
});
