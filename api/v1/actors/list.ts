/** GET /v1/actors: the durable actors of an organization, of every kind, newest first. */
import { Type } from 'typebox';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { ActorBody } from './actor-body.ts';

export const listActors = defineRoute({
  method: 'GET',
  url: '/v1/actors',
  name: 'listActors',
  tag: 'actors',
  summary: 'The durable actors of every kind, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      ...pageFields,
      kind: Type.Optional(Type.String({ pattern: '^[a-z_]{1,40}$', description: 'Kind of actor, e.g. `agent`.' })),
      status: Type.Optional(choice(['running', 'done', 'quarantined'])),
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 80, description: 'Part of the agent name, the kind or the id.' })),
    }),
  },
  answers: { 200: { description: 'A page of actors.', schema: pageOf(ActorBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'actors', POSITIONS.number);
    const { kind = null, status = null, search = null } = request.query;
    return pageBody(await ports.actors.reads.list(memberOf(request).orgId, { kind, status, search }, page), 'actors', (actor) => actor);
  },
});
