/**
 * Handles manual orders on the spot exchange: assesses risk, then fills on paper or begins a live order, with audit and answer in the
 * step's transaction.
 */
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { ActorStart, ActorState } from '../../src/domain/agents/actor-step.ts';
import { toDollarVenue } from '../../src/domain/books/reserves.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { findCostModel } from '../../src/domain/orders/costs.ts';
import type { MarketOrderState, TimeInForce } from '../../src/domain/orders/execution.ts';
import type { ExecutionMode, Order, OrderSide } from '../../src/domain/orders/order.ts';
import { paperFill } from '../../src/domain/orders/paper-fill.ts';
import { lackInWords } from '../../src/domain/risk/index.ts';
import type { Spending } from '../../src/domain/take/live-capital.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../src/domain/values/decimal.ts';
import { contentId } from '../../src/domain/values/ids.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { type LeftByOrder, type ManualVerdict, type PassedVerdict, passed, spendingRows } from '../manual-order/manual-order.ts';
import { type Obstacle, placedOnVerdict, placingTogether } from '../manual-order/placing.ts';
import type { PresentVerdict } from '../proposal/present-verdict.ts';
import type { RestingTerms } from '../proposal/protocol.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { marketOrderContext, marketOrderRow, marketOrderState } from './effects.ts';
import type { MarketOrderInput } from './machine.ts';
import type { MarketOrderView } from './resource.ts';
import { boundUsd, leftOfOrder } from './resting.ts';

/** Message for an order that does not exist or belongs to another organization. */
export const NO_MARKET_ORDER = 'there is no market order with this id';

/** A person's order. Exactly one of the sizes is given. */
export interface MarketOrderRequest {
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  readonly quantity: DecimalString | null;
  /** Maximum cost of a buy, or proceeds of a sell at its worst price. */
  readonly notionalUsd: DecimalString | null;
  /** Worst acceptable price, or null to derive it from the slippage budget and the present price. */
  readonly limitPrice: DecimalString | null;
  /** Slippage budget in basis points, or null for the organization's own limit, at most 50. */
  readonly maxSlippageBps: number | null;
  /** `gtc` rests at its limit price until it is filled or cancelled. The default fills at once or lapses. */
  readonly timeInForce?: TimeInForce;
  /** True for a `gtc` order that must not take liquidity. */
  readonly postOnly?: boolean;
}

/** Risk of manual orders on the spot exchange. The mandate is the organization's preferences, the book its manual book. */
export interface MarketPreTrade {
  /**
   * Compiles orders on the present market and validates each on the account that the previous one leaves. Refuses if there is no price or
   * the size does not fit the instrument. `place` receives each validation and returns the order's effect on the next.
   */
  validateInTurn(
    orgId: string,
    mode: ExecutionMode,
    asked: readonly { readonly id: string; readonly request: MarketOrderRequest }[],
    place: (index: number, validated: Outcome<ManualVerdict>) => LeftByOrder,
  ): Promise<void>;
  /** Validates a compiled order in its control epoch, or in the present one if none is given. */
  reassess(orgId: string, placed: { readonly order: Order; readonly epoch?: number }): Promise<PresentVerdict>;
}

interface MarketOrderDeps {
  readonly runtime: Pick<Runtime, 'prepare' | 'begin' | 'deliver'>;
  readonly orders: {
    /** Returns null if the organization has no such order. */
    find(orgId: string, id: string): Promise<MarketOrderView | null>;
  };
  readonly preTrade: MarketPreTrade;
  /** Returns what the organization's live orders on the spot exchange lack, or null if nothing. */
  readonly lacks: (orgId: string) => string | null;
  /** True if a step failed because its book was no longer at the validated version. */
  readonly isOverrun: (error: unknown) => boolean;
  /** True if a step failed because the database is unavailable. Another step would fail as well. */
  readonly isOutage: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

export function createMarketOrderHandler(deps: MarketOrderDeps) {
  const toObstacle = (error: unknown): Obstacle => (deps.isOverrun(error) ? 'moved' : null);
  const placeOnPaper = placingTogether(toObstacle, deps.isOutage, (orgId, asked: readonly Placing[]) =>
    assessedAndBegun(deps, orgId, 'paper', asked),
  );
  return {
    /**
     * Places an order. A paper order is filled, rests or lapses at once. A live order is sent afterwards. A risk refusal names
     * every limit.
     */
    async place(context: CommandContext, mode: ExecutionMode, request: MarketOrderRequest): Promise<Outcome<MarketOrderView>> {
      const { orgId } = context;
      const placing = { context, id: deps.newId(), request };
      if (mode === 'paper') return placeOnPaper(orgId, placing);
      const missing = deps.lacks(orgId);
      if (missing !== null) return refuse('feature_disabled', lackInWords('spotexchange', missing));
      return placedOnVerdict(
        orgId,
        toObstacle,
        async () => (await assessedAndBegun(deps, orgId, mode, [placing]))[0] as Outcome<MarketOrderView>,
      );
    },
    /** Cancels the resting part, or the order before it rests. Fills up to then stay. */
    cancel: (context: CommandContext, id: string): Promise<Outcome<MarketOrderView>> => cancelled(deps, context, id),
  };
}

/** Commands of manual orders. Each answers after its transaction has committed. */
export type MarketOrderCommands = ReturnType<typeof createMarketOrderHandler>;

/** Returns the result of a paper order, or the initial state of a live one. */
function beginning(
  at: EpochMs,
  id: string,
  mode: ExecutionMode,
  { order, verdict, touch }: PassedVerdict,
  resting: RestingTerms | undefined,
): Pick<MarketOrderInput, 'begins' | 'reason' | 'detail' | 'fills'> {
  const open = { reason: null, detail: null, fills: [] };
  if (mode === 'live') return { begins: 'approved', ...open };
  if (resting?.postOnly === true)
    return takes(verdict.approved, touch)
      ? { begins: 'failed', reason: 'would_take', detail: `the order is post-only and would take liquidity at ${touch}`, fills: [] }
      : { begins: 'resting', ...open };
  const info = { id: contentId(`fill\n${id}`), at, decisionPrice: touch };
  const filled = paperFill(verdict.approved, verdict.market, findCostModel(order.instrument), info);
  // An order that cannot be filled at once rests at its price.
  if (resting !== undefined && filled.outcome !== 'filled')
    return { begins: 'resting', ...open, fills: filled.outcome === 'no_fill' ? [] : [filled.fill] };
  return filled.outcome === 'no_fill'
    ? { begins: 'failed', reason: filled.reason, detail: filled.detail, fills: [] }
    : { begins: filled.outcome, ...open, fills: [filled.fill] };
}

interface Placing {
  readonly context: CommandContext;
  readonly id: string;
  readonly request: MarketOrderRequest;
}

/**
 * Assesses orders one after the other, each on the book that the previous one leaves, and begins those that pass: all of them, or none if
 * one cannot be written.
 */
async function assessedAndBegun(
  deps: MarketOrderDeps,
  orgId: string,
  mode: ExecutionMode,
  asked: readonly Placing[],
): Promise<readonly Outcome<MarketOrderView>[]> {
  const starts: ActorStart[] = [];
  const outcomes: Outcome<MarketOrderView>[] = [];
  await deps.preTrade.validateInTurn(orgId, mode, asked, (index, validated) => {
    const verdict = passed(validated);
    if (!verdict.ok) {
      outcomes.push(verdict);
      return { fills: [], waits: null };
    }
    const start = prepared(deps, asked[index] as Placing, mode, verdict.value);
    starts.push(start);
    outcomes.push({ ok: true, value: marketOrderView(start.id, start.plan.state, marketOrderContext(start.plan.state).createdAt) });
    return leftBy(start);
  });
  if (starts.length > 0) await deps.runtime.begin(starts);
  return outcomes;
}

/** Returns the first step of an order that risk accepts. */
function prepared(
  { runtime, clock }: MarketOrderDeps,
  { context, id, request }: Placing,
  mode: ExecutionMode,
  passing: PassedVerdict,
): ActorStart {
  const { verdict, touch, epoch, bookVersion } = passing;
  const resting = request.timeInForce === 'gtc' ? { postOnly: request.postOnly === true } : undefined;
  const createdAt = clock.now();
  const input: MarketOrderInput = {
    // As risk accepted it: with its limit reduced to the slippage budget at the present price.
    order: verdict.approved,
    ...beginning(createdAt, id, mode, passing, resting),
    ...(resting === undefined ? {} : { resting }),
    decisionPrice: touch,
    risk: verdict.risk,
    placedBy: context.subject,
    epoch,
    bookVersion,
    createdAt,
  };
  return runtime.prepare('market_order', id, context.orgId, input, {
    cause: `${context.subject} ${context.requestId}`,
    also: (begins) => [
      ...(mode === 'live' && verdict.approved.side === 'buy'
        ? spendingRows(context.orgId, toSpending(id, verdict.approved), createdAt)
        : []),
      auditRow(context, `market_order.${mode}`, id, null, begins.state),
      ...answerRows(context, marketOrderView(id, begins.state, createdAt)),
    ],
  });
}

/** Returns the maximum cost of an order: its notional and the taker fee. */
function toSpending(id: string, { instrument, notionalUsd }: Order): Spending {
  const fee = new Decimal(findCostModel(instrument).takerFeeBps).div(10_000);
  return { id, venue: toDollarVenue(instrument), wallet: null, usd: plainDecimal(fee.plus(1).times(notionalUsd)) };
}

/** Returns the effect of this order on the next one on the same book. */
function leftBy({ id, plan: { state } }: ActorStart): LeftByOrder {
  const context = marketOrderContext(state);
  const { instrument, side } = context.order;
  const isOpen = !ENDED.has(marketOrderState(state));
  const waits = isOpen ? { id, instrument, side, quantity: leftOfOrder(context), notionalUsd: boundUsd(context) } : null;
  return { fills: context.fills, waits };
}

async function cancelled(deps: MarketOrderDeps, context: CommandContext, id: string): Promise<Outcome<MarketOrderView>> {
  const { runtime, clock } = deps;
  const before = await deps.orders.find(context.orgId, id);
  if (before === null) return refuse('not_found', NO_MARKET_ORDER);
  if (before.timeInForce !== 'gtc' || ENDED.has(before.state))
    return refuse('state_conflict', `the order is ${before.state}; only a resting order can be cancelled`);
  const after = (state: ActorState) => ({ ...marketOrderView(id, state, clock.now()), fills: before.fills });
  try {
    const outcome = await runtime.deliver(
      id,
      { type: 'cancel', reason: 'cancel_requested' },
      {
        cause: `${context.subject} ${context.requestId}`,
        orgId: context.orgId,
        also: (row, plan) => [
          auditRow(context, 'market_order.cancel', id, row.state, plan.state),
          ...answerRows(context, after(plan.state)),
        ],
      },
    );
    return outcome.ok ? { ok: true, value: after(outcome.value.plan.state) } : outcome;
  } catch (error) {
    return answeredMeanwhile(error);
  }
}

/** Final states. */
const ENDED: ReadonlySet<MarketOrderState> = new Set(['filled', 'partially_filled', 'failed', 'cancelled', 'blocked_by_risk']);

/** True if an order would trade at once at the touch. */
function takes({ side, limitPrice }: Pick<Order, 'side' | 'limitPrice'>, touch: string): boolean {
  return side === 'buy' ? new Decimal(limitPrice).gte(touch) : new Decimal(limitPrice).lte(touch);
}

/** Returns the view of an order after its step. Later fills are read from the store. */
function marketOrderView(id: string, state: ActorState, at: number): MarketOrderView {
  return { ...marketOrderRow(id, state, at), fills: marketOrderContext(state).fills };
}
