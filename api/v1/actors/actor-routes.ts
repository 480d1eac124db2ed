/** Actors, and interventions in them. */
import type { ActorBranches } from '../../../actors/runtime/actor-branches.ts';
import type { ActorReads } from '../../../src/adapters/store/actors/actor-reads.ts';
import { type RouteGroup } from '../../route.ts';
import { exportActorTest } from './export-test.ts';
import { getActor } from './get.ts';
import { releaseActor, resetActor, retryActivity } from './intervene.ts';
import { listActors } from './list.ts';
import { getActorStep } from './step.ts';
import { listActorSteps } from './steps.ts';
import { askWhatIf } from './what-if.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly actors: ActorBranches & { readonly reads: ActorReads };
  }
}

export const actorRoutes: RouteGroup = {
  tag: {
    name: 'actors',
    position: 90,
    description:
      'State and history of every durable actor: agents, Takes, proposals, orders, transfers and launches. Read its steps, open one step to see guards and effects, and try other events with what-if, which stores nothing. `state_conflict` means that a newer state chart no longer takes the stored step.',
  },
  routes: [askWhatIf, exportActorTest, listActors, getActor, listActorSteps, getActorStep],
};

export const interventionRoutes: RouteGroup = {
  tag: actorRoutes.tag,
  routes: [retryActivity, resetActor, releaseActor],
};
