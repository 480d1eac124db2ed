/** GET /v1/runtime/timers: lists pending delays of state charts. */
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { TimerBody } from './runtime-body.ts';

export const listTimers = defineRoute({
  method: 'GET',
  url: '/v1/runtime/timers',
  name: 'listTimers',
  tag: 'runtime',
  summary: 'Timers of actors, earliest due first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of timers.', schema: pageOf(TimerBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'timers', POSITIONS.timer);
    const found = await ports.runtime.reads.timers(memberOf(request).orgId, page);
    return pageBody(found, 'timers', ({ dueAt, ...one }) => ({ ...one, dueAt: isoTime(dueAt) }));
  },
});
