/** Ports for inspecting actors, on connections that see one organization. */

import type { ActorDetail, ActorReads } from '../../src/adapters/store/actors/actor-reads.ts';
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { ActorLives } from '../../actors/runtime/actor-life.ts';
import type { Directory } from '../../actors/runtime/directory.ts';
import { nameActor } from './inspector.ts';
import type { InspectedActor } from './stately-messages.ts';

/** Maximum running actors sent to a visualizer that names none. */
const MOST_ACTORS = 100;

export function createInspection(deps: {
  readonly reads: Pick<ActorReads, 'get' | 'list'>;
  /** Returns the lives of an organization's actors. */
  readonly lives: (orgId: string) => ActorLives;
  readonly directory: Directory;
}) {
  const { reads, lives, directory } = deps;
  return {
    directory,
    lives,
    /** Returns the actors to begin with: the named one, finished or not, else the newest running ones. */
    async actors(orgId: string, actorId: string | null): Promise<readonly InspectedActor[]> {
      if (actorId !== null) {
        const one = await reads.get(orgId, actorId);
        return one === null ? [] : [inspected(orgId, one)];
      }
      const { items } = await reads.list(orgId, { kind: null, status: 'running', search: null }, { limit: MOST_ACTORS, after: null });
      const details = await Promise.all(items.map(({ id }) => reads.get(orgId, id)));
      return details.flatMap((one) => (one === null ? [] : [inspected(orgId, one)]));
    },
  };
}

/** Ports of the inspection besides those of the other feeds. */
export type InspectionPorts = ReturnType<typeof createInspection>;

function inspected(orgId: string, { id, kind, name, version, value, context, status, changedAt }: ActorDetail): InspectedActor {
  const state = { value, context: context as ActorState['context'], status: status === 'done' ? ('done' as const) : ('active' as const) };
  return { id, orgId, kind, name: name ?? nameActor(kind, id), version, state, at: Date.parse(changedAt) };
}
