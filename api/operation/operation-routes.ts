/** Health, readiness and metrics. */
import { Type } from 'typebox';
import type { Clock } from '../../streams/clock/clock.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { health } from './health.ts';

/**
 * Returns a function with the last answer, made at most once per `freshMs`. Callers during a run wait for its result. Uses elapsed time, so
 * that a changed clock does not make an answer last for hours.
 */
export function recent<Answer>(clock: Pick<Clock, 'elapsed'>, freshMs: number, make: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | null = null;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    if (answer === null || clock.elapsed() >= until) {
      const made = make();
      answer = made;
      // Set once it is there: while it is being made, no other one is started.
      until = Number.POSITIVE_INFINITY;
      const settled = (keptMs: number) => (): void => {
        if (answer === made) until = clock.elapsed() + keptMs;
      };
      made.then(settled(freshMs), settled(0));
    }
    return answer;
  };
}

/** Lifetime of collected measurements in milliseconds. Collecting them takes at least 10 ms, while a scraper asks every few seconds. */
const METRICS_FRESH_MS = 1_000;

/** GET /metrics: the Prometheus text. */
const metrics = defineRoute({
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
    const text = recent(clock, METRICS_FRESH_MS, async () => Buffer.from(await measured.render()));
    return async (_, reply) => reply.header('content-type', measured.contentType).send(await text());
  },
});

/** Minimum milliseconds between two checks of all parts, for all callers together. */
const READINESS_FRESH_MS = 250;

const ReadinessBody = Type.Object(
  {
    ready: Type.Boolean(),
    parts: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean(), detail: Type.String() }), {
      description: 'Every part of the service, with the reason if it does not work.',
    }),
  },
  { $id: 'Readiness', examples: [{ ready: false, parts: [{ name: 'database', ok: false, detail: 'no answer within 500 ms' }] }] },
);

/** GET /readyz: checks the database, the queue and the feeds. */
const readiness = defineRoute({
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
    const asked = recent(clock, READINESS_FRESH_MS, () => operation.readiness());
    return async (_, reply) => {
      const found = await asked();
      if (!found.ready) reply.code(503).header('retry-after', '2');
      return found;
    };
  },
});

export const operationRoutes: RouteGroup = {
  tag: {
    name: 'operation',
    position: 10,
    description:
      'Health, readiness, metrics and the API documents. Probes call `/healthz` for the process and `/readyz` before they send traffic. `/readyz` answers 503 and names the part that does not work.',
  },
  routes: [health, readiness, metrics],
};
