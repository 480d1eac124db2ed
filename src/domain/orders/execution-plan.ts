/**
 * Plan of an order's execution: at once, resting first, or in slices over time. The plan is made with the proposal, from its manifest. The
 * next part follows from the plan and the results of the earlier parts.
 */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { ExecutionAlgorithm, Manifest, Urgency } from '../manifest/manifest.ts';
import { floorToStep, findMarketStep } from '../market/market-step.ts';
import type { Order } from './order.ts';
import type { EpochMs } from '../values/time.ts';
import { type ExecutableVenue, VENUE_FACTS } from '../market/venue.ts';
import { toExact, exactText, minus } from '../values/exact.ts';

/** Time in milliseconds for which an order rests at the near side before the remainder is taken. */
export const REST_MS: Readonly<Record<Urgency, number>> = { low: 45_000, medium: 20_000, high: 5_000 };

/** Number of equal slices of an order, and the interval between their starts. */
export const SLICES: Readonly<Record<Urgency, { readonly count: number; readonly everyMs: number }>> = {
  low: { count: 10, everyMs: 30_000 },
  medium: { count: 6, everyMs: 20_000 },
  high: { count: 3, everyMs: 10_000 },
};

/** Minimum value of a slice in US dollars, because venues refuse small orders. */
export const MIN_SLICE_USD = 20;

/** Reasons why an order is not executed as its manifest asks. */
export const FALLBACK_REASONS = ['no_resting_orders', 'one_transaction', 'protective_exit', 'too_small_to_slice'] as const;
export type FallbackReason = (typeof FALLBACK_REASONS)[number];

/** Plan of an order. Plain JSON, stored in the proposal's snapshot and shown with it. */
export interface ExecutionPlan {
  /** Algorithm that the manifest asks for. */
  readonly asked: ExecutionAlgorithm;
  /** Algorithm used. */
  readonly algorithm: ExecutionAlgorithm;
  readonly urgency: Urgency;
  /** Null if the requested algorithm is used. */
  readonly fallback: FallbackReason | null;
}

/** Plan of orders that are executed at once: closings and kill switches. */
export const AT_ONCE: ExecutionPlan = { asked: 'taker_immediate', algorithm: 'taker_immediate', urgency: 'high', fallback: null };

/**
 * A part of an order. `take`: takes liquidity within the limit, at once. `rest`: post-only at the near side. `quantity` in base units.
 * `dueAt`: start of a slice, or null for as soon as possible.
 */
export interface OrderPart {
  readonly number: number;
  readonly kind: 'take' | 'rest';
  readonly quantity: DecimalString;
  readonly dueAt: EpochMs | null;
}

/** An ended part. */
export interface EndedPart extends OrderPart {
  /** Quantity that the venue executed, before commission. */
  readonly executedQuantity: DecimalString;
  /** Reason why it was not filled completely, or null. */
  readonly reason: string | null;
}

/** Fields of an order that determine its plan. */
type PlannedOrder = Pick<Order, 'instrument' | 'venue' | 'quantity' | 'limitPrice'>;

/** Returns the plan of an order. `isProtective` is true if a stop-loss asks for it, which never waits. */
export function planExecution(
  manifest: Pick<Manifest, 'algorithm' | 'urgency'>,
  order: PlannedOrder,
  isProtective: boolean,
): ExecutionPlan {
  const { algorithm: asked, urgency } = manifest;
  const fallback = findFallback(asked, urgency, order, isProtective);
  return { asked, algorithm: fallback === null ? asked : 'taker_immediate', urgency, fallback };
}

function findFallback(asked: ExecutionAlgorithm, urgency: Urgency, order: PlannedOrder, isProtective: boolean): FallbackReason | null {
  if (asked === 'taker_immediate') return null;
  if (isProtective) return 'protective_exit';
  const facts = fallbackOnVenue(asked, order.venue);
  if (facts !== null) return facts;
  return asked === 'twap' && sliceCount(order, urgency) === 1 ? 'too_small_to_slice' : null;
}

/** Returns why a venue cannot use an algorithm, or null if it can. */
export function fallbackOnVenue(asked: ExecutionAlgorithm, venue: ExecutableVenue): FallbackReason | null {
  const { restingOrders, slicedOrders } = VENUE_FACTS[venue];
  if (asked === 'smart_order_routing_maker_first' && !restingOrders) return 'no_resting_orders';
  return asked === 'twap' && !slicedOrders ? 'one_transaction' : null;
}

/** Returns the number of slices of an order. Each is at least one lot and worth the minimum. */
export function sliceCount({ instrument, quantity, limitPrice }: Omit<PlannedOrder, 'venue'>, urgency: Urgency): number {
  const lots = new Decimal(quantity).div(findMarketStep(instrument).lot).floor();
  const worth = new Decimal(quantity).times(limitPrice).div(MIN_SLICE_USD).floor();
  return Decimal.max(1, Decimal.min(SLICES[urgency].count, lots, worth)).toNumber();
}

/** Returns the quantities of an order's slices: whole lots that differ by at most one and sum to the order. */
export function sliceOrder(order: Omit<PlannedOrder, 'venue'>, urgency: Urgency): readonly DecimalString[] {
  const { lot } = findMarketStep(order.instrument);
  const count = sliceCount(order, urgency);
  const slices: DecimalString[] = [];
  let left = new Decimal(order.quantity);
  for (let n = count; n > 1; n--) {
    const slice = floorToStep(left.div(n), lot);
    slices.push(slice);
    left = left.minus(slice);
  }
  slices.push(plainDecimal(left));
  return slices;
}

/** Returns the first part of an order to send. */
export function firstPart(plan: ExecutionPlan, order: PlannedOrder): OrderPart {
  const quantity = plan.algorithm === 'twap' ? (sliceOrder(order, plan.urgency)[0] as DecimalString) : order.quantity;
  return { number: 0, quantity, dueAt: null, kind: plan.algorithm === 'smart_order_routing_maker_first' ? 'rest' : 'take' };
}

/** True for a slice that is more than one interval late. It is skipped, so that slices never bunch up. */
export function isMissed(plan: ExecutionPlan, { dueAt }: OrderPart, at: EpochMs): boolean {
  return dueAt !== null && at >= dueAt + SLICES[plan.urgency].everyMs;
}

/** Continuation after ended parts: the slices missed meanwhile, and the next part, or null after the last one. */
interface Continuation {
  readonly missed: readonly EndedPart[];
  readonly part: OrderPart | null;
}

/**
 * Returns what follows ended parts. @param startedAt Time at which the first part was sent. @param at Time at which the last part ended.
 */
export function chooseContinuation(
  plan: ExecutionPlan,
  order: PlannedOrder,
  ended: readonly EndedPart[],
  { startedAt, at }: { readonly startedAt: EpochMs; readonly at: EpochMs },
): Continuation {
  const left = computeRemaining(order, ended);
  if (plan.algorithm === 'taker_immediate' || left === '0') return { missed: [], part: null };
  if (plan.algorithm === 'smart_order_routing_maker_first') {
    const [rested] = ended;
    const isOver = ended.length > 1 || rested?.kind !== 'rest';
    return { missed: [], part: isOver ? null : { number: 1, kind: 'take', quantity: left, dueAt: null } };
  }
  const slices = sliceOrder(order, plan.urgency);
  const missed: EndedPart[] = [];
  for (let number = ended.length; number < slices.length; number++) {
    const dueAt = startedAt + number * SLICES[plan.urgency].everyMs;
    const part: OrderPart = { number, kind: 'take', quantity: slices[number] as DecimalString, dueAt };
    if (!isMissed(plan, part, at)) return { missed, part };
    missed.push({ ...part, executedQuantity: '0', reason: 'slice_missed' });
  }
  return { missed, part: null };
}

/** Returns the remaining quantity of an order, which reserves capacity. Never negative. */
export function computeRemaining(
  { quantity }: Pick<Order, 'quantity'>,
  ended: readonly Pick<EndedPart, 'executedQuantity'>[],
): DecimalString {
  const left = ended.reduce((rest, { executedQuantity }) => minus(rest, toExact(executedQuantity)), toExact(quantity));
  return left.units > 0n ? exactText(left) : '0';
}
