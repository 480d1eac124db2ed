/** Caller of a command, and the rows that every command writes in the transaction of its step: the audit entry and the remembered answer. */
import type { ActorRecord } from '../domain/agents/actor-step.ts';
import { canonicalHash } from '../domain/values/canonical-json.ts';
import { refuse } from '../domain/values/refusal.ts';
import { blockedBecause } from '../domain/risk/blocked-by-risk.ts';
import { DollarsBound } from '../domain/take/live-capital.ts';
import type { Permission } from '../domain/agents/agent.ts';

/** Caller of a command, for the audit row and the permission rules, and the key that remembers the answer. */
export interface CommandContext {
  readonly orgId: string;
  readonly subject: string;
  readonly permissions: readonly Permission[];
  readonly requestId: string;
  /** Present if the request carries an Idempotency-Key. The answer is then stored in the transaction of the effect. */
  readonly remember?: {
    readonly route: string;
    readonly key: string;
    readonly requestHash: string;
    readonly answer: (view: object) => { readonly status: number; readonly body: string };
  };
}

/** Returns the audit row of a command, with the hashes of the actor's state before and after it. A hash is null if there was no state. */
export function auditRow(
  context: CommandContext,
  action: string,
  target: string,
  before: object | null,
  after: object | null,
): ActorRecord {
  return {
    type: 'audit',
    orgId: context.orgId,
    subject: context.subject,
    permission: context.permissions.join(','),
    action,
    requestId: context.requestId,
    target,
    beforeHash: before && canonicalHash(before),
    afterHash: after && canonicalHash(after),
  };
}

/** Returns the row that remembers the answer under the request's Idempotency-Key. Returns no rows if the request has no key. */
export function answerRows(context: CommandContext, view: object): readonly ActorRecord[] {
  if (!context.remember) return [];
  const { route, key, requestHash } = context.remember;
  const { status, body } = context.remember.answer(view);
  return [{ type: 'answer', orgId: context.orgId, subject: context.subject, route, key, requestHash, status, body }];
}

/**
 * Returns the answer to a command whose transaction failed because another request with the same Idempotency-Key committed first. That
 * request's effect stands. Also answers the database's rule on external agents and bound dollars that overlap. @throws any other error.
 */
export function answeredMeanwhile(error: unknown): ReturnType<typeof refuse> {
  const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
  if (code === '23505' && constraint === 'idempotency_keys_pkey')
    return refuse('idempotency_in_flight', 'a request with this Idempotency-Key is being answered: ask again for its answer');
  if (error instanceof DollarsBound) return blockedBecause(error.rejection, error.message);
  // A rule of the database: outside code cannot be sold, tokenized or evaluated.
  if (constraint === 'external_not_listable') return refuse('external_not_listable', (error as Error).message);
  throw error;
}
