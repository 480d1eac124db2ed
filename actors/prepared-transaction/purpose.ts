/** Rules that a purpose adds to the machine of prepared transactions: the check of its promise and the booking of a finalized one. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Simulation } from '../../src/domain/solana/chain.ts';
import type { TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { Effect, StepInfo } from '../runtime/actor-kind.ts';
import type { PreparedTransactionContext } from './protocol.ts';

export interface PurposeRules {
  /** Returns the dollars of a person that its wallet pays, network fees apart. US dollars; '0' of a purpose that pays in something else. */
  dollarsPaid(context: Pick<PreparedTransactionContext, 'subject'>): DecimalString;
  /** Returns in one sentence why the chain would break the promise, or null if it would keep it. Called just before the first broadcast. */
  objection(context: PreparedTransactionContext, simulation: Simulation): string | null;
  /**
   * Returns the rows of a finalized, successful transaction, written in the same step: a swap's fill, a prediction order that is now open.
   * Must not throw, because what the chain has done is final, whatever was promised.
   */
  settle(context: PreparedTransactionContext, info: StepInfo): readonly Effect[];
}

/** The purposes that this service carries. A transaction of another one is not begun. */
export type Purposes = Readonly<Partial<Record<TransactionPurpose, PurposeRules>>>;
