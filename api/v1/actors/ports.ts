/** Ports of the actor routes: lists, steps and past states of every kind of actor. */
import type { ActorBranches } from '../../../actors/runtime/actor-branches.ts';
import type { ArchivedSteps } from '../../../actors/runtime/actor-history.ts';
import type { ActorRow } from '../../../src/domain/agents/actor-step.ts';
import type { Json } from '../../../src/domain/values/canonical-json.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { Page, PageOf } from '../../page.ts';

export type ActorStatus = ActorRow['status'];

export interface ActorSummary {
  readonly id: string;
  readonly kind: string;
  /** Name of an agent; null for other actors. */
  readonly name: string | null;
  readonly machine: string;
  readonly version: number;
  readonly status: ActorStatus;
  readonly value: Json;
  /** ISO 8601, like the next. */
  readonly createdAt: string;
  readonly changedAt: string;
}

export interface ActorDetail extends ActorSummary {
  /** Current context of the actor. */
  readonly context: Json;
  /** Incidents inside the actor, newest first, at most 20, in one line each. */
  readonly incidents: readonly { readonly at: EpochMs; readonly kind: string; readonly detail: string }[];
}

export interface ActorStep {
  readonly version: number;
  readonly at: EpochMs;
  readonly machine: string;
  readonly event: Json;
  readonly from: Json;
  readonly to: Json;
  readonly cause: string | null;
}

export interface ActorReads {
  list(
    orgId: string,
    filter: { readonly kind: string | null; readonly status: ActorStatus | null; readonly search: string | null },
    page: Page,
  ): Promise<PageOf<ActorSummary>>;
  get(orgId: string, actorId: string): Promise<ActorDetail | null>;
  /** The steps after version `from` up to `to`, oldest first, the version that the actor has reached, and where its steps lie since they were moved. */
  steps(
    orgId: string,
    actorId: string,
    from: number,
    to: number,
  ): Promise<{ readonly version: number; readonly items: readonly ActorStep[]; readonly archived: ArchivedSteps | null } | null>;
}

export type ActorPorts = ActorBranches & { readonly reads: ActorReads };
