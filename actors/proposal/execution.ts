/**
 * Executes proposals: risk on the present quotes, then the lease that a halt waits for, then the order. A worker may die between any two
 * steps. The next one ends with one fill or none.
 */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { MandateMoved, type VenueAnswer } from '../../src/domain/orders/execution.ts';
import { isMissed } from '../../src/domain/orders/execution-plan.ts';
import { isOrderOn } from '../../src/domain/orders/order.ts';
import { isFromVenue } from '../../src/domain/market/quote.ts';
import { computeNearPrice } from '../../src/domain/orders/resting-fill.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import type { ExecutableVenue } from '../../src/domain/market/venue.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { LoadActors } from '../runtime/actor-store.ts';
import type { ActivityWorker, TOLD } from '../runtime/activities.ts';
import type { DeliverOptions, Runtime } from '../runtime/runtime.ts';
import { EXECUTE_ORDER, proposalContext, proposalState, RECONCILE_ORDER, WITHDRAW_ORDER } from './effects.ts';
import type { ExecutionClient, ExecutionClients, OrderReport } from './execution-client.ts';
import { type Lease, takeLease } from './lease.ts';
import { bookPaper, type LoadedPart, onPaper, type Passed, restedOnPaper, type VenueFlows } from './paper-execution.ts';
import { readExecution, orderOfPart, partKey, currentPart } from './parts.ts';
import { isHalted, type PresentVerdict, type PreTrade } from './present-verdict.ts';
import type { CarriedAnswer, ExecutionAnswer } from './protocol.ts';

export type { VenueFlows } from './paper-execution.ts';

/** Maximum assessments of an order while its organization's mandate changes at the same moment. */
const MANDATE_RACES = 5;

export interface ExecutionDeps {
  readonly runtime: Pick<Runtime, 'deliver' | 'deliverInTurn'>;
  readonly load: LoadActors;
  readonly preTrade: PreTrade;
  /** Returns true while the lease of an executing proposal is valid, by the store's clock. */
  readonly leaseIsHeld: (proposalId: string) => Promise<boolean>;
  /** Enabled live venues. */
  readonly clients: ExecutionClients;
  readonly flows: VenueFlows;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
}

/** Returns the activity workers of proposals, by kind. */
export function executionWorkers(deps: ExecutionDeps): Readonly<Record<string, ActivityWorker>> {
  const { clock } = deps;
  const venues = venueWorkers(deps);

  const load = (id: string): Promise<LoadedPart> => loadedPart(deps, id);
  const found = (part: LoadedPart, answer: ExecutionAnswer): CarriedAnswer => foundNow(part, answer, clock.now());

  /** Executes an order under the present mandate. If the mandate changes meanwhile, it is read again. */
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
    const { order, part, context } = proposal;
    const told = (answer: ExecutionAnswer, lease: EpochMs | null): CarriedAnswer => ({ ...found(proposal, answer), lease });
    const unsent = (answer: ExecutionAnswer): CarriedAnswer => told(answer, context.leaseUntil);
    if (proposal.state !== 'approved' && proposal.state !== 'executing') return unsent({ outcome: 'superseded', reason: proposal.state });
    // The holder of the lease may be sending now. Others wait for its end.
    if (proposal.state === 'executing' && (await deps.leaseIsHeld(id))) throw new Error(`another worker holds the lease of proposal ${id}`);
    if (order.mode === 'live') {
      const known = await venues.known(proposal);
      if (known !== null) return unsent(known);
    }
    if (isMissed(readExecution(context), part, clock.now()))
      return unsent({ outcome: 'rejected', reason: 'slice_missed', detail: `slice ${part.number + 1} is more than one interval late` });
    const verdict = await deps.preTrade.assess(proposal.orgId, { ...context, order });
    // The permit of the lease tells if risk saw a halt or a pause.
    if (!verdict.ok && !isHalted(verdict.risk)) return unsent({ outcome: 'blocked', risk: verdict.risk });
    const under = requireMandate(proposal.orgId, verdict);
    if (order.mode === 'paper') {
      const answer: ExecutionAnswer = verdict.ok ? onPaper(proposal, verdict, clock.now()) : { outcome: 'blocked', risk: verdict.risk };
      return bookPaper(deps, { id, key, answer, part: part.number, under, standsAt: () => load(id) });
    }
    const lease = await takeLease(deps, id, key, async () => (await load(id)).state, under);
    if ('supersededBy' in lease) return unsent({ outcome: 'superseded', reason: lease.supersededBy });
    if (!verdict.ok) return told({ outcome: 'blocked', risk: verdict.risk }, lease.until);
    return told(await venues.submit(order.venue, proposal, verdict, lease), lease.until);
  }

  async function withdraw(id: string): Promise<CarriedAnswer> {
    const proposal = await load(id);
    const answer = proposal.order.mode === 'paper' ? await restedOnPaper(deps, proposal) : await venues.withdraw(proposal);
    return found(proposal, answer);
  }

  async function reconcile(id: string): Promise<CarriedAnswer> {
    const proposal = await load(id);
    const answer: ExecutionAnswer =
      proposal.state === 'unknown' ? await venues.lookUp(proposal) : { outcome: 'unknown', detail: `the proposal is ${proposal.state}` };
    return found(proposal, answer);
  }

  const readId = (payload: { readonly [key: string]: Json }): string => payload['proposalId'] as string;
  return {
    [EXECUTE_ORDER]: async (payload, key) => (await execute(readId(payload), key)) as unknown as Json | typeof TOLD,
    [WITHDRAW_ORDER]: async (payload) => (await withdraw(readId(payload))) as unknown as Json,
    [RECONCILE_ORDER]: async (payload) => (await reconcile(readId(payload))) as unknown as Json,
  };
}

async function loadedPart(deps: Pick<ExecutionDeps, 'load'>, id: string): Promise<LoadedPart> {
  const row = (await deps.load([id])).get(id);
  if (row === undefined) throw new Error(`there is no order ${id}`);
  const context = proposalContext(row.state);
  const part = currentPart(context);
  return { id, orgId: row.orgId, state: proposalState(row.state), context, part, order: orderOfPart(context), name: partKey(id, part) };
}

/** Returns an answer with its part and time. */
function foundNow({ part, context }: LoadedPart, answer: ExecutionAnswer, at: EpochMs): CarriedAnswer {
  const rests = context.resting !== undefined || context.rest != null;
  return { ...answer, part: part.number, at, ...(rests ? { after: context.filledQuantity } : {}) };
}

/** Dependencies of reading a resting order. */
export type LookDeps = Pick<ExecutionDeps, 'load' | 'clients' | 'flows' | 'clock'>;

/**
 * Reads a resting order without changing it: the venue's report or, on paper, the market's trades through its price since an instant. Null
 * if nothing was filled on paper.
 */
export function createOrderLook(deps: LookDeps): (id: string, from: EpochMs) => Promise<CarriedAnswer | null> {
  const venues = venueWorkers(deps);
  return async (id, from) => {
    const loaded = await loadedPart(deps, id);
    const { context, order } = loaded;
    if (order.mode === 'live') return foundNow(loaded, await venues.lookUp(loaded), deps.clock.now());
    const { rest } = context;
    if (rest == null) return null;
    const since = Math.max(rest.since, from);
    const answer = await restedOnPaper(deps, { ...loaded, context: { ...context, rest: { ...rest, since } } });
    if (answer.outcome === 'filled') return foundNow(loaded, answer, deps.clock.now());
    if (answer.outcome !== 'partially_filled') return null;
    return foundNow(loaded, { outcome: 'resting', price: rest.price, fills: answer.fills }, deps.clock.now());
  };
}

/** Reads a venue's report about an order without changing it. Null if the venue must be queried. */
export function createReportReading(
  deps: Pick<LookDeps, 'load' | 'clock'>,
): (id: string, report: OrderReport) => Promise<CarriedAnswer | null> {
  return async (id, report) => {
    const loaded = await loadedPart(deps, id);
    const answer = await report.answer(loaded.order, { ...loaded.context, orgId: loaded.orgId });
    return answer === null ? null : foundNow(loaded, answer, deps.clock.now());
  };
}

/** Returns the part of an execution that talks to live venues. */
function venueWorkers({ clients }: Pick<ExecutionDeps, 'clients'>) {
  function findClient<V extends ExecutableVenue>(venue: V): ExecutionClient<V> {
    const client: ExecutionClients[V] = clients[venue];
    if (client === undefined) throw new Error(`live orders on ${venue} are switched off`);
    return client;
  }

  async function ask<V extends ExecutableVenue>(venue: V, { id, orgId, context, order, name }: LoadedPart): Promise<VenueAnswer> {
    if (!isOrderOn(order, venue)) throw new Error(`proposal ${id} is not for ${venue}`);
    return findClient(venue).lookUp(order, name, { ...context, orgId });
  }

  async function takeBack<V extends ExecutableVenue>(venue: V, proposal: LoadedPart): Promise<VenueAnswer> {
    const { id, orgId, context, order, name } = proposal;
    if (!isOrderOn(order, venue)) throw new Error(`proposal ${id} is not for ${venue}`);
    const { resting } = findClient(venue);
    if (resting === undefined) throw new Error(`${venue} does not support resting orders`);
    return resting.withdraw(order, name, { ...context, orgId });
  }

  /**
   * Returns the answer, or `unknown` if the venue was disabled meanwhile or is silent. What it did is then still unknown, and the chart
   * asks again by its own timer.
   */
  async function unlessSilent({ order: { venue } }: LoadedPart, asking: () => Promise<VenueAnswer>): Promise<ExecutionAnswer> {
    if (clients[venue] === undefined) return { outcome: 'unknown', detail: `live orders on ${venue} are switched off` };
    try {
      return await asking();
    } catch (error) {
      return { outcome: 'unknown', detail: errorText(error) };
    }
  }

  return {
    /** Returns a result that ends an execution before the risk check: no client, or a part that the venue knows already. Null otherwise. */
    async known(proposal: LoadedPart): Promise<ExecutionAnswer | null> {
      const { order, state, context } = proposal;
      // Another activity worker began this part. Only the venue knows if it sent anything.
      const mayBeSent = state === 'executing' && context.leaseUntil !== null;
      if (clients[order.venue] === undefined) {
        const detail = `live orders on ${order.venue} are switched off`;
        return mayBeSent ? { outcome: 'unknown', detail } : { outcome: 'rejected', reason: 'feature_disabled', detail };
      }
      if (!mayBeSent) return null;
      const known = await ask(order.venue, proposal);
      return known.outcome === 'rejected' && known.reason === 'not_found' ? null : known;
    },

    /** Sends the order to the client of its venue, with that venue's quote. */
    async submit<V extends ExecutableVenue>(venue: V, proposal: LoadedPart, passed: Passed, lease: Lease): Promise<VenueAnswer> {
      const { id, orgId, context, part, name } = proposal;
      const {
        approved,
        market: { quote },
      } = passed;
      if (quote === null) throw new Error(`risk passed proposal ${id} without a quote`);
      if (!isOrderOn(approved, venue) || !isFromVenue(quote, venue))
        throw new Error(`risk passed proposal ${id} for another venue than ${venue}`);
      const client = findClient(venue);
      const info = { orgId, key: name, quote, decisionPrice: context.decisionPrice, leaseUntil: lease.until, leaseLeftMs: lease.leftMs };
      if (part.kind === 'take') return client.submit(approved, info);
      const price = context.resting === undefined ? computeNearPrice(approved, quote) : approved.limitPrice;
      if (client.resting === undefined || price === null)
        return { outcome: 'rejected', reason: 'one_sided', detail: 'the order book has no price for a resting order' };
      return client.resting.place(approved, { ...info, price, postOnly: context.resting?.postOnly ?? true });
    },

    lookUp: (proposal: LoadedPart): Promise<ExecutionAnswer> => unlessSilent(proposal, () => ask(proposal.order.venue, proposal)),

    withdraw: (proposal: LoadedPart): Promise<ExecutionAnswer> => unlessSilent(proposal, () => takeBack(proposal.order.venue, proposal)),
  };
}

/** Returns the condition of a step based on an assessment: the assessed mandate version. */
function requireMandate(orgId: string, { mandateVersion }: PresentVerdict): Pick<DeliverOptions, 'also'> {
  return mandateVersion === undefined ? {} : { also: () => [{ type: 'mandate_check', orgId, version: mandateVersion }] };
}
