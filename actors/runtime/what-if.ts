/** Alternative histories of an actor. Events go to a copy of a past state, and nothing is written. */
import type { FieldChange } from '../../src/domain/manifest/diff.ts';
import type { AnyMachineSnapshot } from 'xstate';
import type { Activity, ActorEvent, ActorRecord, ActorState, Announcement, TimerChange } from '../../src/domain/agents/actor-step.ts';
import { canonicalJson, type Json } from '../../src/domain/values/canonical-json.ts';
import { type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import type { HistorySubject, PastState } from './actor-history.ts';
import type { Directory } from './directory.ts';
import { eventStep, eventsTaken } from './step.ts';

interface BranchStep {
  readonly event: ActorEvent;
  readonly from: Json;
  readonly to: Json;
  readonly status: ActorState['status'];
  /** False if the machine has no transition for it in this state, or every guard is false. */
  readonly taken: boolean;
  /** Refusal of the actor before its machine sees the event, or null. */
  readonly refusal: Refusal | null;
  readonly changes: readonly FieldChange[];
  readonly records: readonly ActorRecord[];
  readonly timers: readonly TimerChange[];
  readonly activities: readonly Activity[];
  readonly announcements: readonly Announcement[];
}

export interface Branch {
  /** Version at which it branches off the history. */
  readonly version: number;
  readonly steps: readonly BranchStep[];
  /** Event types that the machine accepts at the end of the branch. */
  readonly takes: readonly string[];
}

/**
 * Returns the branch that the events lead to from a past state, all at one time. It ends at the first refused event. Pure: nothing is
 * loaded, written, timed or run. @throws Error if no present machine fits the state.
 */
export function branchFrom(
  directory: Directory,
  subject: HistorySubject,
  past: PastState,
  events: readonly ActorEvent[],
  now: EpochMs,
): Branch {
  const fitted = directory.fit({ kind: subject.kind, machine: past.machine, state: past.state });
  if (fitted === null) throw new Error(`this version cannot continue what ${past.machine} wrote`);
  const { kind } = fitted;
  const steps: BranchStep[] = [];
  let { state, snapshot } = fitted;
  for (const event of events) {
    const refusal = findRefusal(kind.validate, state, event);
    if (refusal !== null) {
      steps.push({ ...untouched(state, event), refusal });
      break;
    }
    const step = takeStep(
      () => eventStep(kind, { actorId: subject.id, orgId: subject.orgId, now }, snapshot, event),
      snapshot,
      state,
      event,
    );
    steps.push(step.branch);
    if (step.branch.refusal !== null) break;
    state = step.state;
    snapshot = (directory.fit({ kind: subject.kind, machine: kind.machine.id, state }) as { snapshot: AnyMachineSnapshot }).snapshot;
  }
  return { version: past.version, steps, takes: eventsTaken(snapshot) };
}

function untouched(state: ActorState, event: ActorEvent): BranchStep {
  const nothing = { changes: [], records: [], timers: [], activities: [], announcements: [] };
  return { event, from: state.value, to: state.value, status: state.status, taken: false, refusal: null, ...nothing };
}

type Stepped = ReturnType<typeof eventStep>;

function takeStep(
  step: () => Stepped,
  snapshot: AnyMachineSnapshot,
  state: ActorState,
  event: ActorEvent,
): { readonly state: ActorState; readonly branch: BranchStep } {
  try {
    const taken = snapshot.can(event);
    const { state: next, ...plan } = step();
    const branch = { event, from: state.value, to: next.value, status: next.status, taken, refusal: null, ...plan };
    return { state: next, branch: { ...branch, changes: contextChanges(state.context as Json, next.context as Json) } };
  } catch (error) {
    // The event lacks what its guards read. It would quarantine the running actor.
    return { state, branch: { ...untouched(state, event), refusal: brokenBy(error) } };
  }
}

function findRefusal(
  validate: (state: ActorState, event: ActorEvent) => Refusal | null,
  state: ActorState,
  event: ActorEvent,
): Refusal | null {
  try {
    return validate(state, event);
  } catch (error) {
    return brokenBy(error);
  }
}

function brokenBy(error: unknown): Refusal {
  return refuse('malformed', `the machine cannot read the event: ${errorText(error)}`).refusal;
}

/** Returns the parts that differ, by their shortest distinguishing path. Arrays are compared as a whole. */
export function contextChanges(before: Json, after: Json, path = ''): readonly FieldChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [{ path, before, after }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .flatMap((key) => contextChanges(before[key] ?? null, after[key] ?? null, path === '' ? key : `${path}.${key}`));
}

function isRecord(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
