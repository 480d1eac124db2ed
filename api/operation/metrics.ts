/** GET /metrics: the Prometheus text. */
import { defineRoute } from '../route.ts';
import { recent } from './recent.ts';

/** Lifetime of collected measurements in milliseconds. Collecting them takes at least 10 ms, while a scraper asks every few seconds. */
const FRESH_MS = 1_000;

export const metrics = defineRoute({
  method: 'GET',
  url: '/metrics',
  name: 'getMetrics',
  tag: 'operation',
  summary: 'Measurements in the Prometheus text format',
  permission: 'public',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'The measurements.', contentType: 'text/plain' } },
  refusals: [],
  handle: ({ clock, operation: { metrics: measured } }) => {
    // As bytes, because a text of half a megabyte would be encoded again for every request.
    const text = recent(clock, FRESH_MS, async () => Buffer.from(await measured.render()));
    return async (_, reply) => reply.header('content-type', measured.contentType).send(await text());
  },
});
