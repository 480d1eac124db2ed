/** GET /v1/runtime/interventions: lists retries, resets and releases, with their authors and reasons. */
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { interventionBody, RecordedInterventionBody } from './runtime-body.ts';

export const listInterventions = defineRoute({
  method: 'GET',
  url: '/v1/runtime/interventions',
  name: 'listInterventions',
  tag: 'runtime',
  summary: 'Interventions (retry, reset, release) with member and reason, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of interventions.', schema: pageOf(RecordedInterventionBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'interventions', POSITIONS.number);
    const found = await ports.runtime.reads.interventions(memberOf(request).orgId, page);
    return pageBody(found, 'interventions', ({ number: _, ...one }) => interventionBody(one));
  },
});
