/** GET /v1/runtime/incidents: lists failures inside actors. */
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { IncidentBody } from './runtime-body.ts';

export const listIncidents = defineRoute({
  method: 'GET',
  url: '/v1/runtime/incidents',
  name: 'listIncidents',
  tag: 'runtime',
  summary: 'Incidents inside actors, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of incidents.', schema: pageOf(IncidentBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'incidents', POSITIONS.number);
    const found = await ports.runtime.reads.incidents(memberOf(request).orgId, page);
    return pageBody(found, 'incidents', ({ id: _, at, ...one }) => ({ ...one, at: isoTime(at) }));
  },
});
