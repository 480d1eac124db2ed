/** The one question of every command on an actor by its id: whether it is the caller's, and of the kind that the command is for. */
import type { ActorRow } from '../../src/domain/agents/actor-step.ts';

/** Reads actors by their ids; those that there are not are missing. */
export type LoadActors = (ids: readonly string[]) => Promise<ReadonlyMap<string, ActorRow>>;

/** Returns the actor of this kind with this id, or null if the organization has none. */
export async function actorOf(load: LoadActors, kind: string, orgId: string, id: string): Promise<ActorRow | null> {
  const row = (await load([id])).get(id);
  return row === undefined || row.orgId !== orgId || row.kind !== kind ? null : row;
}
