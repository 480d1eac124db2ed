/** Definition of a kind of actor: its machine, its validation and the effects of its actions. */
import type { AnyStateMachine } from 'xstate';
import type { Activity, ActorEvent, ActorRecord, ActorState, Announcement } from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { Refusal } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

/** Committed effect of a machine's action. */
export type Effect =
  | { readonly kind: 'record'; readonly record: ActorRecord }
  | { readonly kind: 'activity'; readonly activity: Activity }
  | { readonly kind: 'announcement'; readonly announcement: Announcement };

/** Returns the effect of writing a row, by the name of its writer. */
export function record(type: string, fields: { readonly [key: string]: unknown }): Effect {
  return { kind: 'record', record: { type, ...fields } };
}

/** Work that is carried out after the commit, by the name of its activity worker. */
export function activity(kind: string, payload: { readonly [key: string]: Json }): Effect {
  return { kind: 'activity', activity: { kind, payload } };
}

/**
 * Work of an order. What sells or withdraws is taken before the other work of its organization, however much of that waits:
 * people can always get out.
 */
export function orderActivity(kind: string, payload: { readonly [key: string]: Json }, reduces: boolean): Effect {
  return activity(kind, reduces ? { ...payload, reduces } : payload);
}

/** Data that an effect may read besides its action's parameters. */
export interface StepInfo {
  readonly actorId: string;
  readonly orgId: string;
  readonly now: EpochMs;
  readonly context: ActorState['context'];
  readonly value: Json;
}

/** An action that a machine names and does not carry out: its meaning is one of its kind's `effects`. */
export const effect =
  <Parameters>() =>
  (_: unknown, __: Parameters): void => {};

/** Error of an actor without an input. It is created once, because an error's stack costs more than a step. */
const NO_INPUT = new TypeError('an actor begins with an input');

/**
 * The context of a machine, made of its input. For each of its pure steps XState makes an actor that never lives, and asks for
 * its context without an input: this refuses at once, and that actor is not begun.
 */
export const fromInput =
  <Input, Context>(make: (input: Input) => Context): ((given: { readonly input: Input }) => Context) =>
  ({ input }) => {
    if (input === undefined) throw NO_INPUT;
    return make(input);
  };

export interface ActorKind {
  /** `agent`, `take`, `launch`… */
  readonly kind: string;
  /** The machine. Its id carries a version, such as `agent@1`, which is stored with every snapshot. */
  readonly machine: AnyStateMachine;
  /** Returns why the actor refuses this event in its state, or null if it takes it. Pure; called before every step. */
  validate(state: ActorState, event: ActorEvent): Refusal | null;
  /** The meaning of every named action of the machine, as data. */
  readonly effects: { readonly [action: string]: (parameters: never, info: StepInfo) => readonly Effect[] };
  /** Migrations to this machine's state, by the older machine's id. An actor of an id without one is quarantined. */
  readonly migrations: { readonly [machine: string]: (state: ActorState) => ActorState };
}
