/** One step of a durable actor: takes state and event, and returns state, records, timers, activities and announcements. Pure. */
import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type ExecutableActionObject,
  getNextTransitions,
  type StateValue,
} from 'xstate';
import type {
  Activity,
  ActorEvent,
  ActorRecord,
  ActorState,
  Announcement,
  StepPlan,
  TimerChange,
} from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { ActorKind } from './actor-kind.ts';

export interface StepSubject {
  readonly actorId: string;
  readonly orgId: string;
  readonly now: EpochMs;
}

/**
 * Returns the first step: the machine's initial state from its input. @throws what the context, a guard or an effect throws. No actor
 * begins then.
 */
export function startStep(kind: ActorKind, subject: StepSubject, input: object): StepPlan {
  if (input === undefined) throw new TypeError('the first step of an actor needs an input');
  const actions: ExecutableActionObject[] = [];
  const snapshot = kind.machine.getInitialSnapshot(openScope(kind.machine, actions), input);
  if (snapshot.status === 'error') throw snapshot.error;
  return plan(kind, subject, snapshot, actions);
}

/** Returns the step that an event causes. @throws what a guard, an assignment or an effect throws. The caller keeps the last good state. */
export function eventStep(kind: ActorKind, subject: StepSubject, snapshot: AnyMachineSnapshot, event: ActorEvent): StepPlan {
  const actions: ExecutableActionObject[] = [];
  const next = kind.machine.transition(snapshot, event, openScope(kind.machine, actions));
  if (next.status === 'error') throw next.error;
  return plan(kind, subject, next, actions);
}

/** Actors that never run and stand for the actor of a step, one per machine. */
const standIns = new WeakMap<AnyStateMachine, ReturnType<typeof createActor>>();

/**
 * Returns the scope of a step, which collects the actions. XState's own `transition` and `initialTransition` do the same with a new actor
 * for every call.
 */
function openScope(machine: AnyStateMachine, actions: ExecutableActionObject[]): AnyActorScope {
  let self = standIns.get(machine);
  if (self === undefined) {
    self = createActor(machine);
    standIns.set(machine, self);
  }
  return {
    self,
    id: '',
    sessionId: '',
    logger: ignore,
    defer: ignore,
    stopChild: ignore,
    system: self.system,
    emit: ignore,
    actionExecutor: (action) => actions.push(action),
  };
}

function ignore(): void {}

/** Returns the event types that the machine has transitions for in this state, whatever its guards, without the chart's own delays. */
export function eventsTaken(snapshot: AnyMachineSnapshot): readonly string[] {
  const types = getNextTransitions(snapshot).map(({ eventType }) => eventType);
  return [...new Set(types)].filter((type) => type !== '' && !type.startsWith('xstate.')).sort();
}

/** Returns the machine's snapshot of a stored state. @throws if it names states that the machine lacks. */
export function restore(machine: AnyStateMachine, state: ActorState): AnyMachineSnapshot {
  return machine.resolveState({
    value: state.value as StateValue,
    context: state.context,
    status: state.status,
    historyValue: {},
  }) as AnyMachineSnapshot;
}

/** Returns the storable state of a snapshot. @throws TypeError if the context is not plain JSON. */
export function atRest(snapshot: AnyMachineSnapshot): ActorState {
  const odd = notPlainIn(snapshot.context);
  if (odd !== null) throw new TypeError(`context${odd.path} ${odd.what}`);
  return {
    value: snapshot.value as Json,
    context: snapshot.context as ActorState['context'],
    status: snapshot.status === 'done' ? 'done' : 'active',
  };
}

function plan(kind: ActorKind, subject: StepSubject, snapshot: AnyMachineSnapshot, actions: readonly ExecutableActionObject[]): StepPlan {
  const state = atRest(snapshot);
  const records: ActorRecord[] = [];
  const timers: TimerChange[] = [];
  const activities: Activity[] = [];
  const announcements: Announcement[] = [];
  const info = { actorId: subject.actorId, orgId: subject.orgId, now: subject.now, context: state.context, value: state.value };
  for (const action of actions) {
    const parameters = action.params as { [key: string]: unknown };
    if (action.type === 'xstate.raise') {
      if (typeof parameters.delay !== 'number') continue;
      const event = parameters.event as ActorEvent;
      timers.push({ op: 'set', timerId: String(parameters.id ?? event.type), dueAt: subject.now + parameters.delay, event });
    } else if (action.type === 'xstate.cancel') {
      timers.push({ op: 'cancel', timerId: String(parameters.sendId) });
    } else if (action.type === 'xstate.emit') {
      const { type, ...body } = parameters.event as { type: string; [key: string]: Json };
      announcements.push({ channel: type, body });
    } else {
      const effect = kind.effects[action.type];
      if (!effect) throw new Error(`${kind.machine.id} has no effect for its action ${action.type}`);
      for (const item of effect(parameters as never, info)) {
        if (item.kind === 'record') records.push(item.record);
        else if (item.kind === 'activity') activities.push(item.activity);
        else announcements.push(item.announcement);
      }
    }
  }
  return { state, records, timers, activities, announcements };
}

/** Returns what is not plain JSON in a value, with its path, or null. */
function notPlainIn(value: unknown): { readonly path: string; readonly what: string } | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : { path: '', what: `is ${value}, which JSON cannot represent` };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = notPlainIn(value[i]);
      if (found !== null) return { ...found, path: `[${i}]${found.path}` };
    }
    return null;
  }
  if (typeof value === 'object' && (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null)) {
    for (const key in value) {
      const found = notPlainIn((value as { [key: string]: unknown })[key]);
      if (found !== null) return { ...found, path: `.${key}${found.path}` };
    }
    return null;
  }
  return { path: '', what: `is not plain JSON (${typeof value})` };
}
