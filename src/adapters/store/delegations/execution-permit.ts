/** Checks that a delegation is still valid in the transaction that accepts its signed bytes. An earlier revocation always wins. */
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Transaction } from '../database.ts';

/** Thrown in a step's transaction if its delegation was revoked. Nothing of the step is written. */
export class DelegationLost extends Error {}

/** Checks delegations and locks out revocations until this transaction ends. @throws DelegationLost */
export async function requireDelegations(transaction: Transaction, records: readonly ActorRecord[]): Promise<void> {
  for (const { delegationId } of records) {
    const id = delegationId as string;
    await transaction`select lock_delegation(${id}, true)`;
    const [revoked] = await transaction`select 1 from delegation_revocations where delegation_id = ${id}`;
    if (revoked !== undefined) throw new DelegationLost(`delegation ${id} was revoked`);
  }
}

/** Waits for steps that use the delegation and blocks new ones until this transaction ends. */
export async function lockDelegation(transaction: Transaction, id: string): Promise<void> {
  await transaction`select lock_delegation(${id}, false)`;
}
