/**
 * Carries out a proposal's execution: risk on the present quotes, then the lease that a halt waits for, then the order.
 * A carrier may die between any two of these steps; the one after it comes to one fill or none.
 */
import type { ActorRow } from '../../src/domain/actor-step.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import { costModelOf } from '../../src/domain/costs.ts';
import { LicenceLost, type ProposalState, type VenueAnswer } from '../../src/domain/execution.ts';
import { contentId } from '../../src/domain/ids.ts';
import { paperFill } from '../../src/domain/paper-fill.ts';
import type { ExecutableVenue } from '../../src/domain/venue.ts';
import type { Clock } from '../../streams/clock.ts';
import type { ErrandCarrier } from '../runtime/errands.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { EXECUTE_ORDER, proposalContext, proposalState, RECONCILE_ORDER } from './effects.ts';
import type { PresentVerdict, PreTrade } from './pre-trade.ts';
import type { CarriedAnswer, ExecutionAnswer, ProposalContext } from './protocol.ts';
import type { VenueDoor } from './venue-door.ts';

/** How long an order may be sent after its lease was taken. A halt waits no longer than this. */
export const LEASE_MS = 2_000;
/** The last part of a lease in which nothing is begun any more. */
const LEASE_MARGIN_MS = 250;

export interface ExecutionDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly load: (ids: readonly string[]) => Promise<ReadonlyMap<string, ActorRow>>;
  readonly preTrade: PreTrade;
  /** Whether the lease of a proposal that is executing still lives, by the clock of whoever keeps it. */
  readonly leaseIsHeld: (proposalId: string) => Promise<boolean>;
  /** The live venues that are switched on. */
  readonly doors: Readonly<Partial<Record<ExecutableVenue, VenueDoor>>>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Loaded {
  readonly id: string;
  readonly orgId: string;
  readonly state: ProposalState;
  readonly context: ProposalContext;
}

/** The carriers of a proposal's errands, by kind. */
export function executionCarriers(deps: ExecutionDeps): Readonly<Record<string, ErrandCarrier>> {
  const { doors, clock } = deps;

  async function load(id: string): Promise<Loaded> {
    const row = (await deps.load([id])).get(id);
    if (row === undefined) throw new Error(`there is no proposal ${id}`);
    return { id, orgId: row.orgId, state: proposalState(row.state), context: proposalContext(row.state) };
  }

  async function execute(id: string, key: string): Promise<CarriedAnswer> {
    const proposal = await load(id);
    const { order, leaseUntil: seen } = proposal.context;
    const unsent = (answer: ExecutionAnswer): CarriedAnswer => ({ ...answer, lease: seen });
    if (proposal.state !== 'approved' && proposal.state !== 'executing') return unsent({ outcome: 'overtaken', reason: proposal.state });
    // Whoever holds the lease may be sending at this moment; only after its end does anybody follow.
    if (proposal.state === 'executing' && (await deps.leaseIsHeld(id)))
      throw new Error(`another carrier holds the lease of proposal ${id}`);
    const door = doors[order.venue];
    if (order.mode === 'live') {
      if (door === undefined)
        return unsent({ outcome: 'rejected', reason: 'feature_disabled', detail: `live orders on ${order.venue} are switched off` });
      if (proposal.state === 'executing') {
        // Another carrier began: the venue knows whether it sent anything.
        const known = await door.lookUp(order, id, proposal.context);
        if (known.outcome !== 'rejected' || known.reason !== 'not_found') return unsent(known);
      }
    }
    const verdict = await deps.preTrade.assess(proposal.orgId, proposal.context);
    if (!verdict.ok) return unsent({ outcome: 'blocked', risk: verdict.risk });
    const leaseUntil = clock.now() + LEASE_MS;
    const overtaken = await begin(id, key, leaseUntil);
    if (overtaken !== null) return unsent({ outcome: 'overtaken', reason: overtaken });
    if (clock.now() > leaseUntil - LEASE_MARGIN_MS) throw new Error(`the lease of proposal ${id} was over before it could be used`);
    const answer =
      order.mode === 'paper'
        ? onPaper(id, proposal.context, verdict)
        : await submit(door as VenueDoor, id, proposal.context, verdict, leaseUntil);
    return { ...answer, lease: leaseUntil };
  }

  /** Takes the lease; answers why not, where the proposal has been overtaken. */
  async function begin(id: string, key: string, leaseUntil: number): Promise<string | null> {
    try {
      const outcome = await deps.runtime.deliver(
        id,
        { type: 'execution.begun', key, leaseUntil, leaseMs: LEASE_MS },
        { cause: 'execution' },
      );
      if (outcome.ok) return null;
      if (outcome.refusal.code === 'unavailable') throw new Error(outcome.refusal.detail);
      return (await load(id)).state;
    } catch (error) {
      if (!(error instanceof LicenceLost)) throw error;
      return error.reason;
    }
  }

  function onPaper(id: string, context: ProposalContext, verdict: Extract<PresentVerdict, { readonly ok: true }>): ExecutionAnswer {
    const filled = paperFill(verdict.approved, verdict.market, costModelOf(context.order.instrument), {
      id: contentId(`fill\n${id}`),
      at: clock.now(),
      decisionPrice: context.decisionPrice,
    });
    return filled.outcome === 'no_fill'
      ? { outcome: 'rejected', reason: filled.reason, detail: filled.detail }
      : { outcome: filled.outcome, fills: [filled.fill] };
  }

  async function submit(
    door: VenueDoor,
    id: string,
    context: ProposalContext,
    verdict: Extract<PresentVerdict, { readonly ok: true }>,
    leaseUntil: number,
  ): Promise<VenueAnswer> {
    const { quote } = verdict.market;
    if (quote === null) throw new Error(`risk passed proposal ${id} without a quote`);
    return door.submit(verdict.approved, { key: id, quote, decisionPrice: context.decisionPrice, leaseUntil });
  }

  async function reconcile(id: string): Promise<ExecutionAnswer> {
    const proposal = await load(id);
    if (proposal.state !== 'unknown') return { outcome: 'unknown', detail: `the proposal is ${proposal.state}` };
    const door = doors[proposal.context.order.venue];
    // Switched off since: what it did before is still not known.
    if (door === undefined) return { outcome: 'unknown', detail: `live orders on ${proposal.context.order.venue} are switched off` };
    try {
      return await door.lookUp(proposal.context.order, id, proposal.context);
    } catch (error) {
      // The chart asks again by its own timer.
      return { outcome: 'unknown', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  const idOf = (payload: { readonly [key: string]: Json }): string => payload['proposalId'] as string;
  return {
    [EXECUTE_ORDER]: async (payload, key) => (await execute(idOf(payload), key)) as unknown as Json,
    [RECONCILE_ORDER]: async (payload) => (await reconcile(idOf(payload))) as unknown as Json,
  };
}
