/** How the machine of an order reads what the activity worker of executions tells it, be the order a proposal's or a person's. */
import type { ActorEvent, ActorState } from '../../src/domain/actor-step.ts';
import type { Fill } from '../../src/domain/book.ts';
import { type Refusal, refuse } from '../../src/domain/refusal.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { CarriedAnswer, ProposalContext, ProposalEvent } from './protocol.ts';

interface EventArgs {
  readonly event: ProposalEvent;
}

/** A guard: the execution came to this. */
export const answered =
  (outcome: CarriedAnswer['outcome']) =>
  ({ event }: EventArgs): boolean =>
    event.type === 'activity.done' && event.answer.outcome === outcome;

/** The fills that an answer tells of; none of every other event. */
export function fillsOf(event: ProposalEvent): readonly Fill[] {
  if (event.type !== 'activity.done') return [];
  return event.answer.outcome === 'filled' || event.answer.outcome === 'partially_filled' ? event.answer.fills : [];
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
 * Why an answer of an activity worker would not be taken: another one has taken the lease since, and may be sending. `unavailable`
 * leaves the activity where it is: should the other activity worker die, it is carried out again.
 */
export function staleAnswer({ value, context }: ActorState, told: ActorEvent): Refusal | null {
  const event = told as unknown as ProposalEvent;
  if (event.type !== 'activity.done' || typeof value !== 'string' || !UNDER_LEASE.has(value)) return null;
  const { leaseUntil } = context as { readonly leaseUntil: EpochMs | null };
  if ((event.answer.lease ?? null) === leaseUntil) return null;
  return refuse('unavailable', 'another worker has taken the lease since this answer was found').refusal;
}
