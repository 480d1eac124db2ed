/** States and results of an order at its venue. */
import { type Autonomy, EXECUTES_BY_ITSELF, type Stage } from '../agents/agent.ts';
import type { Fill } from '../books/book.ts';
import type { DecimalString } from '../values/decimal.ts';
import { contentId } from '../values/ids.ts';
import { type ExecutionMode, toExecutionMode } from './order.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** States of a trade proposal, in order. */
export const PROPOSAL_STATES = [
  'pending_approval',
  'approved',
  'executing',
  'filled',
  'partially_filled',
  'failed',
  'unknown',
  'expired',
  'cancelled',
  'declined',
  'blocked_by_risk',
] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

/** States in which a proposal may still be filled: it reserves capacity of the mandate, and its instrument is not proposed again. */
export const OPEN_PROPOSAL_STATES = ['pending_approval', 'approved', 'executing', 'unknown'] as const satisfies readonly ProposalState[];

export function isOpenProposal(state: ProposalState): boolean {
  return (OPEN_PROPOSAL_STATES as readonly string[]).includes(state);
}

/**
 * States of a manual order on the spot exchange: those of trade proposals, without the ones that only a proposal can reach. `resting`: it
 * waits at its venue. `withdrawing`: it is being cancelled, and may still be filled.
 */
export const MARKET_ORDER_STATES = [
  'approved',
  'executing',
  'resting',
  'withdrawing',
  'filled',
  'partially_filled',
  'failed',
  'unknown',
  'cancelled',
  'blocked_by_risk',
] as const;
export type MarketOrderState = (typeof MARKET_ORDER_STATES)[number];

/**
 * Answer of a venue about an order, by the order's key: from `submit` when it is sent, from `lookUp` afterwards. `unknown` is never a
 * failure: the order may have been executed, and only a later look-up tells.
 */
export type VenueAnswer =
  /** `executedQuantity` is what the venue executed of the whole order, before commission. */
  | { readonly outcome: 'filled' | 'partially_filled'; readonly fills: readonly Fill[]; readonly executedQuantity?: DecimalString }
  /**
   * The order rests at the venue: it may still be filled, and must be cancelled. `price` is its limit. `fills` are those since the trades
   * `seen` before, and `seen` the trades seen now.
   */
  | { readonly outcome: 'resting'; readonly price: DecimalString; readonly fills?: readonly Fill[]; readonly seen?: SeenTrades | null }
  /** The venue executed nothing of it and never will: refused, expired unfilled, or unknown to it. */
  | { readonly outcome: 'rejected'; readonly reason: string; readonly detail: string }
  /** `underWay`: it progresses as expected, and its result comes later. `awaitsSignature`: the owner's wallet must sign it first. */
  | { readonly outcome: 'unknown'; readonly detail: string; readonly underWay?: boolean; readonly awaitsSignature?: boolean };

/** Booked trades of a resting order: the newest trade's number at its venue, and the quantity executed up to it. */
export interface SeenTrades {
  readonly trade: number;
  readonly executed: DecimalString;
}

/** Time in force of a manual order: `ioc` takes the available liquidity at once, `gtc` rests until it is filled or cancelled. */
export const TIMES_IN_FORCE = ['ioc', 'gtc'] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];

/**
 * Returns the id of a proposal's prepared transaction on the primary chain. A proposal has one, whoever signs it and however often it is
 * tried.
 */
export function proposalTransactionId(proposalId: string): string {
  return contentId(`delegated transaction\n${proposalId}`);
}

/** Closing of an agent requested by a person. The agent stays paused, and its positions are sold until it holds nothing of it. */
export interface Closing {
  /** Null closes everything. */
  readonly instrument: InstrumentKey | null;
  /** Lowest accepted price, or null to sell at the market within the slippage budget. */
  readonly limitPrice: DecimalString | null;
  readonly subject: string;
  readonly at: EpochMs;
}

/** Adds a closing. The closing of everything replaces all others. That of one instrument replaces its own. */
export function withClosing(closings: readonly Closing[], closing: Closing): readonly Closing[] {
  if (closing.instrument === null) return [closing];
  return [...closings.filter(({ instrument }) => instrument !== closing.instrument), closing];
}

/** Returns how an instrument is closed: by its own entry, else by the one for everything, or null if it is kept. */
export function findClosing(closings: readonly Closing[], instrument: InstrumentKey): Closing | null {
  return closings.find((closing) => closing.instrument === instrument) ?? closings.find((closing) => closing.instrument === null) ?? null;
}

/** Conditions on the organization's control row and on the agent, for a step that leads to an order. */
export interface ExecutionPermit {
  /** Control epoch of the decision. */
  readonly epoch: number;
  readonly manifestHash: string;
  readonly mode: ExecutionMode;
  readonly reduceOnly: boolean;
  /** True if no operator has approved it. */
  readonly byItself: boolean;
  /** True if a kill switch or a person closes a position, which a pause does not prevent. */
  readonly flattens?: boolean;
}

/** Control row and agent as a transaction reads them, locked until it ends. */
export interface PermitFacts {
  readonly epoch: number;
  /** True while a halt is still pausing running agents. Until then no running agent gets a permit. */
  readonly halting?: boolean;
  readonly manifestHash: string;
  readonly paused: boolean;
  /** True if a circuit breaker paused it, rather than a person. */
  readonly pausedByBreaker?: boolean;
  /** True if a person closes its positions. */
  readonly closedByHand?: boolean;
  readonly stage: Stage;
  readonly autonomy: Autonomy;
}

/** Pauses by a circuit breaker, after which the manifest's kill switch acts. */
export const BREAKER_PAUSES = ['daily_drawdown', 'data_degraded'] as const;

/** Reason for ending an open entry when the stop-loss of its instrument asks for an exit. */
export const STOP_LOSS = 'stop_loss';

/** Reasons why a proposal can no longer be executed. */
const SUPERSEDED_REASONS = ['halted', 'paused', 'manifest_changed', 'stage_changed', 'autonomy_lowered'] as const;
export type SupersededReason = (typeof SUPERSEDED_REASONS)[number];

/** Levels at which an approved order may still be executed. `risk_only` allows only reductions. */
const EXECUTES: ReadonlySet<Autonomy> = new Set<Autonomy>(['confirm', ...EXECUTES_BY_ITSELF]);

/** Returns why an order can no longer be sent, or null if it can. */
export function supersededBy(permit: ExecutionPermit, facts: PermitFacts): SupersededReason | null {
  if (facts.epoch !== permit.epoch || (facts.halting === true && !facts.paused)) return 'halted';
  // Real positions outlive versions, stages and autonomy levels, so the command that closes them does too.
  if (permit.flattens === true && facts.closedByHand === true) return null;
  const flattening = permit.flattens === true && facts.pausedByBreaker === true;
  if (facts.paused && !flattening) return 'paused';
  if (facts.manifestHash !== permit.manifestHash) return 'manifest_changed';
  if (toExecutionMode(facts.stage) !== permit.mode) return 'stage_changed';
  if (flattening) return null;
  const allowed =
    facts.autonomy === 'risk_only' ? permit.reduceOnly : (permit.byItself ? EXECUTES_BY_ITSELF : EXECUTES).has(facts.autonomy);
  return allowed ? null : 'autonomy_lowered';
}

/**
 * Thrown by a store inside a step's transaction if the step's permit does not hold, so that nothing of the step is written. An exception
 * rather than a value, because it must undo the transaction in which it is detected.
 */
export class PermitLost extends Error {
  readonly reason: SupersededReason;

  constructor(reason: SupersededReason) {
    super(`the execution permit is lost: ${reason}`);
    this.reason = reason;
  }
}

/**
 * Thrown by a store inside a step's transaction if the organization's mandate changed since the order was assessed. The step writes
 * nothing, and the order must be assessed again.
 */
export class MandateMoved extends Error {}
