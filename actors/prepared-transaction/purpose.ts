/** Rules that a purpose adds to prepared transactions: how to check the promise and how to book the result. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Simulation } from '../../src/domain/solana/chain.ts';
import type { TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { Effect, StepInfo } from '../runtime/actor-kind.ts';
import type { PreparedTransactionContext } from './machine.ts';

export interface PurposeRules {
  /** Returns the US dollars that a person's wallet pays, without network fees. '0' if the purpose pays in something else. */
  dollarsPaid(context: Pick<PreparedTransactionContext, 'subject'>): DecimalString;
  /** Returns in one sentence why the chain would break the promise, or null if it keeps it. Called just before the first broadcast. */
  objection(context: PreparedTransactionContext, simulation: Simulation): string | null;
  /**
   * Returns the rows of a finalized, successful transaction, written in the same step, for example a swap's fill. Must not throw, because
   * the chain's result is final, whatever was promised.
   */
  settle(context: PreparedTransactionContext, info: StepInfo): readonly Effect[];
}

/** Purposes that this service serves. Transactions of other purposes are not begun. */
export type Purposes = Readonly<Partial<Record<TransactionPurpose, PurposeRules>>>;
