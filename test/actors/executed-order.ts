// The chart of an order that an activity worker executes under a lease, a proposal's or a person's: steps, and where an event leads.
import type { ActorKind } from '../../actors/runtime/actor-kind.ts';
import { eventStep, restore, type StepSubject } from '../../actors/runtime/step.ts';
import type { ActorEvent, ActorState, StepPlan } from '../../src/domain/agents/actor-step.ts';

/** The event as the activity worker that holds the lease would tell it. */
export function leased(state: ActorState, event: ActorEvent): ActorEvent {
  if (event.type !== 'activity.done') return event;
  return { ...event, answer: { ...(event['answer'] as object), lease: state.context['leaseUntil'] } };
}

export function chartOf(kind: ActorKind, subject: StepSubject) {
  const step = (state: ActorState, event: ActorEvent): StepPlan =>
    eventStep(kind, subject, restore(kind.machine, state), leased(state, event));
  return {
    step,
    /** The state after these events, from the beginning. */
    after: (beginning: ActorState, events: readonly ActorEvent[]): ActorState =>
      events.reduce((state, event) => step(state, event).state, beginning),
    /** The state that the event leads to; null where it is not taken. */
    taken(state: ActorState, event: ActorEvent): unknown {
      if (state.status === 'done' || kind.validate(state, leased(state, event)) !== null) return null;
      return restore(kind.machine, state).can(leased(state, event) as never) ? step(state, event).state.value : null;
    },
  };
}
