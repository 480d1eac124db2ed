/** GET /v1/takes: the organization's Takes, newest first. */
import { Type } from 'typebox';
import { take } from '../../../actors/take/resource.ts';
import { TAKE_STATES } from '../../../src/domain/take/take.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { TakeBody } from './take-body.ts';

export const listTakes = defineRoute({
  method: 'GET',
  url: '/v1/takes',
  name: 'listTakes',
  tag: 'takes',
  summary: "The organization's Takes, newest first",
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      state: Type.Optional(choice(TAKE_STATES)),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of Takes.', schema: pageOf(TakeBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { state = null } = request.query;
    const page = pageOfQuery(request.query, 'takes', POSITIONS.number);
    return pageBody(await ports.takes.reads.list(memberOf(request).orgId, { origin: null, state }, page), 'takes', take.body);
  },
});
