/** GET /v1/runtime/activities: lists outside work that is pending or was given up. */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { ActivityBody } from './runtime-body.ts';

export const listActivities = defineRoute({
  method: 'GET',
  url: '/v1/runtime/activities',
  name: 'listActivities',
  tag: 'runtime',
  summary: 'Pending and abandoned activities, newest actors first',
  description: 'Finished activities are part of their step: `GET /v1/actors/:id/steps/:version`.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf({ ...pageFields, state: Type.Optional(choice(['pending', 'given_up'], 'Pending unless given.')) }) },
  answers: { 200: { description: 'A page of activities.', schema: pageOf(ActivityBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { state = 'pending' } = request.query;
    const page = pageOfQuery(request.query, 'activities', POSITIONS.activity);
    const found = await ports.runtime.reads.activities(memberOf(request).orgId, state, page);
    return pageBody(found, 'activities', ({ dueAt, createdAt, endedAt, ...one }) => ({
      ...one,
      dueAt: isoTime(dueAt),
      createdAt: isoTime(createdAt),
      endedAt: endedAt === null ? null : isoTime(endedAt),
    }));
  },
});
