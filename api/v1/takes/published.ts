/** GET /v1/takes/published: lists published Takes of all organizations, newest first, for forking. */
import { publishedTake } from '../../../actors/take/resource.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { PublishedTakeBody } from './take-body.ts';

export const listPublishedTakes = defineRoute({
  method: 'GET',
  url: '/v1/takes/published',
  name: 'listPublishedTakes',
  tag: 'takes',
  summary: 'Published Takes of all organizations, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of published Takes.', schema: pageOf(PublishedTakeBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'published-takes', POSITIONS.number);
    return pageBody(await ports.takes.reads.listPublished(memberOf(request).orgId, page), 'published-takes', publishedTake.body);
  },
});
