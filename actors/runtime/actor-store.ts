/** Store of actors, as the runtime requires it. PostgreSQL in production, memory in a replay. */
import type { ActorRow, ActorStart, DueActivity, DueTimer, Incident, StepCommit } from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

export interface ActorStore {
  load(ids: readonly string[]): Promise<ReadonlyMap<string, ActorRow>>;
  /** Creates actors with their first steps: all of them in one transaction, or none. */
  start(...starts: readonly ActorStart[]): Promise<void>;
  /**
   * Commits many steps in one transaction. Several of one actor are its steps in their order, each on the version that the
   * one before it leads to: all of them or none. Returns the ids whose version had moved on; nothing of those was written.
   */
  commit(commits: readonly StepCommit[]): Promise<ReadonlySet<string>>;
  /** True for an error by which the store refused what a step would write: the same step is refused again. */
  isRefusal(error: unknown): boolean;
  incident(incident: Incident): Promise<void>;
  dueTimers(now: EpochMs, limit: number): Promise<readonly DueTimer[]>;
  dropTimer(actorId: string, timerId: string): Promise<void>;
  /** Takes activities of these kinds that are due and puts their next attempt off by `retryMs`, doubled with every attempt, so that those of a crashed activity worker are found again. Several workers divide the organizations among them. */
  takeActivities(now: EpochMs, retryMs: number, limit: number, kinds: readonly string[]): Promise<readonly DueActivity[]>;
  /** Puts the next attempt of activities that are still pending off until `until`, if it would come before. */
  renewActivities(keys: readonly string[], until: EpochMs): Promise<void>;
  /** Has a part in the division of organizations among the workers that carry these kinds out, until an instant; 0 gives it up. */
  attend(until: EpochMs, kinds: readonly string[]): Promise<void>;
  giveUpActivity(key: string, answer: Json): Promise<void>;
}
