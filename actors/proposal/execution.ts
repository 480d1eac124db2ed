/**
 * Carries out a proposal's execution: risk on the present quotes, then the lease that a halt waits for, then the order.
 * An activity worker may die between any two of these steps; the one after it comes to one fill or none.
 */
import type { ActorRow } from '../../src/domain/actor-step.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import { MandateMoved, type ProposalState, type VenueAnswer } from '../../src/domain/execution.ts';
import { isOrderOn, type Order } from '../../src/domain/order.ts';
import { isQuoteOf } from '../../src/domain/quote.ts';
import type { ExecutableVenue } from '../../src/domain/venue.ts';
import type { Clock } from '../../streams/clock.ts';
import type { ActivityWorker, TOLD } from '../runtime/activities.ts';
import type { DeliverOptions, Runtime } from '../runtime/runtime.ts';
import { EXECUTE_ORDER, proposalContext, proposalState, RECONCILE_ORDER } from './effects.ts';
import type { ExecutionClient, ExecutionClients } from './execution-client.ts';
import { takeLease } from './lease.ts';
import { bookPaper, onPaper } from './paper-execution.ts';
import { isHalted, type PresentVerdict, type PreTrade } from './pre-trade.ts';
import type { CarriedAnswer, ExecutionAnswer, ProposalContext } from './protocol.ts';

/** How often an order is assessed anew where its organization's mandate changes at the same moment. */
const MANDATE_RACES = 5;

export interface ExecutionDeps {
  readonly runtime: Pick<Runtime, 'deliver' | 'deliverInTurn'>;
  readonly load: (ids: readonly string[]) => Promise<ReadonlyMap<string, ActorRow>>;
  readonly preTrade: PreTrade;
  /** Whether the lease of a proposal that is executing still lives, by the clock of whoever keeps it. */
  readonly leaseIsHeld: (proposalId: string) => Promise<boolean>;
  /** The live venues that are switched on. */
  readonly clients: ExecutionClients;
  readonly clock: Pick<Clock, 'now'>;
}

interface Loaded {
  readonly id: string;
  readonly orgId: string;
  readonly state: ProposalState;
  readonly context: ProposalContext;
}

/** The activity workers of a proposal's activities, by kind. */
export function executionWorkers(deps: ExecutionDeps): Readonly<Record<string, ActivityWorker>> {
  const { clients, clock } = deps;

  async function load(id: string): Promise<Loaded> {
    const row = (await deps.load([id])).get(id);
    if (row === undefined) throw new Error(`there is no proposal ${id}`);
    return { id, orgId: row.orgId, state: proposalState(row.state), context: proposalContext(row.state) };
  }

  /** Carries an order out by the mandate of the moment: one that changes meanwhile is read anew. */
  async function execute(id: string, key: string): Promise<CarriedAnswer | typeof TOLD> {
    for (let race = 1; ; race++) {
      try {
        return await attempt(id, key);
      } catch (error) {
        if (!(error instanceof MandateMoved) || race === MANDATE_RACES) throw error;
      }
    }
  }

  async function attempt(id: string, key: string): Promise<CarriedAnswer | typeof TOLD> {
    const proposal = await load(id);
    const { order, leaseUntil: seen } = proposal.context;
    const unsent = (answer: ExecutionAnswer): CarriedAnswer => ({ ...answer, lease: seen });
    if (proposal.state !== 'approved' && proposal.state !== 'executing') return unsent({ outcome: 'superseded', reason: proposal.state });
    // Whoever holds the lease may be sending at this moment; only after its end does anybody follow.
    if (proposal.state === 'executing' && (await deps.leaseIsHeld(id)))
      throw new Error(`another carrier holds the lease of proposal ${id}`);
    if (order.mode === 'live') {
      if (clients[order.venue] === undefined)
        return unsent({ outcome: 'rejected', reason: 'feature_disabled', detail: `live orders on ${order.venue} are switched off` });
      if (proposal.state === 'executing') {
        // Another activity worker began: the venue knows whether it sent anything.
        const known = await lookUp(order.venue, id, proposal.context);
        if (known.outcome !== 'rejected' || known.reason !== 'not_found') return unsent(known);
      }
    }
    const verdict = await deps.preTrade.assess(proposal.orgId, proposal.context);
    // Whether it was a halt or a pause that risk saw, the permit of the lease tells.
    if (!verdict.ok && !isHalted(verdict.risk)) return unsent({ outcome: 'blocked', risk: verdict.risk });
    const under = mandateOf(proposal.orgId, verdict);
    if (order.mode === 'paper') {
      const answer: ExecutionAnswer = verdict.ok
        ? onPaper(id, proposal.context, verdict, clock.now())
        : { outcome: 'blocked', risk: verdict.risk };
      return bookPaper(deps, { id, key, answer, under, standsAt: () => load(id) });
    }
    const lease = await takeLease(deps, id, key, async () => (await load(id)).state, under);
    if ('supersededBy' in lease) return unsent({ outcome: 'superseded', reason: lease.supersededBy });
    if (!verdict.ok) return { outcome: 'blocked', risk: verdict.risk, lease: lease.until };
    const answer = await submit(order.venue, id, proposal.context, verdict, lease.until);
    return { ...answer, lease: lease.until };
  }

  /** To the client of one venue goes what risk passed on that venue, on that venue's quote. */
  async function submit<V extends ExecutableVenue>(
    venue: V,
    id: string,
    context: ProposalContext,
    { approved, market: { quote } }: Extract<PresentVerdict, { readonly ok: true }>,
    leaseUntil: number,
  ): Promise<VenueAnswer> {
    if (quote === null) throw new Error(`risk passed proposal ${id} without a quote`);
    if (!isOrderOn(approved, venue) || !isQuoteOf(quote, venue))
      throw new Error(`risk passed proposal ${id} for another venue than ${venue}`);
    return clientOf(venue).submit(approved, { key: id, quote, decisionPrice: context.decisionPrice, leaseUntil });
  }

  async function lookUp<V extends ExecutableVenue>(venue: V, id: string, context: ProposalContext): Promise<VenueAnswer> {
    const order: Order = context.order;
    if (!isOrderOn(order, venue)) throw new Error(`proposal ${id} is of another venue than ${venue}`);
    return clientOf(venue).lookUp(order, id, context);
  }

  function clientOf<V extends ExecutableVenue>(venue: V): ExecutionClient<V> {
    const client: ExecutionClients[V] = clients[venue];
    if (client === undefined) throw new Error(`live orders on ${venue} are switched off`);
    return client;
  }

  async function reconcile(id: string): Promise<ExecutionAnswer> {
    const proposal = await load(id);
    if (proposal.state !== 'unknown') return { outcome: 'unknown', detail: `the proposal is ${proposal.state}` };
    const { venue } = proposal.context.order;
    // Switched off since: what it did before is still not known.
    if (clients[venue] === undefined) return { outcome: 'unknown', detail: `live orders on ${venue} are switched off` };
    try {
      return await lookUp(venue, id, proposal.context);
    } catch (error) {
      // The chart asks again by its own timer.
      return { outcome: 'unknown', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  const idOf = (payload: { readonly [key: string]: Json }): string => payload['proposalId'] as string;
  return {
    [EXECUTE_ORDER]: async (payload, key) => (await execute(idOf(payload), key)) as unknown as Json | typeof TOLD,
    [RECONCILE_ORDER]: async (payload) => (await reconcile(idOf(payload))) as unknown as Json,
  };
}

/** What a step requires that rests on an assessment: the mandate that it was made by. */
function mandateOf(orgId: string, { mandateVersion }: PresentVerdict): Pick<DeliverOptions, 'also'> {
  return mandateVersion === undefined ? {} : { also: () => [{ type: 'mandate_licence', orgId, version: mandateVersion }] };
}
