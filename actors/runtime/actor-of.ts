/** Reads the actor of a command by its id, and checks its organization and kind. */
import type { ActorRow } from '../../src/domain/agents/actor-step.ts';

/** Reads actors by their ids. Unknown ids are missing in the result. */
export type LoadActors = (ids: readonly string[]) => Promise<ReadonlyMap<string, ActorRow>>;

/** Returns the actor of this kind with this id, or null if the organization has none. */
export async function actorOf(load: LoadActors, kind: string, orgId: string, id: string): Promise<ActorRow | null> {
  const row = (await load([id])).get(id);
  return row === undefined || row.orgId !== orgId || row.kind !== kind ? null : row;
}
