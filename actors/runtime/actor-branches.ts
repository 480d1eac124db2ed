/**
 * Queries of an actor's past: why a step went as it did, what other events would have done, and a range of steps as a test. Nothing is
 * written.
 */
import type { ActorEvent, StepPlan } from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import {
  foldSteps,
  type HistoryStore,
  type HistorySubject,
  type PastState,
  presentEvent,
  withoutSteps,
  type StoredStep,
} from './actor-history.ts';
import type { Directory } from './directory.ts';
import { historyTest, MOST_EXPORTED_STEPS } from './history-test.ts';
import { type Branch, branchFrom, contextChanges } from './what-if.ts';
import type { FieldChange } from '../../src/domain/manifest/diff.ts';
import { type GuardAnswer, tracedMachine } from './guard-trace.ts';
import { eventStep, eventsTaken, restore, startStep } from './step.ts';

const NO_ACTOR = 'there is no actor with this id';

/** Outcome of an activity. */
export interface ActivityFate {
  readonly state: 'pending' | 'done' | 'given_up';
  readonly attempts: number;
  readonly dueAt: EpochMs;
  /** Answer of its worker, or null before it answers. */
  readonly answer: Json;
  readonly endedAt: EpochMs | null;
}

/** Reads the results of the first `count` activities that a step requested, in order. Null for one that is not stored. */
export type ActivityFates = (actorId: string, version: number, count: number) => Promise<readonly (ActivityFate | null)[]>;

/** A step with its reasons, and the results of its activities. */
interface AccountedStep extends Omit<StepAccount, 'activities'> {
  readonly kind: string;
  /** Id of the present machine that the account is made with. */
  readonly machine: string;
  readonly version: number;
  readonly at: EpochMs;
  readonly event: ActorEvent;
  readonly activities: readonly (StepAccount['activities'][number] & { readonly fate: ActivityFate | null })[];
}

export function createActorBranches(deps: {
  readonly store: HistoryStore;
  readonly fates: ActivityFates;
  readonly directory: Directory;
  readonly clock: Pick<Clock, 'now'>;
}) {
  const { store, fates, directory, clock } = deps;

  async function stateAfter(subject: HistorySubject, version: number): Promise<PastState | null> {
    const checkpoint = await store.checkpoint(subject.id, version);
    const steps = await store.steps(subject.id, checkpoint?.version ?? 0, version);
    return foldSteps(directory, subject, checkpoint, steps);
  }

  return {
    /**
     * Explains a step and its consequences. Refuses with `not_found` if the organization has no such actor or the version has no
     * step, and with `state_conflict` if the present machines no longer lead to it.
     */
    async account(orgId: string, actorId: string, version: number): Promise<Outcome<AccountedStep>> {
      const subject = await store.subject(orgId, actorId);
      if (subject === null) return refuse('not_found', NO_ACTOR);
      const [step] = await store.steps(actorId, version - 1, version);
      if (step === undefined) return withoutSteps(store, actorId, `no step led to version ${version} of the actor`);
      const told = await tell(async () => {
        const before = version === 1 ? null : await stateAfter(subject, version - 1);
        return accountOfStep(directory, subject, before, step);
      });
      if (!told.ok) return told;
      const { activities, ...account } = told.value;
      const found = await fates(actorId, version, activities.length);
      const event = presentEvent(step.event);
      const place = { kind: subject.kind, machine: directory.kind(subject.kind).machine.id, version, at: step.at, event };
      return { ok: true, value: { ...account, ...place, activities: activities.map((one, i) => ({ ...one, fate: found[i] ?? null })) } };
    },

    /**
     * Returns the branch that events lead to from the state after a version. The time is now unless given. Refuses with
     * `not_found` if the organization has no such actor or it has not reached the version.
     */
    async whatIf(
      orgId: string,
      actorId: string,
      { version, events, at }: { readonly version: number; readonly events: readonly ActorEvent[]; readonly at: number | null },
    ): Promise<Outcome<Branch & { readonly kind: string; readonly machine: string }>> {
      const subject = await store.subject(orgId, actorId);
      if (subject === null) return refuse('not_found', NO_ACTOR);
      const past = await stateAfter(subject, version);
      if (past === null || past.version < version)
        return withoutSteps(
          store,
          actorId,
          `the actor has no step of version ${version}${past === null ? '' : `: its last one is ${past.version}`}`,
        );
      const branch = branchFrom(directory, subject, past, events, at ?? clock.now());
      return { ok: true, value: { ...branch, kind: subject.kind, machine: directory.kind(subject.kind).machine.id } };
    },

    /** Returns the steps after `from` up to `to` as the source of a test. `from` 0 begins with the start. */
    async exportTest(orgId: string, actorId: string, from: number, to: number): Promise<Outcome<string>> {
      if (to <= from) return refuse('malformed', `$.to: the range must end after its start, ${from}`);
      if (to - from > MOST_EXPORTED_STEPS)
        return refuse('malformed', `$.to: a test holds at most ${MOST_EXPORTED_STEPS} steps, and these are ${to - from}`);
      const subject = await store.subject(orgId, actorId);
      if (subject === null) return refuse('not_found', NO_ACTOR);
      const before = from === 0 ? null : await stateAfter(subject, from);
      const steps = await store.steps(actorId, from, to);
      if (steps.length === 0) return withoutSteps(store, actorId, `the actor has no step after version ${from} up to ${to}`);
      return { ok: true, value: historyTest(directory, subject, before, steps) };
    },
  };
}

export type ActorBranches = ReturnType<typeof createActorBranches>;

/** Rebuilds a value. Refuses if the present machines diverge from the stored steps. */
async function tell<Value>(rebuild: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await rebuild() };
  } catch (error) {
    return refuse('state_conflict', `the history cannot be rebuilt: ${errorText(error)}`);
  }
}

/** A past step with its reasons and consequences. */
interface StepAccount extends Omit<StepPlan, 'state'> {
  /** Guards that were evaluated, in order. */
  readonly guards: readonly GuardAnswer[];
  readonly changes: readonly FieldChange[];
  /** Context after the step. */
  readonly context: Json;
  readonly status: 'active' | 'done';
  /** Event types that the machine accepts afterwards. */
  readonly takes: readonly string[];
}

/**
 * Returns the account of a step from the state before it, which is null before the actor's start. @throws Error if no present machine fits
 * the state before it.
 */
export function accountOfStep(directory: Directory, subject: HistorySubject, before: PastState | null, step: StoredStep): StepAccount {
  const guards: GuardAnswer[] = [];
  const kind = directory.kind(subject.kind);
  const traced = { ...kind, machine: tracedMachine(kind.machine, guards) };
  const info = { actorId: subject.id, orgId: subject.orgId, now: step.at };
  const event = presentEvent(step.event);
  const fitted = before === null ? null : directory.fit({ kind: subject.kind, machine: before.machine, state: before.state });
  if (before !== null && fitted === null) throw new Error(`this version cannot continue what ${before.machine} wrote`);
  const { state, ...plan } =
    fitted === null
      ? startStep(traced, info, (event['input'] ?? {}) as { readonly [key: string]: Json })
      : eventStep(traced, info, restore(traced.machine, fitted.state), event);
  return {
    ...plan,
    guards: [...guards],
    changes: contextChanges((fitted?.state.context ?? {}) as Json, state.context as Json),
    context: state.context as Json,
    status: state.status,
    takes: state.status === 'done' ? [] : eventsTaken(restore(kind.machine, state)),
  };
}
