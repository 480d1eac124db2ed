/** What the routes of actors of every kind ask: questions to their past. */
import type { ActorBranches } from '../../../actors/runtime/actor-branches.ts';

export type ActorPorts = ActorBranches;
