/** The emergency server, which only halts and pauses, so that both work however busy the API is. */
import type { FastifyInstance } from 'fastify';
import { health } from './operation/health.ts';
import type { ApiPorts, Route } from './route.ts';
import { type ApiOptions, buildServer } from './server.ts';
import { emergencyHalt, pauseAgent } from './v1/agents/agent-halts.ts';

/** Ports of the emergency routes. */
export interface EmergencyPorts extends Pick<ApiPorts, 'clock' | 'operation' | 'access' | 'answers'> {
  readonly agents: Pick<ApiPorts['agents'], 'commands'>;
}

const EMERGENCY_ROUTES: readonly Route[] = [health, pauseAgent, emergencyHalt];

/** Builds the server with the same routes and rules as the API. Run it in its own thread, with its own connections. */
export function buildEmergencyApi(ports: EmergencyPorts, options: Omit<ApiOptions, 'extend'>): Promise<FastifyInstance> {
  // No other route is served, so no other port is used.
  return buildServer(ports as ApiPorts, options, () => EMERGENCY_ROUTES);
}
