/** A stored durable actor, and the step that changes it, as data shared by the runtime and its stores. */
import type { Json } from '../values/canonical-json.ts';
import type { EpochMs } from '../values/time.ts';

/** State of an actor as stored: plain JSON. */
export interface ActorState {
  readonly value: Json;
  readonly context: { readonly [key: string]: Json };
  readonly status: 'active' | 'done';
}

/** An event for an actor. Every event except the tick is JSON and kept in the step history. */
export interface ActorEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A row to write with the step. `type` selects the table. The stores know each type and refuse others. */
export interface ActorRecord {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Work with outside effects, done after the commit. Its key is derived from (actor, version, index). */
export interface Activity {
  readonly kind: string;
  readonly payload: { readonly [key: string]: Json };
}

/** A message for the feeds. `channel` is one of the feed channels. */
export interface Announcement {
  readonly channel: string;
  /** Actor whose subscribers receive it, if it is not the actor that took the step. */
  readonly about?: string;
  readonly body: { readonly [key: string]: Json };
}

/** A change of the actor's durable timers. Setting an existing timer replaces it. */
export type TimerChange =
  | { readonly op: 'set'; readonly timerId: string; readonly dueAt: EpochMs; readonly event: ActorEvent }
  | { readonly op: 'cancel'; readonly timerId: string };

/** Effects of a step, planned and not yet applied. */
export interface StepPlan {
  readonly state: ActorState;
  readonly records: readonly ActorRecord[];
  readonly timers: readonly TimerChange[];
  readonly activities: readonly Activity[];
  readonly announcements: readonly Announcement[];
}

export interface ActorRow {
  readonly id: string;
  readonly orgId: string;
  readonly kind: string;
  /** Id of the machine that wrote the state, such as `agent@1`. */
  readonly machine: string;
  readonly version: number;
  readonly state: ActorState;
  readonly status: 'running' | 'done' | 'quarantined';
}

/** A timer that was read as due. */
export interface FiredTimer {
  readonly timerId: string;
  /** Time of the look at which it was due. Set anew since, it is due later. */
  readonly dueBy: EpochMs;
}

export interface AnsweredActivity {
  readonly key: string;
  readonly answer: Json;
  /** True if it was given up without an answer. */
  readonly isGivenUp?: true;
}

/** A step to commit completely or not at all, and only while the actor is still at `row.version`. */
export interface StepCommit {
  readonly row: ActorRow;
  /** Id of the machine that made the plan. It differs from the row's after a migration. */
  readonly machine: string;
  readonly event: ActorEvent;
  readonly at: EpochMs;
  readonly plan: StepPlan;
  /** Rows of the command itself: audit and remembered answer. */
  readonly also: readonly ActorRecord[];
  /** Cause of the step, for its history: a request id, `timer`, `activity`, `feed`. */
  readonly cause: string;
  /** Activity that this event answers, or reports as given up. The same commit closes it. */
  readonly answeredActivity?: AnsweredActivity;
  /** Durable timer that fires this event. The same commit deletes it, and fails as stale if it was set anew or cancelled meanwhile. */
  readonly firedTimer?: FiredTimer;
}

/** A new actor and its first step. */
export interface ActorStart {
  readonly id: string;
  readonly orgId: string;
  readonly kind: string;
  readonly machine: string;
  readonly at: EpochMs;
  readonly input: object;
  readonly plan: StepPlan;
  readonly also: readonly ActorRecord[];
  readonly cause: string;
  /** Period of its ticks in milliseconds. The first step's `tick_window` record gives the start. */
  readonly tickPeriodMs: number | null;
}

/** Failure inside an actor. It keeps its last good state. Quarantine takes it off duty and stops its ticks. */
export interface Incident {
  readonly actorId: string;
  readonly at: EpochMs;
  readonly kind: 'step_threw' | 'quarantined' | 'tick_threw' | 'tick_crash' | 'activity_given_up';
  readonly detail: string;
  readonly event: Json;
  readonly quarantine: boolean;
}

export interface DueTimer {
  readonly actorId: string;
  readonly timerId: string;
  readonly dueAt: EpochMs;
  readonly event: ActorEvent;
}

export interface DueActivity {
  readonly key: string;
  readonly actorId: string;
  readonly kind: string;
  readonly payload: { readonly [key: string]: Json };
  readonly attempts: number;
}
