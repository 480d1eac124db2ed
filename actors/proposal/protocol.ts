/** Context and events of a trade proposal. */
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import type { Fill } from '../../src/domain/books/book.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { RiskAttribution } from '../../src/domain/agents/decision.ts';
import type { SeenTrades, VenueAnswer } from '../../src/domain/orders/execution.ts';
import type { EndedPart, ExecutionPlan, OrderPart } from '../../src/domain/orders/execution-plan.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

/** Initial state of a proposal: it waits for an operator, executes by itself, or was superseded before it began. */
export type ProposalBeginning = 'pending_approval' | 'approved' | 'cancelled';

/** Plain JSON: what a decision hands over to its proposal. */
export interface ProposalInput {
  readonly agentId: string;
  /** Null if no decision led to it, because a kill switch closes a position. */
  readonly decisionId: string | null;
  /** The slot of the decision. */
  readonly slot: EpochMs;
  readonly side: 'entry' | 'exit';
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** The level at which it was proposed. */
  readonly autonomy: Autonomy;
  /** The organization's control epoch that the decision was made in; a halt ends it. */
  readonly epoch: number;
  readonly order: Order;
  /** The executable price that the decision was made on. */
  readonly decisionPrice: DecimalString;
  /** True if the rules behind it use the reference price. */
  readonly readsReference: boolean;
  /** Risk assessment at the decision. */
  readonly risk: RiskAttribution;
  /** True if a breaker's kill switch closes a position. */
  readonly flattens?: boolean;
  /** Execution plan. Absent in proposals from before there were plans, which execute at once. */
  readonly execution?: ExecutionPlan;
  readonly begins: ProposalBeginning;
  /** Reason why it begins cancelled, or null. */
  readonly reason: string | null;
  /** Maximum wait for an approval, in milliseconds. */
  readonly approvalMs: number;
}

/** Plain JSON, stored in the snapshot. */
export interface ProposalContext extends ProposalInput {
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
  /** Subject that approved or declined it; null if nobody did. */
  readonly decidedBy: string | null;
  /** The lease to execute, as it was last taken; null before. */
  readonly leaseUntil: EpochMs | null;
  /** Total filled quantity. */
  readonly filledQuantity: DecimalString;
  readonly filledNotionalUsd: DecimalString;
  /** Number of look-ups of an unknown outcome. */
  readonly lookUps: number;
  /** The part of the order that is under way, or goes first; the whole order by default. */
  readonly part?: OrderPart;
  /** Next part, or null. */
  readonly next?: OrderPart | null;
  /** The parts that have ended, in their order. */
  readonly ended?: readonly EndedPart[];
  /** Resting place of the present part; null if it does not rest. */
  readonly rest?: RestingAt | null;
  /** Time at which the first part left, and when the last one ended. */
  readonly startedAt?: EpochMs | null;
  readonly settledAt?: EpochMs | null;
  /** Resting terms at its own limit, as of people's orders; absent for parts that rest post-only at the near side. */
  readonly resting?: RestingTerms;
  /** Trades of it that are booked while it rests. */
  readonly seen?: SeenTrades | null;
  /** Reason why no further part leaves: a halt, a pause, a changed manifest. Null if there is none. */
  readonly stopped?: string | null;
}

/** Terms of an order that rests at its own limit until it is filled or withdrawn. */
export interface RestingTerms {
  /** True if it never takes: the venue refuses it where it would. */
  readonly postOnly: boolean;
}

/** An order that rests: at which price, and since when. */
export interface RestingAt {
  readonly price: DecimalString;
  readonly since: EpochMs;
}

/**
 * An answer together with the lease that its activity worker saw or took last (`leaseUntil`; null: none), the number of the
 * part that it is about and when it was found: an answer of before another lease, or about another part, counts for nothing.
 * Of an order that rests, `after` is what of it was filled when it was asked for: what was filled since counts once.
 */
export type CarriedAnswer = ExecutionAnswer & {
  readonly lease?: EpochMs | null;
  readonly part?: number;
  readonly at?: EpochMs;
  readonly after?: DecimalString;
};

/** Result of `execute_order`, `withdraw_order` or `reconcile_order`. */
export type ExecutionAnswer =
  | VenueAnswer
  /** Risk does not let it pass on the present quotes; nothing was sent. */
  | { readonly outcome: 'blocked'; readonly risk: RiskAttribution }
  /** May no longer be executed (halt, pause, changed manifest, lowered autonomy). Nothing was sent. */
  | { readonly outcome: 'superseded'; readonly reason: string };

/** Events of the execution workers. People's live orders receive the same (`actors/market-order`). */
export type ExecutionEvent =
  /** The lease to execute is taken: from here on the order may be at the venue. */
  | {
      readonly type: 'execution.begun';
      readonly key: string;
      /** End of the lease by the activity worker's clock, read before the step. The store counts `leaseMs` from its own write, which is later. */
      readonly leaseUntil: EpochMs;
      readonly leaseMs: number;
    }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: CarriedAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string }
  /** Observation of a resting order, from a look or a report of its venue. */
  | { readonly type: 'order.observed'; readonly answer: CarriedAnswer };

export type ProposalEvent =
  | { readonly type: 'approve'; readonly subject: string; readonly risk: RiskAttribution }
  | { readonly type: 'decline'; readonly subject: string; readonly reason: string | null }
  | { readonly type: 'cancel'; readonly reason: string }
  /** Risk does not let it pass any more, seen at its approval. */
  | { readonly type: 'block'; readonly risk: RiskAttribution }
  | ExecutionEvent;

/** Fills that a step records. */
export interface FillsToRecord {
  readonly fills: readonly Fill[];
  readonly sent: SentPart;
}

/** Market at the moment a part was sent. At the shadow stage its venue's flow is checked against it. */
export interface SentPart {
  /** No price beyond it was taken. */
  readonly limitPrice: DecimalString;
  /** Time since which the order rested; null if it took at once. */
  readonly restedSince: EpochMs | null;
}
