/** Commands of prepared transactions, as the API calls them. */

import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { CommandContext } from '../agent/commands.ts';
import { transactionRow } from './effects.ts';
import type { PreparedTransactionView } from './resource.ts';

/** Submission of prepared transactions. Answers after its transaction has committed. Those of another organization are `not_found`. */
export interface TransactionSubmission {
  /**
   * Submits the signed bytes of a prepared transaction of this purpose. Repeating the same bytes returns its present state. Other bytes are
   * refused with `state_conflict`.
   */
  submit(context: CommandContext, purpose: TransactionPurpose, id: string, signedBase64: string): Promise<Outcome<PreparedTransactionView>>;
}

/** Returns the transaction after a step. Its fills are read from the store. */
export function transactionView(id: string, state: ActorState, changedAt: EpochMs): PreparedTransactionView {
  const { dollarsUsd: _, ...row } = transactionRow(id, state, changedAt, null);
  return { ...row, fills: [] };
}
