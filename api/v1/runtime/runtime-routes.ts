/** The runtime. */
import type { InterventionCommands } from '../../../actors/intervention/command-handler.ts';
import type { RuntimeReads } from '../../../src/adapters/store/actors/runtime-reads.ts';
import type { WorkQueues } from '../../../src/adapters/store/actors/runtime-rows.ts';
import { type RouteGroup } from '../../route.ts';
import { listAlerts } from '../alerts.ts';
import { listActivities } from './activities.ts';
import { getRuntime } from './get.ts';
import { listIncidents } from './incidents.ts';
import { listInterventions } from './interventions.ts';
import { listTimers } from './timers.ts';
import { getWork, listWork } from './work.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly runtime: {
      readonly reads: RuntimeReads;
      readonly commands: InterventionCommands;
      queues(): Promise<WorkQueues>;
    };
  }
}

export const runtimeRoutes: RouteGroup = {
  tag: {
    name: 'runtime',
    position: 100,
    description:
      'Pending and abandoned activities, timers, incidents, interventions and background work. Find the actor first, then retry an activity or release a quarantine under **actors**. Interventions require a reason and are recorded.',
  },
  routes: [getRuntime, listActivities, listTimers, listIncidents, listInterventions, listAlerts, listWork, getWork],
};
