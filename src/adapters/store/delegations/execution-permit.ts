/**
 * Check that a delegation still holds, in the very transaction in which its signed bytes are taken. A revocation that was answered before
 * wins.
 */
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Transaction } from '../database.ts';

/** Thrown inside a step's transaction where the delegation that it rests on was revoked: nothing of the step is written. */
export class DelegationLost extends Error {}

/** @throws DelegationLost; if it does not throw, no revocation is committed before this transaction is. */
export async function requireDelegations(transaction: Transaction, records: readonly ActorRecord[]): Promise<void> {
  for (const { delegationId } of records) {
    const id = delegationId as string;
    await transaction`select lock_delegation(${id}, true)`;
    const [revoked] = await transaction`select 1 from delegation_revocations where delegation_id = ${id}`;
    if (revoked !== undefined) throw new DelegationLost(`delegation ${id} was revoked`);
  }
}

/** Waits for the steps that rest on the delegation, and lets none begin before this transaction is committed. */
export async function lockDelegation(transaction: Transaction, id: string): Promise<void> {
  await transaction`select lock_delegation(${id}, false)`;
}
