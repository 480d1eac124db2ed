/** The server that halts and pauses and does nothing else: a way that stays free however busy the rest of the API is. */
import type { FastifyInstance } from 'fastify';
import { health } from './operation/health.ts';
import { TO_STOP } from './permission.ts';
import type { ApiPorts } from './ports.ts';
import { entry, type RouteEntry } from './route.ts';
import { type ApiOptions, buildApi } from './server.ts';
import { emergencyHalt } from './v1/agents/emergency-halt.ts';
import { pauseAgent } from './v1/agents/pause.ts';

/** Ports of the emergency routes. */
export interface EmergencyPorts extends Pick<ApiPorts, 'clock' | 'operation' | 'access' | 'answers'> {
  readonly agents: Pick<ApiPorts['agents'], 'commands'>;
}

const EMERGENCY_ROUTES: readonly RouteEntry[] = [entry(health, 'public'), entry(pauseAgent, TO_STOP), entry(emergencyHalt, TO_STOP)];

/** The same routes as those of the API, by the same rules; run it in a thread of its own, on connections of its own. */
export function buildEmergencyApi(
  ports: EmergencyPorts,
  options: Omit<ApiOptions, 'only' | 'extend' | 'routes'>,
): Promise<FastifyInstance> {
  // No other route is served, so no other port is asked.
  return buildApi(ports as ApiPorts, { ...options, only: EMERGENCY_ROUTES });
}
