/** State charts of the machines. */
import type { MachineChart } from '../../../actors/runtime/chart.ts';
import type { MachineLayout } from '../../../src/adapters/chart/machine-layout.ts';
import { type RouteGroup } from '../../route.ts';
import { agentRoutes } from '../agents/agent-routes.ts';
import { getMachineLayout } from './layout.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly machines: {
      /** Null for a machine that this version of the service does not have. */
      describe(machine: string): MachineChart | null;
      layout(machine: string): Promise<MachineLayout | null>;
    };
  }
}

export const machineRoutes: RouteGroup = {
  tag: agentRoutes.tag,
  routes: [getMachineLayout],
};
