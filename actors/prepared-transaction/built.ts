/**
 * Transactions that this service builds for a person's wallet: compiled, co-signed with ephemeral keys, and stored before they are offered
 * for signing.
 */
import type { ActorRecord, StepPlan } from '../../src/domain/agents/actor-step.ts';
import type { ProgramInstruction } from '../../src/domain/launch/curve/program.ts';
import { compileMessage, wireTransaction } from '../../src/domain/solana/compile-message.ts';
import { readMessage, listSigners } from '../../src/domain/solana/message.ts';
import { toPreparedMessage } from '../../src/domain/solana/verify.ts';
import type { CommandContext } from '../../src/core/command-context.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { capacityRow } from './open-capacity.ts';
import type { PreparedTransactionInput } from './machine.ts';

/** Expected time per block in milliseconds, from which the life of an unsigned transaction is estimated. */
const BLOCK_MS = 400;
const SIGNATURE_BYTES = 64;

/** Key pair made for one transaction. Signs once and is never stored. */
export interface EphemeralKey {
  readonly address: string;
  sign(message: Uint8Array): Uint8Array;
}

/** Recent block that a message names, and the last block height that may include it. */
export interface MessageLifetime {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

/** A transaction as stored and as given to the wallet. */
export interface BuiltTransaction {
  readonly base64: string;
  readonly bytes: Uint8Array;
  readonly prepared: PreparedTransactionInput['prepared'];
}

/**
 * Compiles instructions into a transaction that lacks only the signatures of keys that were not given. @throws if they do not form a valid
 * message.
 */
export function builtTransaction(
  payer: string,
  instructions: readonly ProgramInstruction[],
  { blockhash, lastValidBlockHeight }: MessageLifetime,
  keys: readonly EphemeralKey[] = [],
): BuiltTransaction {
  const message = compileMessage(payer, blockhash, instructions);
  const read = readMessage(message);
  if (!read.ok) throw new Error(`the instructions do not compile into a message: ${read.refusal.detail}`);
  const given = listSigners(read.value).map((signer) => keys.find(({ address }) => address === signer)?.sign(message) ?? null);
  const bytes = wireTransaction(message, given);
  const signatures = given.map((one) => one ?? new Uint8Array(SIGNATURE_BYTES));
  return {
    bytes,
    base64: Buffer.from(bytes).toString('base64'),
    prepared: toPreparedMessage({ ...read.value, message, signatures }, lastValidBlockHeight),
  };
}

/** Returns the life of a message, in milliseconds from the time of the block height. */
export function lifetimeMs({ lastValidBlockHeight }: Pick<MessageLifetime, 'lastValidBlockHeight'>, blockHeight: number): number {
  return Math.max(0, lastValidBlockHeight - blockHeight) * BLOCK_MS;
}

interface UserTransactionDeps {
  readonly runtime: Pick<Runtime, 'start'>;
  readonly exposureVersion: (orgId: string) => Promise<string>;
}

export interface UserTransaction extends Pick<PreparedTransactionInput, 'purpose' | 'subject' | 'wallet' | 'epoch' | 'createdAt'> {
  readonly built: Pick<BuiltTransaction, 'base64' | 'prepared'>;
}

/** Stores a transaction for a person's wallet if the organization is below its limit. Reserves nothing in a book. */
export async function startUserTransaction(
  { runtime, exposureVersion }: UserTransactionDeps,
  { orgId, subject, requestId }: CommandContext,
  id: string,
  { built, ...transaction }: UserTransaction,
  also: (plan: StepPlan) => readonly ActorRecord[] = () => [],
): Promise<StepPlan> {
  const capacity = capacityRow(orgId, '', await exposureVersion(orgId));
  const input: PreparedTransactionInput = {
    ...transaction,
    prepared: built.prepared,
    unsignedBase64: built.base64,
    lookups: [],
    reservation: null,
    executor: 'user',
    preparedBy: subject,
  };
  return runtime.start('prepared_transaction', id, orgId, input, {
    cause: `${subject} ${requestId}`,
    also: (plan) => [capacity, ...also(plan)],
  });
}
