/** Rows that a command writes beside its step, for every kind of actor: the audit entry and the remembered answer. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import { canonicalHash } from '../../src/domain/values/canonical-json.ts';
import { refuse } from '../../src/domain/values/refusal.ts';
import { blockedBecause } from '../../src/domain/risk/refusal.ts';
import { DollarsBound } from '../../src/domain/take/live-capital.ts';
import type { CommandContext } from './commands.ts';

/** Record of who did what to which actor, with the hashes of its state before and after; null if there was none. */
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

/** Returns the answer to remember under the request's Idempotency-Key; no rows if it carries no key. */
export function answerRows(context: CommandContext, view: object): readonly ActorRecord[] {
  if (!context.remember) return [];
  const { route, key, requestHash } = context.remember;
  const { status, body } = context.remember.answer(view);
  return [{ type: 'answer', orgId: context.orgId, subject: context.subject, route, key, requestHash, status, body }];
}

/**
 * Answers a command whose transaction failed because another request with the same Idempotency-Key committed between look-up and commit.
 * The other request's effect stands. The database's rule on external agents is answered too, and dollars that something else has bound.
 * @throws any other error.
 */
export function answeredMeanwhile(error: unknown): ReturnType<typeof refuse> {
  const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
  if (code === '23505' && constraint === 'idempotency_keys_pkey')
    return refuse('idempotency_in_flight', 'a request with this Idempotency-Key is being answered: ask again for its answer');
  if (error instanceof DollarsBound) return blockedBecause(error.rejection, error.message);
  // The database's own rule: whoever tries to sell, tokenize or evaluate outside code is told so.
  if (constraint === 'external_not_listable') return refuse('external_not_listable', (error as Error).message);
  throw error;
}
