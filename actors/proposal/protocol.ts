/** Context and events of a trade proposal. */
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import type { Fill } from '../../src/domain/books/book.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { RiskAttribution } from '../../src/domain/agents/decision.ts';
import type { SeenTrades, VenueAnswer } from '../../src/domain/orders/execution.ts';
import type { EndedPart, ExecutionPlan, OrderPart } from '../../src/domain/orders/execution-plan.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

/** Initial state of a proposal: waiting for approval, executing by itself, or superseded before it began. */
export type ProposalBeginning = 'pending_approval' | 'approved' | 'cancelled';

/** Input of a proposal, from its decision. Plain JSON. */
export interface ProposalInput {
  readonly agentId: string;
  /** Null if a kill switch closes a position without a decision. */
  readonly decisionId: string | null;
  /** Slot of the decision. */
  readonly slot: EpochMs;
  readonly side: 'entry' | 'exit';
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** Autonomy level at which it was proposed. */
  readonly autonomy: Autonomy;
  /** Control epoch of the organization at the decision. A halt ends it. */
  readonly epoch: number;
  readonly order: Order;
  /** Executable price at the decision. */
  readonly decisionPrice: DecimalString;
  /** True if the rules behind it use the reference price. */
  readonly readsReference: boolean;
  /** Risk assessment at the decision. */
  readonly risk: RiskAttribution;
  /** True if a breaker's kill switch closes a position. */
  readonly flattens?: boolean;
  /** Execution plan. Absent in proposals from before plans existed, which execute at once. */
  readonly execution?: ExecutionPlan;
  readonly begins: ProposalBeginning;
  /** Reason why it begins cancelled, or null. */
  readonly reason: string | null;
  /** Maximum wait for an approval, in milliseconds. */
  readonly approvalMs: number;
}

/** Context of a proposal. Plain JSON, stored in the snapshot. */
export interface ProposalContext extends ProposalInput {
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
  /** Subject that approved or declined it, or null. */
  readonly decidedBy: string | null;
  /** End of the last execution lease, or null before the first. */
  readonly leaseUntil: EpochMs | null;
  /** Total filled quantity. */
  readonly filledQuantity: DecimalString;
  readonly filledNotionalUsd: DecimalString;
  /** Number of look-ups of an unknown outcome. */
  readonly lookUps: number;
  /** Part of the order that is under way or goes first. Default: the whole order. */
  readonly part?: OrderPart;
  /** Next part, or null. */
  readonly next?: OrderPart | null;
  /** Ended parts, in order. */
  readonly ended?: readonly EndedPart[];
  /** Resting price of the present part, or null if it does not rest. */
  readonly rest?: RestingAt | null;
  /** Time at which the first part was sent, and at which the last one ended. */
  readonly startedAt?: EpochMs | null;
  readonly settledAt?: EpochMs | null;
  /** Resting terms at its own limit, as for manual orders. Absent for parts that rest post-only at the near side. */
  readonly resting?: RestingTerms;
  /** Trades of the resting part that are booked. */
  readonly seen?: SeenTrades | null;
  /** Reason why no further part is sent (halt, pause, changed manifest), or null. */
  readonly stopped?: string | null;
}

/** Terms of an order that rests at its own limit until it is filled or withdrawn. */
export interface RestingTerms {
  /** True if it must not take liquidity. The venue then refuses it instead. */
  readonly postOnly: boolean;
}

/** Price and start of a resting order. */
export interface RestingAt {
  readonly price: DecimalString;
  readonly since: EpochMs;
}

/**
 * An answer with the lease that its worker last saw or took (`leaseUntil`, null if none), the number of its part and its time. An answer
 * from before another lease, or about another part, does not count. For a resting order, `after` is the filled quantity at the query, so
 * that later fills count once.
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
  /** Risk refuses the order on the present quotes. Nothing was sent. */
  | { readonly outcome: 'blocked'; readonly risk: RiskAttribution }
  /** May no longer be executed (halt, pause, changed manifest, lowered autonomy). Nothing was sent. */
  | { readonly outcome: 'superseded'; readonly reason: string };

/** Events of the execution workers. Live manual orders receive the same (`actors/market-order`). */
export type ExecutionEvent =
  /** The execution lease is taken. From now on the order may be at the venue. */
  | {
      readonly type: 'execution.begun';
      readonly key: string;
      /**
       * End of the lease by the activity worker's clock, read before the step. The store counts `leaseMs` from its own write, which is
       * later.
       */
      readonly leaseUntil: EpochMs;
      readonly leaseMs: number;
    }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: CarriedAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string }
  /** Observation of a resting order, from a query or a report of its venue. */
  | { readonly type: 'order.observed'; readonly answer: CarriedAnswer };

export type ProposalEvent =
  | { readonly type: 'approve'; readonly subject: string; readonly risk: RiskAttribution }
  | { readonly type: 'decline'; readonly subject: string; readonly reason: string | null }
  | { readonly type: 'cancel'; readonly reason: string }
  /** Risk refuses it at its approval. */
  | { readonly type: 'block'; readonly risk: RiskAttribution }
  | ExecutionEvent;

/** Fills that a step records. */
export interface FillsToRecord {
  readonly fills: readonly Fill[];
  readonly sent: SentPart;
}

/** Market when a part was sent. At the shadow stage the venue's flow is compared with it. */
export interface SentPart {
  /** Worst accepted price. */
  readonly limitPrice: DecimalString;
  /** Time since which the order rested, or null if it took liquidity at once. */
  readonly restedSince: EpochMs | null;
}
