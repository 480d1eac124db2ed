/** GET /v1/alerts: lists announcements of the channel `alerts` from the store. */
import { Type } from 'typebox';
import { VENUES } from '../../src/domain/market/venue.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { memberOf } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { defineRoute } from '../route.ts';
import { nullable, objectOf, pageFields, pageOf, Time } from '../shapes.ts';

const AlertBody = Type.Object(
  {
    at: Time,
    what: Type.String({ description: 'The kind of the alert, such as `data_degraded`.' }),
    agentId: nullable('string', 'The agent that it is about; null of other actors and of the whole service.'),
    agentName: nullable('string', 'Present name of the agent.'),
    venues: Type.Array(Type.String({ enum: [...VENUES] }), { description: 'The venues that it is about; empty if it is about none.' }),
    detail: nullable('string', 'Cause in one sentence, if the alert gives one.'),
    ofService: Type.Boolean({ description: 'It is about the whole service, and every organization is told.' }),
    data: Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: 'The message of the feed `alerts`, unchanged.' }),
  },
  { $id: 'Alert' },
);

export const listAlerts = defineRoute({
  method: 'GET',
  url: '/v1/alerts',
  name: 'listAlerts',
  tag: 'runtime',
  summary: 'Alerts of the organization and of the whole service, newest first',
  description: 'Alerts of the feed `alerts`, as far back as feeds can be resumed (`FEED_HISTORY_DAYS`).',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of alerts.', schema: pageOf(AlertBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'alerts', POSITIONS.announcement);
    const found = await ports.runtime.reads.alerts(memberOf(request).orgId, page);
    return pageBody(found, 'alerts', ({ position: _, at, body, venues, ...alert }) => ({
      at: isoTime(at),
      ...alert,
      venues: VENUES.filter((venue) => venues.includes(venue)),
      data: body,
    }));
  },
});
