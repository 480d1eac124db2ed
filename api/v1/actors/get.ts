/** GET /v1/actors/:id: returns an actor of any kind, with its context and incidents. */
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { ActorDetailBody, ActorPath, NO_ACTOR } from './actor-body.ts';

export const getActor = defineRoute({
  method: 'GET',
  url: '/v1/actors/:id',
  name: 'getActor',
  tag: 'actors',
  summary: 'One actor of any kind: state, context and incidents',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: ActorPath },
  answers: { 200: { description: 'The actor.', schema: ActorDetailBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.actors.reads.get(memberOf(request).orgId, id);
    if (found === null) return sendProblem(reply, 'not_found', NO_ACTOR);
    return { ...found, incidents: found.incidents.map((incident) => ({ ...incident, at: isoTime(incident.at) })) };
  },
});
