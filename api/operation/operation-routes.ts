/** Health, readiness and metrics. */
import { type RouteGroup } from '../route.ts';
import { health } from './health.ts';
import { metrics } from './metrics.ts';
import { readiness } from './readiness.ts';

export const operationRoutes: RouteGroup = {
  tag: {
    name: 'operation',
    position: 10,
    description:
      'Health, readiness, metrics and the API documents. Probes call `/healthz` for the process and `/readyz` before they send traffic. `/readyz` answers 503 and names the part that does not work.',
  },
  routes: [health, readiness, metrics],
};
