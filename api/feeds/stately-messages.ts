/** Messages of Stately's inspection protocol, as its clients (`@statelyai/inspect` 0.7) read them: text frames of JSON. */
import type { ActorKind } from '../../actors/runtime/actor-kind.ts';
import type { LivedStep } from '../../actors/runtime/actor-life.ts';
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

/** Protocol version that its clients expect. */
const PROTOCOL = '0.7.2';

/** An actor in the messages. */
export interface InspectedActor {
  readonly id: string;
  readonly orgId: string;
  readonly kind: string;
  /** Display name: an agent's name, else its kind and the end of its id. */
  readonly name: string;
  readonly version: number;
  readonly state: ActorState;
  readonly at: EpochMs;
}

function common(actorId: string, at: EpochMs) {
  // Every durable actor is its own root.
  return { sessionId: actorId, rootId: actorId, createdAt: String(at), _version: PROTOCOL };
}

function toSnapshot({ value, context, status }: ActorState) {
  return { status, value, context };
}

/** Returns `@xstate.actor`: the actor, its machine and its state. */
export function actorMessage({ id, name, state, at }: InspectedActor, machine: ActorKind['machine']): string {
  const named = (_: string, value: unknown): unknown => (typeof value === 'function' ? { type: value.name } : value);
  const definition = JSON.stringify(machine.config, named);
  return JSON.stringify({ type: '@xstate.actor', name, id: null, ...common(id, at), definition, snapshot: toSnapshot(state) });
}

/** Returns `@xstate.event` and `@xstate.snapshot`: the event and the resulting state. */
export function stepMessages(actorId: string, { past, event }: LivedStep): readonly string[] {
  const { version, at, state } = past;
  return [
    JSON.stringify({ type: '@xstate.event', id: `${actorId}:${version}`, ...common(actorId, at), event }),
    JSON.stringify({ type: '@xstate.snapshot', id: null, ...common(actorId, at), event, snapshot: toSnapshot(state) }),
  ];
}
