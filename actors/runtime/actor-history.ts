/** Rebuilds any past state of an actor from the last checkpoint before it and the steps since, and writes the checkpoints. */
import type { ActorEvent, ActorState } from '../../src/domain/agents/actor-step.ts';
import { canonicalJson, type Json } from '../../src/domain/values/canonical-json.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { ContainedLoop } from './containment.ts';
import type { Directory } from './directory.ts';
import { eventStep, startStep } from './step.ts';

/** Number of steps between two checkpoints. Repeating them takes a few milliseconds. */
export const CHECKPOINT_STEPS = 128;
/** Number of checkpoints of one actor written at a time. */
const CHECKPOINTS_AT_ONCE = 64;
/** Maximum actors that get checkpoints per look. */
const CHECKPOINTED_AT_ONCE = 100;

/** State of an actor at a past version. */
export interface PastState {
  readonly version: number;
  readonly at: EpochMs;
  /** Id of the machine that the state fits. */
  readonly machine: string;
  readonly state: ActorState;
}

/** A committed step as stored. */
export interface StoredStep {
  readonly version: number;
  readonly at: EpochMs;
  readonly machine: string;
  readonly event: Json;
  readonly to: Json;
}

/** The actor whose history it is. */
export interface HistorySubject {
  readonly id: string;
  readonly orgId: string;
  readonly kind: string;
}

/** Location of steps that were moved to an archive file. */
export interface ArchivedSteps {
  /** Name of the file in the archive folder. */
  readonly file: string;
  /** Time at which they were moved. */
  readonly at: EpochMs;
}

export interface HistoryStore {
  /** Returns null if the organization has no such actor of this kind. */
  find(orgId: string, kind: string, actorId: string): Promise<HistorySubject | null>;
  /** Returns an actor of any kind, or null if the organization has none with this id. */
  subject(orgId: string, actorId: string): Promise<HistorySubject | null>;
  /** Returns the last checkpoint at or before the version, or null. */
  checkpoint(actorId: string, version: number): Promise<PastState | null>;
  /** Returns the steps after `from` up to and including `to`, oldest first. */
  steps(actorId: string, from: number, to: number): Promise<readonly StoredStep[]>;
  /** Returns the location of the actor's archived steps, or null. All its steps are moved at once. */
  archived(actorId: string): Promise<ArchivedSteps | null>;
  /** Returns the version of the last step at or before an instant, or null if the first one is later. */
  versionAt(actorId: string, at: EpochMs): Promise<number | null>;
}

export interface CheckpointStore extends HistoryStore {
  /** Returns actors that took `CHECKPOINT_STEPS` steps since their last checkpoint, with their present version. */
  due(limit: number): Promise<readonly (HistorySubject & { readonly version: number; readonly checkpointVersion: number })[]>;
  /** Writes the checkpoints and records `upTo` as the version they reach. */
  write(actorId: string, checkpoints: readonly PastState[], upTo: number): Promise<void>;
}

/** Event types that were renamed since steps were stored with them. */
const RENAMED: Readonly<Record<string, string>> = { 'errand.done': 'activity.done', 'errand.given_up': 'activity.given_up' };

/** Returns a stored event with its present name. */
export function presentEvent(stored: Json): ActorEvent {
  const event = stored as unknown as ActorEvent;
  const answer = event['answer'] as { readonly outcome?: string } | undefined;
  const renamed = answer?.outcome === 'overtaken' ? { ...event, answer: { ...answer, outcome: 'superseded' } } : event;
  return { ...renamed, type: RENAMED[event.type] ?? event.type };
}

/**
 * Folds steps into the state they lead to. The first may be the actor's start (`from` is null). @throws Error if a step leads elsewhere
 * than when it was committed, or no version of the machine fits.
 */
export function foldSteps(
  directory: Directory,
  subject: HistorySubject,
  from: PastState | null,
  steps: readonly StoredStep[],
): PastState | null {
  let past = from;
  const kind = directory.kind(subject.kind);
  for (const step of steps) {
    const info = { actorId: subject.id, orgId: subject.orgId, now: step.at };
    const event = presentEvent(step.event);
    let state: ActorState;
    if (past === null) {
      if (event.type !== 'started') throw new Error(`the history of actor ${subject.id} does not begin with its start`);
      state = startStep(kind, info, event['input'] as { readonly [key: string]: Json }).state;
    } else {
      const fit = directory.fit({ kind: subject.kind, machine: past.machine, state: past.state });
      if (fit === null) throw new Error(`this version cannot continue what ${past.machine} wrote`);
      state = eventStep(kind, info, fit.snapshot, event).state;
    }
    if (canonicalJson(state.value) !== canonicalJson(step.to))
      throw new Error(
        `step ${step.version} of actor ${subject.id} led to ${canonicalJson(step.to)}, and leads to ${canonicalJson(state.value)} now`,
      );
    past = { version: step.version, at: step.at, machine: kind.machine.id, state };
  }
  return past;
}

/** Returns the refusal of a query whose steps are not in the store. It says where they were moved to, or else `otherwise`. */
export async function withoutSteps(store: Pick<HistoryStore, 'archived'>, actorId: string, otherwise: string): Promise<Outcome<never>> {
  const moved = await store.archived(actorId);
  if (moved === null) return refuse('not_found', otherwise);
  return refuse(
    'not_found',
    `the steps of the actor were archived on ${new Date(moved.at).toISOString()} in file ${moved.file}; "sevengate archive steps ${actorId}" reads them from there`,
  );
}

export function createActorHistory(deps: { readonly store: HistoryStore; readonly directory: Directory }) {
  const { store, directory } = deps;
  return {
    /** Returns the actor after a version or at an instant. Refuses with `not_found` if it did not exist yet. */
    async stateAt(
      orgId: string,
      kind: string,
      actorId: string,
      moment: { readonly version: number } | { readonly at: EpochMs },
    ): Promise<Outcome<PastState>> {
      const subject = await store.find(orgId, kind, actorId);
      if (subject === null) return refuse('not_found', 'there is no such actor');
      const version = 'version' in moment ? moment.version : await store.versionAt(actorId, moment.at);
      const checkpoint = version === null ? null : await store.checkpoint(actorId, version);
      const steps = version === null ? [] : await store.steps(actorId, checkpoint?.version ?? 0, version);
      const past = foldSteps(directory, subject, checkpoint, steps);
      // Past a checkpoint without a step: the steps may have been archived.
      const isReached = past !== null && (steps.length > 0 || past.version === version);
      return isReached ? { ok: true, value: past } : withoutSteps(store, actorId, 'the actor did not exist at that moment');
    },
  };
}

export type ActorHistory = ReturnType<typeof createActorHistory>;

/**
 * Writes the checkpoints that are due. Returns the number of actors. An actor whose history does not fold is quarantined in this loop only.
 */
export async function writeCheckpoints(deps: {
  readonly store: CheckpointStore;
  readonly directory: Directory;
  readonly contained: ContainedLoop;
}): Promise<number> {
  const due = await deps.store.due(CHECKPOINTED_AT_ONCE + deps.contained.waiting);
  return deps.contained.each(
    due,
    ({ id, orgId }) => ({ id, orgId }),
    (actor) => checkpointActor(deps.store, deps.directory, actor),
  );
}

async function checkpointActor(
  store: CheckpointStore,
  directory: Directory,
  actor: HistorySubject & { readonly version: number; readonly checkpointVersion: number },
): Promise<void> {
  let past = actor.checkpointVersion === 0 ? null : await store.checkpoint(actor.id, actor.checkpointVersion);
  for (let reached = past?.version ?? 0; actor.version - reached >= CHECKPOINT_STEPS; reached = past?.version ?? reached) {
    const made: PastState[] = [];
    for (; made.length < CHECKPOINTS_AT_ONCE && actor.version - reached >= CHECKPOINT_STEPS; reached += CHECKPOINT_STEPS) {
      past = foldSteps(directory, actor, past, await store.steps(actor.id, reached, reached + CHECKPOINT_STEPS));
      if (past !== null) made.push({ ...past, version: reached + CHECKPOINT_STEPS });
    }
    await store.write(actor.id, made, reached);
    if (past !== null) past = { ...past, version: reached };
  }
}
