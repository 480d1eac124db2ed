/**
 * Account of one committed step: which guards decided on which values, what the step changed, and what it requested. Rebuilt, never stored.
 */
import type { FieldChange } from '../../src/domain/manifest/diff.ts';
import type { StepPlan } from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { type HistorySubject, type PastState, presentEvent, type StoredStep } from './actor-history.ts';
import type { Directory } from './directory.ts';
import { type GuardAnswer, tracedMachine } from './guard-trace.ts';
import { eventStep, eventsTaken, restore, startStep } from './step.ts';
import { contextChanges } from './what-if.ts';

/** A past step with its reasons and consequences. */
export interface StepAccount extends Omit<StepPlan, 'state'> {
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
