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

/** Returns the effect that writes a row, by the name of its writer. */
export function record(type: string, fields: { readonly [key: string]: unknown }): Effect {
  return { kind: 'record', record: { type, ...fields } };
}

/** Returns the effect that requests work after the commit, by the name of its activity worker. */
export function activity(kind: string, payload: { readonly [key: string]: Json }): Effect {
  return { kind: 'activity', activity: { kind, payload } };
}

/**
 * Requests work of an order. Sells and withdrawals go before other work of the organization, however much of it waits, so that people can
 * always get out.
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

/** Declares an action that a machine names and does not run. Its meaning is one of its kind's `effects`. */
export const effect =
  <Parameters>() =>
  (_: unknown, __: Parameters): void => {};

export interface ActorKind {
  /** Name such as `agent`, `take` or `launch`. */
  readonly kind: string;
  /** State machine. Its id includes a version, such as `agent@1`, which is stored with every snapshot. */
  readonly machine: AnyStateMachine;
  /** Returns why the actor refuses this event in its state, or null if it accepts it. Pure. Called before every step. */
  validate(state: ActorState, event: ActorEvent): Refusal | null;
  /** Meaning of every named action of the machine, as data. */
  readonly effects: { readonly [action: string]: (parameters: never, info: StepInfo) => readonly Effect[] };
  /** Migrations to this machine's state, by the id of the older machine. An actor with any other id is quarantined. */
  readonly migrations: { readonly [machine: string]: (state: ActorState) => ActorState };
}
