/** Store of actors, as the runtime requires it. PostgreSQL in production, memory in a replay. */
import type { ActorRow, ActorStart, DueActivity, DueTimer, FiredTimer, Incident, StepCommit } from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

export interface ActorStore {
  load(ids: readonly string[]): Promise<ReadonlyMap<string, ActorRow>>;
  /** Creates actors with their first steps, all in one transaction or none. */
  start(...starts: readonly ActorStart[]): Promise<void>;
  /**
   * Commits many steps in one transaction. Several steps of one actor are in order, each on the version of the previous one: all of them or
   * none. Returns the ids whose version or fired timer had changed. Nothing of those was written.
   */
  commit(commits: readonly StepCommit[]): Promise<ReadonlySet<string>>;
  /** True for an error by which the store refused a step's rows. Retrying the same step fails the same way. */
  isRefusal(error: unknown): boolean;
  incident(incident: Incident): Promise<void>;
  /** Returns due timers. Those of quarantined actors wait for the release. */
  dueTimers(now: EpochMs, limit: number): Promise<readonly DueTimer[]>;
  /** Deletes a timer that its actor does not take, unless it was set anew since, or the actor is quarantined. */
  dropTimer(actorId: string, timer: FiredTimer): Promise<void>;
  /**
   * Takes due activities of these kinds and postpones their next attempt by `retryMs`, doubled with every attempt, so that those of a
   * crashed worker are found again. Several workers divide the organizations among them. Those of quarantined actors wait for the release.
   */
  takeActivities(now: EpochMs, retryMs: number, limit: number, kinds: readonly string[]): Promise<readonly DueActivity[]>;
  /** Postpones the next attempt of pending activities to `until`, if it is earlier. */
  renewActivities(keys: readonly string[], until: EpochMs): Promise<void>;
  /** Joins the division of organizations among the workers of these kinds until an instant. 0 leaves it. */
  attend(until: EpochMs, kinds: readonly string[]): Promise<void>;
  /** Ends an activity whose answer its actor does not take, unless the actor is quarantined: then it is tried again after the release. */
  giveUpActivity(key: string, answer: Json): Promise<void>;
}

/** Reads actors by their ids. Unknown ids are missing in the result. */
export type LoadActors = (ids: readonly string[]) => Promise<ReadonlyMap<string, ActorRow>>;

/** Returns the actor of this kind with this id, or null if the organization has none. */
export async function loadActor(load: LoadActors, kind: string, orgId: string, id: string): Promise<ActorRow | null> {
  const row = (await load([id])).get(id);
  return row === undefined || row.orgId !== orgId || row.kind !== kind ? null : row;
}

/** Returns an actor that the work of another one names. @throws Error if there is none */
export async function requireActor(load: LoadActors, id: string): Promise<ActorRow> {
  const row = (await load([id])).get(id);
  if (row === undefined) throw new Error(`there is no actor ${id}`);
  return row;
}
