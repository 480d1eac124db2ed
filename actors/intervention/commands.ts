/** Handles interventions: writes the change, its author and reason, and the answer in one transaction. */
import type { ActorRecord, ActorRow, ActorState } from '../../src/domain/agents/actor-step.ts';
import { type Outcome, type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { Directory } from '../runtime/directory.ts';
import type { Runtime } from '../runtime/runtime.ts';

export const INTERVENTIONS = ['retry', 'reset', 'release'] as const;
export type InterventionAction = (typeof INTERVENTIONS)[number];

export interface Intervention {
  readonly actorId: string;
  readonly action: InterventionAction;
  /** Retried activity, or null if the whole actor was released. */
  readonly activity: string | null;
  /** Number of activities to retry. */
  readonly activities: number;
  readonly reason: string;
  readonly subject: string;
  readonly at: EpochMs;
}

/** An activity as read by an intervention. */
export interface FoundActivity {
  readonly state: 'pending' | 'done' | 'given_up';
  /** True if the actor has taken a step since it requested the activity. The end of a quarantine does not count. */
  readonly isLeft: boolean;
}

export interface InterventionStore {
  /** Returns null if the organization has no such actor. */
  actor(orgId: string, actorId: string): Promise<ActorRow | null>;
  /** Returns null if the actor requested no such activity, or it was deleted. */
  activity(actorId: string, key: string): Promise<FoundActivity | null>;
  /**
   * Makes activities of an actor pending again, due at `at` with no attempts: the one with the key, or all pending ones if null. Writes the
   * rows that `rows` returns for their number in the same transaction. Writes nothing if there are no such activities.
   */
  tryAnew(actor: ActorRow, key: string | null, at: EpochMs, rows: (activities: number) => readonly ActorRecord[]): Promise<number>;
  /** Releases an actor that is quarantined at exactly this version. Otherwise writes nothing and returns false. */
  release(actor: ActorRow, rows: readonly ActorRecord[]): Promise<boolean>;
}

/** Event that ends a quarantine, for charts that have a transition for it. */
const RELEASED = { type: 'quarantine.released' } as const;

interface InterventionDeps {
  readonly store: InterventionStore;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly directory: Directory;
  readonly clock: Pick<Clock, 'now'>;
}

export function createInterventions(deps: InterventionDeps) {
  const { store } = deps;
  return {
    /**
     * Retries one activity now: a pending one, or one that was given up while its actor still waits for it. Activities that the
     * actor no longer waits for are refused.
     */
    async retry(context: CommandContext, actorId: string, key: string, reason: string): Promise<Outcome<Intervention>> {
      const actor = await store.actor(context.orgId, actorId);
      const found = actor === null ? null : await store.activity(actorId, key);
      if (actor === null || found === null) return refuse('not_found', 'there is no such activity of this actor');
      const refusal = standsStill(actor) ?? cannotBeTried(key, found);
      return refusal === null ? tryAnew(deps, context, actor, key, reason) : { ok: false, refusal };
    },

    /** Resets the attempts of all pending activities of the actor, and runs them now. */
    async reset(context: CommandContext, actorId: string, reason: string): Promise<Outcome<Intervention>> {
      const actor = await store.actor(context.orgId, actorId);
      if (actor === null) return refuse('not_found', 'there is no actor with this id');
      const refusal = standsStill(actor);
      return refusal === null ? tryAnew(deps, context, actor, null, reason) : { ok: false, refusal };
    },

    /** Ends a quarantine. Sends the actor an event if its chart has one for it. Otherwise the actor continues where it stopped. */
    async release(context: CommandContext, actorId: string, reason: string): Promise<Outcome<Intervention>> {
      const actor = await store.actor(context.orgId, actorId);
      if (actor === null) return refuse('not_found', 'there is no actor with this id');
      if (actor.status !== 'quarantined') return refuse('state_conflict', `actor ${actorId} is not quarantined`);
      return release(deps, context, actor, reason);
    },
  };
}

export type InterventionCommands = ReturnType<typeof createInterventions>;

/** Returns the rows of an intervention: its own, the audit's and the answer. */
function leaves(
  { clock }: InterventionDeps,
  context: CommandContext,
  actor: ActorRow,
  { action, key, reason }: { readonly action: InterventionAction; readonly key: string | null; readonly reason: string },
) {
  const at = clock.now();
  const made = (activities: number): Intervention => ({
    actorId: actor.id,
    action,
    activity: key,
    activities,
    reason,
    subject: context.subject,
    at,
  });
  const rows = (activities: number, after: ActorState = actor.state): readonly ActorRecord[] => [
    { type: 'intervention', orgId: context.orgId, requestId: context.requestId, ...made(activities) },
    auditRow(context, `actor.${action}`, key ?? actor.id, actor.state, after),
    ...answerRows(context, made(activities)),
  ];
  return { at, made, rows };
}

async function tryAnew(
  deps: InterventionDeps,
  context: CommandContext,
  actor: ActorRow,
  key: string | null,
  reason: string,
): Promise<Outcome<Intervention>> {
  const { at, made, rows } = leaves(deps, context, actor, { action: key === null ? 'reset' : 'retry', key, reason });
  try {
    const activities = await deps.store.tryAnew(actor, key, at, rows);
    if (activities > 0) return { ok: true, value: made(activities) };
    const none = key === null ? `actor ${actor.id} has no pending activity` : `activity ${key} was ended or left meanwhile: look again`;
    return refuse('state_conflict', none);
  } catch (error) {
    return answeredMeanwhile(error);
  }
}

async function release(deps: InterventionDeps, context: CommandContext, actor: ActorRow, reason: string): Promise<Outcome<Intervention>> {
  const fit = deps.directory.fit(actor);
  if (fit === null)
    return refuse('state_conflict', `actor ${actor.id} was written by ${actor.machine}, which this version cannot continue`);
  const { made, rows } = leaves(deps, context, actor, { action: 'release', key: null, reason });
  try {
    if (!fit.snapshot.can(RELEASED)) {
      if (await deps.store.release(actor, rows(0))) return { ok: true, value: made(0) };
      return refuse('state_conflict', `actor ${actor.id} was changed meanwhile: look again`);
    }
    const outcome = await deps.runtime.deliver(actor.id, RELEASED, {
      cause: `${context.subject} ${context.requestId}`,
      orgId: context.orgId,
      releases: true,
      also: (_, plan) => rows(0, plan.state),
    });
    return outcome.ok ? { ok: true, value: made(0) } : outcome;
  } catch (error) {
    return answeredMeanwhile(error);
  }
}

/** Returns why the actor's activities are suspended, or null if they run. */
function standsStill({ id, status }: ActorRow): Refusal | null {
  if (status === 'quarantined') return { code: 'state_conflict', detail: `actor ${id} is quarantined: release it first` };
  return status === 'done' ? { code: 'state_conflict', detail: `actor ${id} has ended` } : null;
}

function cannotBeTried(key: string, { state, isLeft }: FoundActivity): Refusal | null {
  if (state === 'done') return { code: 'state_conflict', detail: `activity ${key} is done` };
  if (state === 'pending' || !isLeft) return null;
  return {
    code: 'state_conflict',
    detail: `activity ${key} is outdated: the actor has requested another one since`,
  };
}
