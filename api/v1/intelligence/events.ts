/** GET /v1/intelligence/events: lists market events with their confirmation and reports. */
import { Type } from 'typebox';
import { pageBody, pageOfQuery } from '../../cursor.ts';
import { malformed } from '../../http/strict-json.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { EventBody, eventBody, KindWord, SeverityWord } from './event-body.ts';
import { BY_TIME, underlyingOf } from './reading.ts';

export const listEvents = defineRoute({
  method: 'GET',
  url: '/v1/intelligence/events',
  name: 'listMarketEvents',
  tag: 'intelligence',
  summary: 'Market events with their corroboration and sources',
  description:
    'Filings, wire items and what they are about, newest first. An event is confirmed by one primary source or by two independent families; copies of one text count once, and social posts never count.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      symbol: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'An underlying, or an instrument of it: `AAPL`, `AAPLx`.' }),
      ),
      minSeverity: Type.Optional(SeverityWord),
      kind: Type.Optional(KindWord),
      confirmed: Type.Optional(Type.Boolean({ description: '`true`: confirmed ones only; `false`: those that are not.' })),
      from: Type.Optional(Type.String({ format: 'date-time', description: 'Events observed since then.' })),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of events.', schema: pageOf(EventBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { symbol, minSeverity, kind, confirmed, from } = request.query;
    const page = pageOfQuery(request.query, 'market-events', BY_TIME);
    const since = from === undefined ? undefined : Date.parse(from);
    if (since !== undefined && !Number.isFinite(since))
      throw malformed('query.from', 'no time', 'an ISO 8601 time such as 2026-03-02T14:31:00Z');
    const filter = {
      ...(symbol === undefined ? {} : { symbol: underlyingOf(ports.catalog.entries, symbol) }),
      ...(minSeverity === undefined ? {} : { minSeverity }),
      ...(kind === undefined ? {} : { kind }),
      ...(confirmed === undefined ? {} : { confirmed }),
      ...(since === undefined ? {} : { from: since }),
    };
    return pageBody(await ports.intelligence.events(filter, page), 'market-events', eventBody);
  },
});
