/** Reads answers of the execution workers, for the machines of proposals and manual orders. */
import type { ActorEvent, ActorState } from '../../src/domain/agents/actor-step.ts';
import type { Fill } from '../../src/domain/books/book.ts';
import { type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { CarriedAnswer, ProposalContext, ProposalEvent } from './protocol.ts';

interface EventArgs {
  readonly event: ProposalEvent;
}

/** Returns the answer of an event, or null for other events. */
export function readAnswer(event: ProposalEvent): CarriedAnswer | null {
  return event.type === 'activity.done' || event.type === 'order.observed' ? event.answer : null;
}

/** True for an answer to a query from before the last fill: its fills may be booked already. */
export function isStale({ filledQuantity }: Pick<ProposalContext, 'filledQuantity'>, event: ProposalEvent): boolean {
  const after = readAnswer(event)?.after;
  return after !== undefined && after !== filledQuantity;
}

/** Guard: true if the execution had this outcome. */
export const answered =
  (outcome: CarriedAnswer['outcome']) =>
  ({ event }: EventArgs): boolean =>
    readAnswer(event)?.outcome === outcome;

/**
 * Returns the fills of an answer, or none for other events. Fills of a part that still rests count if they were observed: another answer
 * arrives before the part is known to rest, and the query that ends it returns the same fills.
 */
export function readFills(event: ProposalEvent): readonly Fill[] {
  const answer = readAnswer(event);
  if (answer?.outcome === 'filled' || answer?.outcome === 'partially_filled') return answer.fills;
  return answer?.outcome === 'resting' && event.type === 'order.observed' ? (answer.fills ?? []) : [];
}

export const RECORD_FILLS = {
  type: 'recordFills',
  params: ({ event, context }: EventArgs & { readonly context: Pick<ProposalContext, 'order' | 'rest'> }) => ({
    fills: readFills(event),
    sent: { limitPrice: context.order.limitPrice, restedSince: context.rest?.since ?? null },
  }),
} as const;

export const TAKE_LEASE = {
  type: 'takeLease',
  params: ({ event }: EventArgs) => ({ forMs: event.type === 'execution.begun' ? event.leaseMs : 0 }),
} as const;

/** States in which an order is about to be sent or may be under way. */
const UNDER_LEASE: ReadonlySet<string> = new Set(['approved', 'preparing', 'executing']);

/**
 * Returns why an activity worker's answer is stale: another worker has taken the lease since and may be sending. `unavailable` leaves the
 * activity pending, so that it is repeated if the other worker dies.
 */
export function staleAnswer({ value, context }: ActorState, told: ActorEvent): Refusal | null {
  const event = told as unknown as ProposalEvent;
  if (event.type !== 'activity.done' || typeof value !== 'string' || !UNDER_LEASE.has(value)) return null;
  const { leaseUntil } = context as { readonly leaseUntil: EpochMs | null };
  if ((event.answer.lease ?? null) === leaseUntil) return null;
  return refuse('unavailable', 'another worker has taken the lease since this answer was found').refusal;
}
