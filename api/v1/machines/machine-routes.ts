/** State charts of the machines. */
import { entry, type RouteGroup } from '../../route.ts';
import { agentRoutes } from '../agents/agent-routes.ts';
import { getMachineLayout } from './layout.ts';

export const machineRoutes: RouteGroup = {
  tag: agentRoutes.tag,
  routes: [entry(getMachineLayout, 'agent:read')],
};
