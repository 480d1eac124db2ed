/** Commands of prepared transactions: the protocol between the API and their actors. */

import type { ActorState } from '../../src/domain/actor-step.ts';
import type { Fill } from '../../src/domain/book.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { Outcome } from '../../src/domain/refusal.ts';
import type { PreparedTransactionState, TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { PreparedMessage } from '../../src/domain/solana/verify.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { CommandContext } from '../agent/commands.ts';
import { transactionContext, transactionState } from './effects.ts';

/** A prepared transaction as the outside sees it. */
export interface PreparedTransactionView {
  readonly id: string;
  readonly purpose: TransactionPurpose;
  readonly state: PreparedTransactionState;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly wallet: string;
  readonly subject: { readonly [key: string]: Json };
  readonly message: PreparedMessage;
  /** The whole transaction as the wallet is to sign it. */
  readonly unsigned: string;
  readonly signature: string | null;
  readonly slot: number | null;
  /** Fee charged by the chain; null until it is finalized. */
  readonly feeLamports: string | null;
  /** Fills of the transaction; empty before it is finalized. */
  readonly fills: readonly Fill[];
  readonly preparedBy: string;
  readonly submittedBy: string | null;
  readonly createdAt: EpochMs;
  readonly changedAt: EpochMs;
}

/** Every command answers after its transaction is committed. A foreign one answers exactly as a missing one: `not_found`. */
export interface TransactionSubmission {
  /**
   * Takes the signed bytes of a prepared transaction of this purpose. The same bytes again answer where it stands by
   * now; other bytes after that are refused as `state_conflict`.
   */
  submit(context: CommandContext, purpose: TransactionPurpose, id: string, signedBase64: string): Promise<Outcome<PreparedTransactionView>>;
}

/** A transaction as it stands in a step. */
export function transactionView(id: string, state: ActorState, changedAt: EpochMs): PreparedTransactionView {
  const context = transactionContext(state);
  return {
    id,
    purpose: context.purpose,
    state: transactionState(state),
    reason: context.reason,
    detail: context.detail,
    wallet: context.wallet,
    subject: context.subject,
    message: context.prepared,
    unsigned: context.unsignedBase64,
    signature: context.signature,
    slot: context.slot,
    feeLamports: context.landed?.feeLamports ?? null,
    fills: [],
    preparedBy: context.preparedBy,
    submittedBy: context.submittedBy,
    createdAt: context.createdAt,
    changedAt,
  };
}
