/**
 * Swaps of trade proposals of agents and Takes on the primary chain: prepared for the signing wallet, assessed by the trader's own risk,
 * and looked up by their proposal. The signer is chosen elsewhere.
 */
import type { CommandContext } from '../core/command-context.ts';
import { transactionContext, transactionState } from '../../actors/prepared-transaction/effects.ts';
import type { CapacityObstacle } from '../../actors/prepared-transaction/open-capacity.ts';
import type { PreparedTransactionContext, PreparedTransactionInput } from '../../actors/prepared-transaction/machine.ts';
import { createSwapHandler } from '../../actors/prepared-transaction/swap-commands.ts';
import { swapSubject } from '../../actors/prepared-transaction/swap-purpose.ts';
import type { SubmitInfo } from '../../actors/proposal/execution-client.ts';
import type { PreTrade } from '../../actors/proposal/present-verdict.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type { ActorRecord, ActorRow } from '../domain/agents/actor-step.ts';
import { computeSellable } from '../domain/books/book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../domain/values/decimal.ts';
import { isOpenProposal, proposalTransactionId, type VenueAnswer } from '../domain/orders/execution.ts';
import { contentId } from '../domain/values/ids.ts';
import { findMarketStep } from '../domain/market/market-step.ts';
import type { Order } from '../domain/orders/order.ts';
import { type Outcome, refuse } from '../domain/values/refusal.ts';
import { swapFill, toUi } from '../domain/solana/swap.ts';
import type { EpochMs } from '../domain/values/time.ts';
import { readLegs } from './primary-chain.ts';
import type { RiskReads } from '../adapters/store/risk/risk-reads.ts';
import type { ProposalFacts } from '../adapters/store/orders/proposal-facts.ts';
import type { PrimaryChain } from '../adapters/venues/spotchain/access.ts';
import type { DelegatedOrderStore } from '../adapters/store/delegations/delegation-store.ts';

/** Part of an order's slippage budget that its route may slip by. The rest covers the route's own price. */
const FOR_SLIPPAGE = '0.8';
/** Step to which notionals are rounded up. */
const USD_STEP = '0.000001';

/** Reads for proposals' swaps. */
type ProposalSwapStore = Pick<DelegatedOrderStore, 'proposal' | 'load' | 'exposureVersion'>;

interface ProposalSwapDeps extends PrimaryChain {
  readonly store: ProposalSwapStore;
  readonly reads: Pick<RiskReads, 'agentBooks'>;
  readonly runtime: Pick<Runtime, 'start'>;
  readonly preTrade: PreTrade;
  readonly obstacleOf: (error: unknown) => CapacityObstacle;
  /** True for an error that means that the node did not answer. */
  readonly isSilence: (error: unknown) => boolean;
  readonly clock: { now(): EpochMs };
}

/** A prepared swap: its id, the digest of its message, and its order as assessed at its worst price. */
interface PreparedProposalSwap {
  readonly id: string;
  readonly digest: string;
  readonly order: Order;
}

/** Signer and wallet. */
interface SwapSigner {
  readonly wallet: string;
  readonly executor: PreparedTransactionInput['executor'];
}

export type ProposalSwaps = ReturnType<typeof createProposalSwaps>;

/** Returns the answer of a client that sent nothing. */
export function rejected(reason: string, detail: string): VenueAnswer {
  return { outcome: 'rejected', reason, detail };
}

/** Returns the acting subject for the audit: the agent or the Take. */
export function actingFor({ orgId, trader, agentId }: ProposalFacts, { key }: Pick<SubmitInfo<'spotchain'>, 'key'>): CommandContext {
  return { orgId, subject: `${trader}:${agentId}`, permissions: ['trade:execute'], requestId: key };
}

/** Returns the condition of the step that takes a proposal's signed bytes: nothing has superseded the proposal. */
export function toPermit({ orgId, agentId, epoch, manifestHash, reduceOnly, flattens }: ProposalFacts, byItself: boolean): ActorRecord {
  return { type: 'execution_permit', orgId, agentId, epoch, manifestHash, mode: 'live', reduceOnly, byItself, flattens };
}

/** Submission is handled elsewhere for these swaps. */
const NOT_HERE = { submit: async () => refuse('unavailable', 'the signer submits the swap of a proposal') } as const;

export function createProposalSwaps(deps: ProposalSwapDeps) {
  const { store } = deps;
  return {
    /** Prepares the swap of a proposal. Refuses with the codes of `SwapCommands.prepare`. */
    async prepare(
      order: Order,
      info: SubmitInfo<'spotchain'>,
      facts: ProposalFacts,
      signer: SwapSigner,
    ): Promise<Outcome<PreparedProposalSwap>> {
      const legs = await readLegs(deps, order.instrument);
      if (!legs.ok) return legs;
      const slippageBps = slippageLeft(order, info);
      if (slippageBps === null) return refuse('route_refused', 'the market has moved beyond the worst price of the order');
      const whole = await closing(deps, order, facts.agentId);
      /** Result of the last assessment at the worst price that its message allows. */
      const assessed = { order, beyondBps: 0 };
      const handler = createSwapHandler({
        ...deps,
        submission: NOT_HERE,
        legs: async () => legs,
        executor: signer.executor,
        proposal: { id: info.key, traderId: facts.agentId },
        newId: () => proposalTransactionId(info.key),
        preTrade: ownPreTrade(deps, { order, info, facts, whole, assessed, executor: signer.executor }),
      });
      const prepareWith = (bps: number) =>
        handler.prepare(actingFor(facts, info), {
          instrument: order.instrument,
          side: order.side,
          amount: whole ?? plainDecimal(givenFor(order, toUi('1', legs.value.stable))),
          slippageBps: bps,
          wallet: signer.wallet,
        });
      const first = await prepareWith(slippageBps);
      // The route costs more beyond the touch than reserved, so less may be lost to slippage.
      const { beyondBps } = assessed;
      const prepared = !first.ok && beyondBps > 0 && beyondBps < slippageBps ? await prepareWith(slippageBps - beyondBps) : first;
      if (!prepared.ok) return prepared;
      return { ok: true, value: { id: prepared.value.id, digest: prepared.value.message.digest, order: assessed.order } };
    },

    /** Returns the result of the swap according to the chain. */
    async lookUp(order: Order<'spotchain'>, key: string): Promise<VenueAnswer> {
      const id = proposalTransactionId(key);
      const row = (await store.load([id])).get(id);
      return row === undefined ? rejected('not_found', 'nothing was prepared for it') : toAnswer(row, order, key, deps.clock.now());
    },
  };
}

/** Returns the trader's own risk instead of a person's. The swap is assessed without its own reservation. */
function ownPreTrade(
  { store, preTrade }: ProposalSwapDeps,
  {
    order,
    info,
    facts,
    whole,
    assessed,
    executor,
  }: {
    readonly executor: SwapSigner['executor'];
    readonly order: Order;
    readonly info: SubmitInfo<'spotchain'>;
    readonly facts: ProposalFacts;
    readonly whole: DecimalString | null;
    readonly assessed: { order: Order; beyondBps: number };
  },
): Parameters<typeof createSwapHandler>[0]['preTrade'] {
  const { agentId, readsReference, epoch, flattens } = facts;
  return {
    quote: () => info.quote,
    exposureVersion: (orgId) => store.exposureVersion(orgId, order.bookId),
    async validate(orgId, _, compile) {
      const made = compile(order.maxSlippageBps, info.quote, whole ?? undefined);
      if (!made.ok) return made;
      const own: Order = {
        ...made.value,
        id: order.id,
        origin: executor === 'delegated' ? 'delegated' : order.origin,
        bookId: order.bookId,
      };
      assessed.order = own;
      const beyond = beyondOrder(own, order);
      assessed.beyondBps = bpsBeyond(own, order);
      if (beyond !== null) return refuse('route_refused', beyond);
      const verdict = await preTrade.assess(orgId, { agentId, order: own, readsReference, epoch, flattens });
      return { ok: true, value: { order: own, verdict, touch: info.decisionPrice, epoch, bookVersion: 0 } };
    },
  };
}

/**
 * Returns the sellable quantity of the order's token to the last unit, if the order sells every whole lot of it, else null. Orders are in
 * lots and balances are not: a remainder of less than a lot could never be sold alone.
 */
async function closing({ reads }: ProposalSwapDeps, order: Order, agentId: string): Promise<DecimalString | null> {
  if (order.side === 'buy') return null;
  const state = (await reads.agentBooks(agentId)).get(order.bookId)?.state;
  if (state === undefined) return null;
  const others = state.openProposals.filter(({ id }) => id !== order.id);
  const sellable = computeSellable({ ...state, openProposals: others }, order.instrument);
  const beyond = new Decimal(sellable).minus(order.quantity);
  return beyond.gte(0) && beyond.lt(findMarketStep(order.instrument).lot) ? sellable : null;
}

/** Returns the transaction's answer about its order. Only a final one has a result. */
function toAnswer(row: ActorRow, order: Order, key: string, now: EpochMs): VenueAnswer {
  const state = transactionState(row.state);
  const context = transactionContext(row.state);
  if (state === 'expired' && context.signature === null)
    return rejected('signature_window_over', 'nobody signed the prepared transaction before its blockhash expired');
  if (state === 'expired' || state === 'failed') return rejected(context.reason ?? state, context.detail ?? `the transaction is ${state}`);
  if (state !== 'finalized' || context.landed === null)
    return { outcome: 'unknown', detail: `the transaction is ${state}`, underWay: true };
  const { promise, decisionPrice, market } = swapSubject(context);
  const fill = swapFill(context.landed.changes, promise, {
    id: contentId(`fill\n${row.id}`),
    orderId: key,
    bookId: order.bookId,
    instrument: order.instrument,
    decisionPrice,
    at: context.landed.blockTime ?? now,
    quotes: [market],
  });
  return fill === null ? rejected('moved_nothing', 'the transaction is final and moved nothing') : { outcome: 'filled', fills: [fill] };
}

/**
 * Returns the slippage in basis points that still keeps the order's worst price, or null if the market is already beyond it. A part is
 * reserved for the route's cost beyond the touch.
 */
function slippageLeft(order: Order, { quote }: Pick<SubmitInfo<'spotchain'>, 'quote'>): number | null {
  const touch = order.side === 'buy' ? quote.ask : quote.bid;
  if (touch === null) return null;
  // The output of a buy is tokens: touch/limit of them at the worst price. The output of a sell is dollars.
  const kept = order.side === 'buy' ? new Decimal(touch).div(order.limitPrice) : new Decimal(order.limitPrice).div(touch);
  const left = new Decimal(1).minus(kept).times(10_000).times(FOR_SLIPPAGE).floor();
  return left.lt(0) ? null : Math.min(left.toNumber(), order.maxSlippageBps);
}

/**
 * Returns the input amount of an order. A buy uses one lot less than its maximum cost, because a swap's own order is rounded up to whole
 * lots.
 */
function givenFor(order: Order, least: Decimal): Decimal {
  if (order.side === 'sell') return new Decimal(order.quantity);
  const lotUsd = new Decimal(findMarketStep(order.instrument).lot).times(order.limitPrice);
  return new Decimal(order.notionalUsd).minus(lotUsd).minus(least).minus(USD_STEP);
}

/** Returns by how much a swap's worst price is worse than its order's, in whole basis points rounded up, or 0. */
function bpsBeyond(swap: Order, order: Order): number {
  const ratio =
    order.side === 'buy' ? new Decimal(swap.limitPrice).div(order.limitPrice) : new Decimal(order.limitPrice).div(swap.limitPrice);
  return ratio.lte(1) ? 0 : ratio.minus(1).times(10_000).ceil().toNumber() + 1;
}

/** Returns why a swap exceeds its order, or null. */
function beyondOrder(swap: Order, order: Order): string | null {
  const isBuy = order.side === 'buy';
  if (swap.instrument !== order.instrument || swap.side !== order.side) return 'the swap is of another token or side than the order';
  if (isBuy ? new Decimal(swap.notionalUsd).gt(order.notionalUsd) : new Decimal(swap.quantity).gt(order.quantity))
    return `the swap comes to ${swap.quantity} for ${swap.notionalUsd} US dollars at its worst, more than the order`;
  if (isBuy ? new Decimal(swap.limitPrice).gt(order.limitPrice) : new Decimal(swap.limitPrice).lt(order.limitPrice))
    return `the worst price of the swap is ${swap.limitPrice}, beyond the ${order.limitPrice} of the order`;
  return null;
}

/**
 * Creates the check of owner-signed bytes: they may be sent only while the proposal waits for them and risk accepts its order now. Returns
 * the further conditions of the step that takes them.
 */
export function proposalSwapMayLeave(deps: { readonly store: Pick<ProposalSwapStore, 'proposal'>; readonly preTrade: PreTrade }) {
  return async (orgId: string, context: PreparedTransactionContext): Promise<Outcome<readonly ActorRecord[]>> => {
    const { proposal, order } = swapSubject(context);
    if (context.executor === 'delegated') return refuse('state_conflict', 'the delegated signer signs this transaction, and nobody else');
    const facts = proposal === undefined ? null : await deps.store.proposal(proposal.id);
    if (facts === null || facts.orgId !== orgId) return refuse('not_found', 'the transaction belongs to no proposal');
    if (!isOpenProposal(facts.state)) return refuse('state_conflict', `the proposal of this transaction is ${facts.state}`);
    const { agentId, readsReference, epoch, flattens } = facts;
    const verdict = await deps.preTrade.assess(orgId, { agentId, order, readsReference, epoch, flattens });
    if (verdict.ok) return { ok: true, value: [toPermit(facts, false)] };
    const { rejections } = verdict.risk;
    const detail = `risk refuses it now: ${rejections.map(({ code }) => code).join(', ')}`;
    return { ok: false, refusal: { code: 'blocked_by_risk', detail, rejections } };
  };
}
