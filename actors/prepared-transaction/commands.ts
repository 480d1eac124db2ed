/** Commands of prepared transactions: the protocol between the API and their actors. */

import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { CommandContext } from '../agent/commands.ts';
import { transactionRow } from './effects.ts';
import type { PreparedTransactionView } from './resource.ts';

/** Every command answers after its transaction is committed. A foreign one answers exactly as a missing one: `not_found`. */
export interface TransactionSubmission {
  /**
   * Takes the signed bytes of a prepared transaction of this purpose. The same bytes again return its present state; other bytes after that are refused as `state_conflict`.
   */
  submit(context: CommandContext, purpose: TransactionPurpose, id: string, signedBase64: string): Promise<Outcome<PreparedTransactionView>>;
}

/** Returns the transaction after a step; its fills are read from the store. */
export function transactionView(id: string, state: ActorState, changedAt: EpochMs): PreparedTransactionView {
  const { dollarsUsd: _, ...row } = transactionRow(id, state, changedAt, null);
  return { ...row, fills: [] };
}
