/** What a trade proposal remembers and what it receives. */
import type { Autonomy } from '../../src/domain/agent.ts';
import type { Fill } from '../../src/domain/book.ts';
import type { DecimalString } from '../../src/domain/decimal.ts';
import type { RiskAttribution } from '../../src/domain/decision.ts';
import type { SeenTrades, VenueAnswer } from '../../src/domain/execution.ts';
import type { EndedPart, ExecutionPlan, OrderPart } from '../../src/domain/execution-plan.ts';
import type { Order } from '../../src/domain/order.ts';
import type { EpochMs } from '../../src/domain/time.ts';

/** How a proposal begins: it waits for an operator, it executes by itself, or it was superseded before it began. */
export type ProposalBeginning = 'pending_approval' | 'approved' | 'cancelled';

/** Plain JSON: what a decision hands over to its proposal. */
export interface ProposalInput {
  readonly agentId: string;
  /** Null where no decision asked for it: a kill switch closes a position. */
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
  /** Whether the rules that asked for it rest on the reference price. */
  readonly readsReference: boolean;
  /** What risk said of the order at the decision. */
  readonly risk: RiskAttribution;
  /** True where a breaker's kill switch closes a position. */
  readonly flattens?: boolean;
  /** How it is carried out; at once where nothing is said: proposals from before there were plans. */
  readonly execution?: ExecutionPlan;
  readonly begins: ProposalBeginning;
  /** Why it begins cancelled; null else. */
  readonly reason: string | null;
  /** How long an approval is waited for. */
  readonly approvalMs: number;
}

/** Plain JSON: it lies in the snapshot. */
export interface ProposalContext extends ProposalInput {
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
  /** Who approved or declined it; null where nobody did. */
  readonly decidedBy: string | null;
  /** The lease to execute, as it was last taken; null before. */
  readonly leaseUntil: EpochMs | null;
  /** What was filled, over all fills. */
  readonly filledQuantity: DecimalString;
  readonly filledNotionalUsd: DecimalString;
  /** How often an unknown outcome was asked for. */
  readonly lookUps: number;
  /** The part of the order that is under way, or goes first; the whole order where nothing is said. */
  readonly part?: OrderPart;
  /** What goes after it; null where nothing does. */
  readonly next?: OrderPart | null;
  /** The parts that have ended, in their order. */
  readonly ended?: readonly EndedPart[];
  /** Where the present part rests; null where it does not. */
  readonly rest?: RestingAt | null;
  /** When the first part left, and when the last one ended. */
  readonly startedAt?: EpochMs | null;
  readonly settledAt?: EpochMs | null;
  /** How it rests at its own limit, as people's orders do; absent of what rests at the near side, post-only. */
  readonly resting?: RestingTerms;
  /** Trades of it that are booked while it rests. */
  readonly seen?: SeenTrades | null;
  /** Why no further part leaves: a halt, a pause, a changed manifest; null where nothing stands in the way. */
  readonly stopped?: string | null;
}

/** How an order rests at its own limit until it is filled or taken back. */
export interface RestingTerms {
  /** True where it never takes: the venue refuses it where it would. */
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

/** What carrying out `execute_order`, `withdraw_order` or `reconcile_order` came to. */
export type ExecutionAnswer =
  | VenueAnswer
  /** Risk does not let it pass on the present quotes; nothing was sent. */
  | { readonly outcome: 'blocked'; readonly risk: RiskAttribution }
  /** It may not be executed any more (halt, pause, changed manifest, lowered autonomy); nothing was sent. */
  | { readonly outcome: 'superseded'; readonly reason: string };

/** What the activity worker of executions tells: people's live orders receive the same (`actors/market-order`). */
export type ExecutionEvent =
  /** The lease to execute is taken: from here on the order may be at the venue. */
  | {
      readonly type: 'execution.begun';
      readonly key: string;
      /** By the activity worker's clock, from before the step; the store counts `leaseMs` from its writing on, which is later. */
      readonly leaseUntil: EpochMs;
      readonly leaseMs: number;
    }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: CarriedAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string }
  /** What a look at an order that rests has found, or a report of its venue has told. */
  | { readonly type: 'order.observed'; readonly answer: CarriedAnswer };

export type ProposalEvent =
  | { readonly type: 'approve'; readonly subject: string; readonly risk: RiskAttribution }
  | { readonly type: 'decline'; readonly subject: string; readonly reason: string | null }
  | { readonly type: 'cancel'; readonly reason: string }
  /** Risk does not let it pass any more, seen at its approval. */
  | { readonly type: 'block'; readonly risk: RiskAttribution }
  | ExecutionEvent;

/** What of a fill a step records. */
export interface FillsToRecord {
  readonly fills: readonly Fill[];
  readonly sent: SentPart;
}

/** How the part left that was filled: what the flow of its venue is asked about, where its agent stands at the shadow stage. */
export interface SentPart {
  /** No price beyond it was taken. */
  readonly limitPrice: DecimalString;
  /** Since when it rested; null of one that took at once. */
  readonly restedSince: EpochMs | null;
}
