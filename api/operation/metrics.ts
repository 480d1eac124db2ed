/** GET /metrics: the Prometheus text. */
import { defineRoute } from '../route.ts';

export const metrics = defineRoute({
  method: 'GET',
  url: '/metrics',
  name: 'getMetrics',
  tag: 'operation',
  summary: 'Measurements in the Prometheus text format',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'The measurements.', contentType: 'text/plain' } },
  refusals: [],
  handle: (ports) => async (_, reply) =>
    reply.header('content-type', ports.operation.metrics.contentType).send(await ports.operation.metrics.render()),
});
