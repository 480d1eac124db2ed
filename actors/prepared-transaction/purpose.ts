/** What a purpose adds to the machine of prepared transactions: whether a promise would be kept, and what a finalized one comes to. */
import type { Simulation } from '../../src/domain/solana/chain.ts';
import type { TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { Effect, StepInfo } from '../runtime/actor-kind.ts';
import type { PreparedTransactionContext } from './protocol.ts';

export interface PurposeRules {
  /** Why the chain would not do what was promised, in one sentence; null where it would. Asked just before the first broadcast. */
  objection(context: PreparedTransactionContext, simulation: Simulation): string | null;
  /**
   * The rows of a finalized, successful transaction, written in the same step: a swap's fill, a prediction order that is
   * now open. Must not throw: what the chain has done is so, whatever was promised.
   */
  settle(context: PreparedTransactionContext, info: StepInfo): readonly Effect[];
}

/** The purposes that this service carries. A transaction of another one is not begun. */
export type Purposes = Readonly<Partial<Record<TransactionPurpose, PurposeRules>>>;
