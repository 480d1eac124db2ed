/** Revokes delegations, and checks that one is still valid in the transaction that accepts its signed bytes. An earlier revocation always wins. */
import { revocation } from '../../../../actors/delegation/resource.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Transaction } from '../database.ts';
import { append } from '../resource-rows.ts';

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

/** Writes revocations. Waits for steps that use their delegations, and blocks new ones until this transaction ends. */
export async function writeRevocations(transaction: Transaction, records: readonly ActorRecord[]): Promise<void> {
  for (const { delegationId } of records) await transaction`select lock_delegation(${delegationId as string}, false)`;
  await append(revocation)(transaction, records);
}
