/** GET /readyz: checks the database, the queue and the feeds. */
import { Type } from 'typebox';
import { defineRoute } from '../route.ts';
import { recent } from './recent.ts';

/** Minimum milliseconds between two checks of all parts, for all callers together. */
const FRESH_MS = 250;

const ReadinessBody = Type.Object(
  {
    ready: Type.Boolean(),
    parts: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean(), detail: Type.String() }), {
      description: 'Every part of the service, with the reason if it does not work.',
    }),
  },
  { $id: 'Readiness', examples: [{ ready: false, parts: [{ name: 'database', ok: false, detail: 'no answer within 500 ms' }] }] },
);

export const readiness = defineRoute({
  method: 'GET',
  url: '/readyz',
  name: 'getReadiness',
  tag: 'operation',
  summary: 'Readiness of the service, part by part',
  permission: 'public',
  cost: 'read',
  schema: {},
  answers: {
    200: { description: 'The service is ready.', schema: ReadinessBody },
    503: { description: 'At least one part does not work; the body names it.', schema: ReadinessBody },
  },
  refusals: [],
  handle: ({ clock, operation }) => {
    const asked = recent(clock, FRESH_MS, () => operation.readiness());
    return async (_, reply) => {
      const found = await asked();
      if (!found.ready) reply.code(503).header('retry-after', '2');
      return found;
    };
  },
});
