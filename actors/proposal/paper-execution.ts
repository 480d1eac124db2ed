/** Executes orders on paper: fills them on the quotes that risk accepted, and books fill and permit in one transaction. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { findCostModel } from '../../src/domain/orders/costs.ts';
import { PermitLost, type ProposalState } from '../../src/domain/orders/execution.ts';
import type { OrderPart } from '../../src/domain/orders/execution-plan.ts';
import { contentId } from '../../src/domain/values/ids.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import { paperFill } from '../../src/domain/orders/paper-fill.ts';
import { type MarketFlow, computeNearPrice, restingFill } from '../../src/domain/orders/resting-fill.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { TOLD } from '../runtime/activities.ts';
import type { DeliverOptions, Runtime } from '../runtime/runtime.ts';
import { EXECUTE_ORDER } from './effects.ts';
import { LEASE_MS } from './lease.ts';
import type { PresentVerdict } from './present-verdict.ts';
import type { CarriedAnswer, ExecutionAnswer, ProposalContext } from './protocol.ts';

/** Market activity of venues while paper orders rested. */
export interface VenueFlows {
  /** Returns trades and live tops of the book of one instrument between two instants. @throws if the venue does not answer. */
  between(instrument: InstrumentKey, from: EpochMs, to: EpochMs): Promise<MarketFlow>;
}

/** A proposal and the part of its order that is under way. */
export interface LoadedPart {
  readonly id: string;
  readonly orgId: string;
  readonly state: ProposalState;
  readonly context: ProposalContext;
  readonly part: OrderPart;
  /** Order of the part. */
  readonly order: Order;
  /** Key of the part at its venue. */
  readonly name: string;
}

export type Passed = Extract<PresentVerdict, { readonly ok: true }>;

/** Returns the result of a paper part on the assessed market: filled at once, or resting. */
export function onPaper({ part, name, context }: LoadedPart, verdict: Passed, at: EpochMs): ExecutionAnswer {
  if (part.kind === 'rest') {
    const { quote, depth } = verdict.market;
    const top = depth === null ? quote : { bid: depth.bids[0]?.price ?? null, ask: depth.asks[0]?.price ?? null };
    const price = top === null ? null : computeNearPrice(verdict.approved, top);
    if (price === null) return { outcome: 'rejected', reason: 'one_sided', detail: 'the order book has no price for a resting order' };
    return { outcome: 'resting', price };
  }
  const filled = paperFill(verdict.approved, verdict.market, findCostModel(verdict.approved.instrument), {
    id: contentId(`fill\n${name}`),
    at,
    decisionPrice: context.decisionPrice,
  });
  return filled.outcome === 'no_fill'
    ? { outcome: 'rejected', reason: filled.reason, detail: filled.detail }
    : { outcome: filled.outcome, fills: [filled.fill] };
}

/** Returns the result of a resting paper part from its venue's market activity meanwhile. */
export async function restedOnPaper(
  { flows, clock }: { readonly flows: VenueFlows; readonly clock: Pick<Clock, 'now'> },
  { context, order, name }: LoadedPart,
): Promise<ExecutionAnswer> {
  if (context.rest == null) return { outcome: 'rejected', reason: 'not_filled', detail: 'the order did not rest' };
  const { price, since } = context.rest;
  const until = clock.now();
  const flow = await flows.between(order.instrument, since, until);
  // A resting order may be filled more than once.
  const id = contentId(context.filledQuantity === '0' ? `fill\n${name}` : `fill\n${name}\n${since}`);
  const rested = restingFill(order, flow, findCostModel(order.instrument), {
    id,
    price,
    decisionPrice: context.decisionPrice,
    until,
  });
  return rested.outcome === 'no_fill'
    ? { outcome: 'rejected', reason: 'not_filled', detail: rested.detail }
    : { outcome: rested.outcome, fills: [rested.fill] };
}

/** Result of a proposal's paper order, to be booked. */
interface PaperOutcome {
  readonly id: string;
  /** Key of the activity. */
  readonly key: string;
  readonly answer: ExecutionAnswer;
  /** Number of the part. */
  readonly part: number;
  /** Further conditions of the booking, besides the permit. */
  readonly under: Pick<DeliverOptions, 'also'>;
  /** Reads the proposal's state, if it accepts no lease any more. */
  readonly standsAt: () => Promise<{ readonly state: ProposalState; readonly context: ProposalContext }>;
}

/**
 * Books a paper execution. On paper nothing is sent, so permit, lease and result are one transaction, and a halt comes before or after it.
 * A worker that dies before it has done nothing. After it nothing is left to do. Returns what superseded the order, if anything. @throws
 * MandateMoved, and if the proposal could not be told now.
 */
export async function bookPaper(
  { runtime, clock }: { readonly runtime: Pick<Runtime, 'deliverInTurn'>; readonly clock: Pick<Clock, 'now'> },
  { id, key, answer: filled, part, under, standsAt }: PaperOutcome,
): Promise<CarriedAnswer | typeof TOLD> {
  const leaseUntil = clock.now() + LEASE_MS;
  const answer = { ...filled, lease: leaseUntil, part, at: clock.now() } as unknown as Json;
  try {
    const outcome = await runtime.deliverInTurn(id, [
      { event: { type: 'execution.begun', key, leaseUntil, leaseMs: LEASE_MS }, options: { cause: 'execution', ...under } },
      {
        event: { type: 'activity.done', key, kind: EXECUTE_ORDER, answer },
        options: { cause: 'activity', answeredActivity: { key, answer } },
      },
    ]);
    if (outcome.ok) return TOLD;
    if (outcome.refusal.code === 'unavailable') throw new Error(outcome.refusal.detail);
  } catch (error) {
    if (!(error instanceof PermitLost)) throw error;
    return { outcome: 'superseded', reason: error.reason, lease: (await standsAt()).context.leaseUntil, part, at: clock.now() };
  }
  const { state, context } = await standsAt();
  return { outcome: 'superseded', reason: state, lease: context.leaseUntil, part, at: clock.now() };
}
