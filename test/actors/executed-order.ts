// Chart of an order executed under a lease, of a proposal or a person: its steps and transitions.
import type { ActorKind } from '../../actors/runtime/actor-kind.ts';
import { eventStep, restore, type StepSubject } from '../../actors/runtime/step.ts';
import type { ActorEvent, ActorState, StepPlan } from '../../src/domain/agents/actor-step.ts';

/** Returns the event as the activity worker with the lease would deliver it. */
export function leased(state: ActorState, event: ActorEvent): ActorEvent {
  if (event.type !== 'activity.done') return event;
  return { ...event, answer: { ...(event['answer'] as object), lease: state.context['leaseUntil'] } };
}

export function chartOf(kind: ActorKind, subject: StepSubject) {
  const step = (state: ActorState, event: ActorEvent): StepPlan =>
    eventStep(kind, subject, restore(kind.machine, state), leased(state, event));
  return {
    step,
    /** Returns the state after these events, from the initial one. */
    after: (beginning: ActorState, events: readonly ActorEvent[]): ActorState =>
      events.reduce((state, event) => step(state, event).state, beginning),
    /** Returns the state after the event, or null if it is not taken. */
    taken(state: ActorState, event: ActorEvent): unknown {
      if (state.status === 'done' || kind.validate(state, leased(state, event)) !== null) return null;
      return restore(kind.machine, state).can(leased(state, event) as never) ? step(state, event).state.value : null;
    },
  };
}
