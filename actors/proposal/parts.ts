/** Parts of a proposal's order: which one is under way, and what follows after one has ended. */
import {
  AT_ONCE,
  chooseContinuation,
  computeRemaining,
  type EndedPart,
  type ExecutionPlan,
  firstPart,
  type OrderPart,
  REST_MS,
} from '../../src/domain/orders/execution-plan.ts';
import { computeNotionalUsd, type Order, resized, sumFills } from '../../src/domain/orders/order.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../src/domain/values/decimal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { readAnswer, readFills } from './execution-events.ts';
import type { ProposalContext, ProposalEvent } from './protocol.ts';

type InParts = Pick<ProposalContext, 'order' | 'execution' | 'part' | 'ended' | 'seen'>;

export function readExecution({ execution }: Pick<ProposalContext, 'execution'>): ExecutionPlan {
  return execution ?? AT_ONCE;
}

/** Returns the part that is under way or goes first. */
export function currentPart(context: Pick<InParts, 'order' | 'execution' | 'part'>): OrderPart {
  return context.part ?? firstPart(readExecution(context), context.order);
}

/** Returns the order of the present part under the proposal's id, so that its assessment ignores its own reservation. */
export function orderOfPart(context: Pick<InParts, 'order' | 'execution' | 'part'>): Order {
  const { quantity } = currentPart(context);
  return quantity === context.order.quantity ? context.order : resized(context.order, quantity);
}

/** Returns the key of a part at its venue. The first part's key is the proposal's id. */
export function partKey(id: string, { number }: Pick<OrderPart, 'number'>): string {
  return number === 0 ? id : `${id}:${number}`;
}

/** Returns how long an order rests, in milliseconds. */
export function restMs(context: Pick<ProposalContext, 'execution'>): number {
  return REST_MS[readExecution(context).urgency];
}

/** True for an order that may be sent in more than one part, so that a halt can stop the rest. */
export function isInParts(context: Pick<ProposalContext, 'execution'>): boolean {
  return readExecution(context).algorithm !== 'taker_immediate';
}

/** Returns the executed quantities of an order: of the ended parts, and the booked one of the resting part. */
function executedParts({ ended = [], seen }: Pick<InParts, 'ended' | 'seen'>): readonly Pick<EndedPart, 'executedQuantity'>[] {
  return seen == null ? ended : [...ended, { executedQuantity: seen.executed }];
}

/** Returns the maximum remaining cost of the order in US dollars, which it reserves. */
export function reservedUsd(context: Pick<InParts, 'order' | 'ended' | 'seen'>): DecimalString {
  const { order } = context;
  const executed = executedParts(context);
  return executed.length === 0 ? order.notionalUsd : computeNotionalUsd(computeRemaining(order, executed), order.limitPrice);
}

/** True if the venue has executed the whole order. */
export function isExecuted({ order, ended }: Pick<InParts, 'order' | 'ended'>): boolean {
  return computeRemaining(order, ended ?? []) === '0';
}

/** Returns the executed quantity that an answer reports for its part, or that was seen before. */
function executedBy(event: ProposalEvent, part: OrderPart, seen: ProposalContext['seen']): DecimalString {
  const fills = readFills(event);
  const answer = readAnswer(event);
  if (fills.length === 0 || (answer?.outcome !== 'filled' && answer?.outcome !== 'partially_filled'))
    return plainDecimal(seen?.executed ?? '0');
  if (answer.executedQuantity !== undefined) return plainDecimal(Decimal.min(answer.executedQuantity, part.quantity));
  return answer.outcome === 'filled' ? part.quantity : sumFills('quantity', fills);
}

function unfilledReason(event: ProposalEvent, why: string | null, executed: DecimalString): string | null {
  const outcome = readAnswer(event)?.outcome;
  if (outcome === 'filled') return null;
  return outcome === 'partially_filled' || executed !== '0' ? 'rest_lapsed' : why;
}

/** Returns the time of the answer, or the last time in the context if the event has none. */
function foundAt(event: ProposalEvent, context: ProposalContext): EpochMs {
  return readAnswer(event)?.at ?? context.leaseUntil ?? context.createdAt;
}

/** Returns the context after the present part has ended, with its result and the next part. `why` states what prevented a complete fill. */
export function withPartEnded(
  context: ProposalContext,
  event: ProposalEvent,
  why: string | null,
): Pick<ProposalContext, 'ended' | 'next' | 'settledAt' | 'stopped' | 'seen'> {
  const part = currentPart(context);
  const at = foundAt(event, context);
  const isSuperseded = event.type === 'activity.done' && event.answer.outcome === 'superseded';
  const stopped = context.stopped ?? (isSuperseded ? why : null);
  const executedQuantity = executedBy(event, part, context.seen);
  const own: EndedPart = { ...part, executedQuantity, reason: unfilledReason(event, why, executedQuantity) };
  const ended = [...(context.ended ?? []), own];
  if (stopped !== null) return { ended, next: null, settledAt: at, stopped, seen: null };
  const { missed, part: next } = chooseContinuation(readExecution(context), context.order, ended, {
    startedAt: context.startedAt ?? at,
    at,
  });
  return { ended: [...ended, ...missed], next, settledAt: at, stopped, seen: null };
}

/** Returns the wait for the next part, in milliseconds. */
export function waitMs({ next, settledAt }: Pick<ProposalContext, 'next' | 'settledAt'>): number {
  return Math.max(0, (next?.dueAt ?? 0) - (settledAt ?? 0));
}

/** Public view of a proposal's execution. */
export interface ShownExecution extends ExecutionPlan {
  /** `working`: a part is being sent or waited for. `resting`: it rests at its venue. `withdrawing`: it is being withdrawn. */
  readonly phase: 'waiting' | 'working' | 'resting' | 'withdrawing' | 'ended';
  /** Limit price of the resting part, or null if nothing rests. */
  readonly restingAt: DecimalString | null;
  /** Base units that may still be executed. */
  readonly left: DecimalString;
  readonly parts: readonly EndedPart[];
}

export function shownExecution(context: ProposalContext, value: string): ShownExecution {
  const ended = context.ended ?? [];
  const open = PHASES[value] ?? 'ended';
  // Fields that follow a spread are added one by one, at two hundred times the cost.
  return Object.assign({}, readExecution(context), {
    phase: open,
    restingAt: open === 'resting' || open === 'withdrawing' ? (context.rest?.price ?? null) : null,
    left: open === 'ended' ? '0' : computeRemaining(context.order, executedParts(context)),
    parts: ended,
  });
}

const PHASES: Readonly<Record<string, ShownExecution['phase']>> = {
  pending_approval: 'waiting',
  approved: 'working',
  preparing: 'working',
  executing: 'working',
  unknown: 'working',
  waiting: 'working',
  resting: 'resting',
  withdrawing: 'withdrawing',
};
