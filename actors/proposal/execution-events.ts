/** Answers of the execution workers, as read by the machine of a proposal or of a person's order. */
import type { ActorEvent, ActorState } from '../../src/domain/agents/actor-step.ts';
import type { Fill } from '../../src/domain/books/book.ts';
import { type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { CarriedAnswer, ProposalContext, ProposalEvent } from './protocol.ts';

interface EventArgs {
  readonly event: ProposalEvent;
}

/** The answer that an event tells; null of every other event. */
export function answerOf(event: ProposalEvent): CarriedAnswer | null {
  return event.type === 'activity.done' || event.type === 'order.observed' ? event.answer : null;
}

/** True for an answer that was asked for before the last fill: what it tells may be booked already. */
export function isStale({ filledQuantity }: Pick<ProposalContext, 'filledQuantity'>, event: ProposalEvent): boolean {
  const after = answerOf(event)?.after;
  return after !== undefined && after !== filledQuantity;
}

/** A guard: the execution came to this. */
export const answered =
  (outcome: CarriedAnswer['outcome']) =>
  ({ event }: EventArgs): boolean =>
    answerOf(event)?.outcome === outcome;

/**
 * The fills that an answer tells of; none of every other event. What a part that still rests was filled with counts if it was
 * observed: the answer to another question comes before the part is known to rest, and the look that ends it tells the same fills.
 */
export function fillsOf(event: ProposalEvent): readonly Fill[] {
  const answer = answerOf(event);
  if (answer?.outcome === 'filled' || answer?.outcome === 'partially_filled') return answer.fills;
  return answer?.outcome === 'resting' && event.type === 'order.observed' ? (answer.fills ?? []) : [];
}

export const RECORD_FILLS = {
  type: 'recordFills',
  params: ({ event, context }: EventArgs & { readonly context: Pick<ProposalContext, 'order' | 'rest'> }) => ({
    fills: fillsOf(event),
    sent: { limitPrice: context.order.limitPrice, restedSince: context.rest?.since ?? null },
  }),
} as const;

export const TAKE_LEASE = {
  type: 'takeLease',
  params: ({ event }: EventArgs) => ({ forMs: event.type === 'execution.begun' ? event.leaseMs : 0 }),
} as const;

/** States in which an order is about to leave, or may be leaving. */
const UNDER_LEASE: ReadonlySet<string> = new Set(['approved', 'preparing', 'executing']);

/**
 * Returns why an activity worker's answer is stale: another worker has taken the lease since and may be sending. `unavailable` leaves the
 * activity pending, so it is carried out again if the other worker dies.
 */
export function staleAnswer({ value, context }: ActorState, told: ActorEvent): Refusal | null {
  const event = told as unknown as ProposalEvent;
  if (event.type !== 'activity.done' || typeof value !== 'string' || !UNDER_LEASE.has(value)) return null;
  const { leaseUntil } = context as { readonly leaseUntil: EpochMs | null };
  if ((event.answer.lease ?? null) === leaseUntil) return null;
  return refuse('unavailable', 'another worker has taken the lease since this answer was found').refusal;
}
