/** GET /v1/launches: the organization's launches, newest first. */
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { AnyLaunchBody, anyLaunchBody } from './launch-view-body.ts';

export const listLaunches = defineRoute({
  method: 'GET',
  url: '/v1/launches',
  name: 'listLaunches',
  tag: 'launches',
  summary: 'Launches of tokens, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of launches.', schema: pageOf(AnyLaunchBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'launches', POSITIONS.number);
    return pageBody(await ports.launches.reads.list(memberOf(request).orgId, page), 'launches', (launch) =>
      anyLaunchBody(launch, ports.clock.now()),
    );
  },
});
