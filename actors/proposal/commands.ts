/** Commands of a trade proposal: the protocol between the API and the proposal's actor. */
import type { Autonomy } from '../../src/domain/agent.ts';
import type { Fill } from '../../src/domain/book.ts';
import type { DecimalString } from '../../src/domain/decimal.ts';
import type { RiskAttribution } from '../../src/domain/decision.ts';
import type { ProposalState } from '../../src/domain/execution.ts';
import type { Order } from '../../src/domain/order.ts';
import type { Outcome } from '../../src/domain/refusal.ts';
import type { PreparedTransactionState } from '../../src/domain/solana/lifecycle.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { ShownExecution } from './parts.ts';

/** The transaction that carries an order out on the primary chain. */
export interface ProposalTransaction {
  readonly id: string;
  readonly state: PreparedTransactionState;
  readonly wallet: string;
  /** `user`: the owner's wallet signs it. `delegated`: the delegated signer does. */
  readonly executor: 'user' | 'delegated';
}

/** A trade proposal as the outside sees it. */
export interface ProposalView {
  readonly id: string;
  readonly agentId: string;
  /** Null if a kill switch closes a position. */
  readonly decisionId: string | null;
  readonly slot: EpochMs;
  readonly side: 'entry' | 'exit';
  readonly state: ProposalState;
  readonly reason: string | null;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly autonomy: Autonomy;
  readonly order: Order;
  /** Execution plan and the result of each part; null for proposals from before orders had parts. */
  readonly execution: ShownExecution | null;
  readonly decisionPrice: DecimalString;
  readonly readsReference: boolean;
  readonly risk: RiskAttribution;
  /** Subject that approved or declined it. */
  readonly decidedBy: string | null;
  readonly filledQuantity: DecimalString;
  readonly filledNotionalUsd: DecimalString;
  /** Fills, each with the quotes it was made on. */
  readonly fills: readonly Fill[];
  /** The prepared transaction of a live order on the primary chain; null elsewhere, and before there is one. */
  readonly transaction: ProposalTransaction | null;
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
  readonly changedAt: EpochMs;
}

/** Every command answers after its transaction is committed. A foreign proposal answers exactly as a missing one: `not_found`. */
export interface ProposalCommands {
  /** Runs risk on the present quotes once more; then the proposal is on its way to execution. */
  approve(context: CommandContext, proposalId: string): Promise<Outcome<ProposalView>>;
  decline(context: CommandContext, proposalId: string, reason: string | null): Promise<Outcome<ProposalView>>;
}
