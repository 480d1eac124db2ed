/** An order on paper: filled on the quotes that risk passed it on, and booked with its permit in one transaction. */
import type { Json } from '../../src/domain/canonical-json.ts';
import { costModelOf } from '../../src/domain/costs.ts';
import { PermitLost, type ProposalState } from '../../src/domain/execution.ts';
import { contentId } from '../../src/domain/ids.ts';
import { paperFill } from '../../src/domain/paper-fill.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { Clock } from '../../streams/clock.ts';
import { TOLD } from '../runtime/activities.ts';
import type { DeliverOptions, Runtime } from '../runtime/runtime.ts';
import { EXECUTE_ORDER } from './effects.ts';
import { LEASE_MS } from './lease.ts';
import type { PresentVerdict } from './pre-trade.ts';
import type { CarriedAnswer, ExecutionAnswer, ProposalContext } from './protocol.ts';

/** What the order comes to on the market that it was assessed on. */
export function onPaper(
  id: string,
  context: ProposalContext,
  verdict: Extract<PresentVerdict, { readonly ok: true }>,
  at: EpochMs,
): ExecutionAnswer {
  const filled = paperFill(verdict.approved, verdict.market, costModelOf(context.order.instrument), {
    id: contentId(`fill\n${id}`),
    at,
    decisionPrice: context.decisionPrice,
  });
  return filled.outcome === 'no_fill'
    ? { outcome: 'rejected', reason: filled.reason, detail: filled.detail }
    : { outcome: filled.outcome, fills: [filled.fill] };
}

/** The outcome of a proposal's order on paper, to be booked. */
interface PaperOutcome {
  readonly id: string;
  /** That of the activity. */
  readonly key: string;
  readonly answer: ExecutionAnswer;
  /** What the booking requires besides the permit. */
  readonly under: Pick<DeliverOptions, 'also'>;
  /** Where the proposal stands, asked where it takes no lease any more. */
  readonly standsAt: () => Promise<{ readonly state: ProposalState; readonly context: ProposalContext }>;
}

/**
 * On paper nothing leaves: the permit, the lease and the outcome are one transaction, which a halt comes before or after.
 * Whoever dies before it has done nothing, and after it nothing is left to be done. Answers what has superseded the order where
 * something has. @throws MandateMoved, and where the proposal could not be told at this moment
 */
export async function bookPaper(
  { runtime, clock }: { readonly runtime: Pick<Runtime, 'deliverInTurn'>; readonly clock: Pick<Clock, 'now'> },
  { id, key, answer: filled, under, standsAt }: PaperOutcome,
): Promise<CarriedAnswer | typeof TOLD> {
  const leaseUntil = clock.now() + LEASE_MS;
  const answer = { ...filled, lease: leaseUntil } as unknown as Json;
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
    return { outcome: 'superseded', reason: error.reason, lease: (await standsAt()).context.leaseUntil };
  }
  const { state, context } = await standsAt();
  return { outcome: 'superseded', reason: state, lease: context.leaseUntil };
}
