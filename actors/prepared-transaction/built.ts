/**
 * Transactions that this service builds for a person's wallet: compiled, signed by their own keys, and stored before anybody is asked to
 * sign.
 */
import type { ActorRecord, StepPlan } from '../../src/domain/agents/actor-step.ts';
import type { ProgramInstruction } from '../../src/domain/launch/curve/program.ts';
import { compileMessage, wireTransaction } from '../../src/domain/solana/compile-message.ts';
import { readMessage, signersOf } from '../../src/domain/solana/message.ts';
import { preparedMessageOf } from '../../src/domain/solana/verify.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { capacityRow } from './open-capacity.ts';
import type { PreparedTransactionInput } from './protocol.ts';

/** A block in so many milliseconds: how long an unsigned transaction is good for. */
const BLOCK_MS = 400;
const SIGNATURE_BYTES = 64;

/** A key pair that signs once and is forgotten: it is made for one transaction and never stored. */
export interface EphemeralKey {
  readonly address: string;
  sign(message: Uint8Array): Uint8Array;
}

/** The block that a message is built on, and the last one that may hold it. */
export interface MessageLifetime {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

/** One transaction as it is stored and as the wallet is given it. */
export interface BuiltTransaction {
  readonly base64: string;
  readonly bytes: Uint8Array;
  readonly prepared: PreparedTransactionInput['prepared'];
}

/** Compiles instructions into a transaction that lacks only the signatures whose keys are not given. @throws if they make no message */
export function builtTransaction(
  payer: string,
  instructions: readonly ProgramInstruction[],
  { blockhash, lastValidBlockHeight }: MessageLifetime,
  keys: readonly EphemeralKey[] = [],
): BuiltTransaction {
  const message = compileMessage(payer, blockhash, instructions);
  const read = readMessage(message);
  if (!read.ok) throw new Error(`the instructions compiled into no message: ${read.refusal.detail}`);
  const given = signersOf(read.value).map((signer) => keys.find(({ address }) => address === signer)?.sign(message) ?? null);
  const bytes = wireTransaction(message, given);
  const signatures = given.map((one) => one ?? new Uint8Array(SIGNATURE_BYTES));
  return {
    bytes,
    base64: Buffer.from(bytes).toString('base64'),
    prepared: preparedMessageOf({ ...read.value, message, signatures }, lastValidBlockHeight),
  };
}

/** Time at which a message can no longer land, in milliseconds from the time of the block height. */
export function lifetimeMs({ lastValidBlockHeight }: Pick<MessageLifetime, 'lastValidBlockHeight'>, blockHeight: number): number {
  return Math.max(0, lastValidBlockHeight - blockHeight) * BLOCK_MS;
}

export interface UserTransactionDeps {
  readonly runtime: Pick<Runtime, 'start'>;
  readonly exposureVersion: (orgId: string) => Promise<string>;
}

export interface UserTransaction extends Pick<PreparedTransactionInput, 'purpose' | 'subject' | 'wallet' | 'epoch' | 'createdAt'> {
  readonly built: Pick<BuiltTransaction, 'base64' | 'prepared'>;
}

/** Stores a transaction that a person's wallet signs, if the organization has room for one more. It reserves nothing of a book. */
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
