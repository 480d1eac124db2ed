/**
 * The client through which agents and Takes trade on the primary chain: the proposal's order becomes a prepared
 * swap of the delegated wallet, the signer process has it signed, and the same machine carries it that carries those of
 * people. What the chain has not decided is never decided here.
 */
import type { CommandContext } from '../../actors/agent/commands.ts';
import { transactionContext, transactionState } from '../../actors/prepared-transaction/effects.ts';
import type { CapacityObstacle } from '../../actors/prepared-transaction/open-capacity.ts';
import { createTransactionSubmission } from '../../actors/prepared-transaction/submission.ts';
import { createSwapHandler } from '../../actors/prepared-transaction/swap-handler.ts';
import { swapSubject } from '../../actors/prepared-transaction/swap-purpose.ts';
import type { ExecutionClient, SubmitInfo } from '../../actors/proposal/execution-client.ts';
import type { PreTrade } from '../../actors/proposal/pre-trade.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type { ActorRecord, ActorRow } from '../domain/actor-step.ts';
import { sellableOf } from '../domain/book.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { CATALOG } from '../domain/catalog.ts';
import { Decimal, type DecimalString, plainDecimal } from '../domain/decimal.ts';
import { type Delegation, delegationRefusal, type TraderKind } from '../domain/delegation.ts';
import type { VenueAnswer } from '../domain/execution.ts';
import { contentId } from '../domain/ids.ts';
import { marketStepOf } from '../domain/market-step.ts';
import type { Order } from '../domain/order.ts';
import type { Quote, ReferencePrice } from '../domain/quote.ts';
import { refuse } from '../domain/refusal.ts';
import { swapFill, uiOf } from '../domain/solana/swap.ts';
import type { VerifySignature } from '../domain/solana/verify.ts';
import type { EpochMs } from '../domain/time.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import type { HeardQuotes, RiskReads, SignerClient } from './ports.ts';
import { legsOf, type PrimaryChain } from './primary-chain.ts';

/** The part of an order's slippage budget that its route may slip by; the rest is for the route's own price. */
const FOR_SLIPPAGE = '0.8';
/** Notionals are rounded up to this. */
const USD_STEP = '0.000001';

/** A transaction that was put before the delegated signer. */
export interface DelegatedOrder {
  readonly orderId: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly proposalId: string;
  readonly delegationId: string;
  readonly order: Order;
  /** What risk passed it on, and what the organization's holdings are valued by. */
  readonly heard: readonly (Quote | ReferencePrice)[];
  readonly preparedAt: EpochMs;
}

/** What the worker signs of an order that it puts before the signer: the order, what it was assessed on, and the message. */
export function delegatedOrderText(order: DelegatedOrder, digest: string): string {
  return `sevengate delegated order 1\n${digest}\n${canonicalJson(order as never)}\n`;
}

/** What of a proposal its delegated transaction rests on. */
export interface DelegatedProposal {
  readonly orgId: string;
  readonly trader: TraderKind;
  readonly agentId: string;
  readonly epoch: number;
  readonly readsReference: boolean;
  readonly manifestHash: string;
  readonly reduceOnly: boolean;
  /** True where a breaker's kill switch closes a position. */
  readonly flattens: boolean;
}

/** What delegated orders ask of the store. */
export interface DelegatedOrderStore {
  /** Null where there is no proposal with this id. */
  proposal(id: string): Promise<DelegatedProposal | null>;
  /** The newest delegation of an agent or a Take, whatever became of it. */
  newest(orgId: string, agentId: string): Promise<Delegation | null>;
  /** Notes what is put before the signer; the same order again changes nothing. */
  note(order: DelegatedOrder): Promise<void>;
  load(ids: readonly string[]): Promise<ReadonlyMap<string, ActorRow>>;
  /** What an assessment of a book rests on, as one text. */
  ground(orgId: string, bookId: string): Promise<string>;
  /** True of the error of a step whose delegation was revoked. */
  isDelegationLost(error: unknown): boolean;
}

export interface DelegatedOrderDeps extends PrimaryChain {
  readonly store: DelegatedOrderStore;
  readonly reads: Pick<RiskReads, 'books' | 'agentBooks'>;
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  readonly preTrade: PreTrade;
  readonly signer: SignerClient;
  /** Signs as the worker: base64 of an Ed25519 signature over the text as UTF-8. */
  readonly signAsWorker: (text: string) => string;
  readonly bus: HeardQuotes;
  readonly verifySignature: VerifySignature;
  readonly obstacleOf: (error: unknown) => CapacityObstacle;
  /** True of an error that says that the node gave no answer. */
  readonly isSilence: (error: unknown) => boolean;
  readonly clock: { now(): EpochMs };
}

const rejected = (reason: string, detail: string): VenueAnswer => ({ outcome: 'rejected', reason, detail });

/** Who acts, for the audit: the agent or Take, by what its organization and the owner of the wallet have granted it. */
function actingFor(
  { orgId, trader, agentId }: Pick<DelegatedProposal, 'orgId' | 'trader' | 'agentId'>,
  { key }: SubmitInfo<'spotchain'>,
): CommandContext {
  return { orgId, subject: `${trader}:${agentId}`, permissions: ['trade:execute'], requestId: key };
}

/** What is signed here is submitted by `taken` alone. */
const NOT_BY_THE_DESK = { submit: async () => refuse('unavailable', 'delegated transactions are submitted by their proposal') } as const;

/** A proposal has one prepared transaction, whoever carries it out and however often. */
function transactionIdOf(proposalId: string): string {
  return contentId(`delegated transaction\n${proposalId}`);
}

export function createDelegatedOrders(deps: DelegatedOrderDeps): ExecutionClient<'spotchain'> {
  const { store, reads, clock, bus } = deps;

  /** What the signer's risk is to see: the quotes of the order and of everything that the organization holds. */
  async function heard(orgId: string, instrument: InstrumentKey): Promise<(Quote | ReferencePrice)[]> {
    const books = await reads.books(orgId, 'live');
    const held = books.flatMap(({ state }) => state.holdings.map((holding) => holding.instrument));
    const traded = [instrument, ...held];
    const wanted = new Set(traded.flatMap((one) => [one, CATALOG.byKey(one)?.benchmark ?? one]));
    return [...wanted].flatMap((key) => bus.latest(key) ?? []);
  }

  /**
   * What the book may sell of the order's token to the last unit, where the order sells every whole lot of it; else null.
   * Orders are made in lots and balances are not: the rest of less than a lot could never be sold alone.
   */
  async function closing(order: Order, agentId: string): Promise<DecimalString | null> {
    if (order.side === 'buy') return null;
    const state = (await reads.agentBooks(agentId)).get(order.bookId)?.state;
    if (state === undefined) return null;
    const others = state.openProposals.filter(({ id }) => id !== order.id);
    const sellable = sellableOf({ ...state, openProposals: others }, order.instrument);
    const beyond = new Decimal(sellable).minus(order.quantity);
    return beyond.gte(0) && beyond.lt(marketStepOf(order.instrument).lot) ? sellable : null;
  }

  /** Prepares the swap of an order, assessed by the risk of whoever trades in the place of a person's. */
  async function prepare(order: Order, info: SubmitInfo<'spotchain'>, ground: DelegatedProposal, delegation: Delegation) {
    const legs = await legsOf(deps, order.instrument);
    if (!legs.ok) return legs;
    const slippageBps = slippageLeft(order, info);
    if (slippageBps === null) return refuse('route_refused', 'the market has moved beyond the worst price of the order');
    const whole = await closing(order, ground.agentId);
    /** As it was assessed last: at the worst price that its message allows. */
    let assessed = order;
    const handler = createSwapHandler({
      ...deps,
      submission: NOT_BY_THE_DESK,
      legs: async () => legs,
      executor: 'delegated',
      newId: () => transactionIdOf(info.key),
      preTrade: {
        quote: () => info.quote,
        ground: (orgId) => store.ground(orgId, order.bookId),
        async validate(orgId, _, compile) {
          const made = compile(order.maxSlippageBps, info.quote, whole ?? undefined);
          if (!made.ok) return made;
          // The proposal's own: its reservation is left out of what the swap is assessed against.
          const own: Order = { ...made.value, id: order.id, origin: 'delegated', bookId: order.bookId };
          assessed = own;
          const beyond = beyondOrder(own, order);
          if (beyond !== null) return refuse('route_refused', beyond);
          const verdict = await deps.preTrade.assess(orgId, {
            agentId: ground.agentId,
            order: own,
            readsReference: ground.readsReference,
            epoch: ground.epoch,
            flattens: ground.flattens,
          });
          return {
            ok: true,
            value: { order: own, verdict, touch: info.decisionPrice, epoch: ground.epoch, bookVersion: 0, capitalUsd: '0' },
          };
        },
      },
    });
    const prepared = await handler.prepare(actingFor(ground, info), {
      instrument: order.instrument,
      side: order.side,
      amount: whole ?? plainDecimal(givenFor(order, uiOf('1', legs.value.stable))),
      slippageBps,
      wallet: delegation.wallet,
    });
    return prepared.ok
      ? ({ ok: true, value: { id: prepared.value.id, digest: prepared.value.message.digest, order: assessed } } as const)
      : prepared;
  }

  /** Submits signed bytes in a step that a halt, a pause, a changed manifest, a lowered autonomy or a revocation undoes. */
  async function taken(
    id: string,
    signedBase64: string,
    info: SubmitInfo<'spotchain'>,
    { orgId, trader, agentId, epoch, manifestHash, reduceOnly, flattens }: DelegatedProposal,
    delegation: Delegation,
  ): Promise<VenueAnswer> {
    const permits: readonly ActorRecord[] = [
      { type: 'execution_licence', orgId, agentId, epoch, manifestHash, mode: 'live', reduceOnly, byItself: true, flattens },
      { type: 'delegation_licence', delegationId: delegation.id },
    ];
    const submission = createTransactionSubmission({
      runtime: {
        deliver: (actorId, event, options) =>
          deps.runtime.deliver(actorId, event, { ...options, also: (row, plan) => [...permits, ...(options.also?.(row, plan) ?? [])] }),
      },
      load: store.load,
      verifySignature: deps.verifySignature,
      // The signer has run risk a moment ago, on the same quotes.
      mayLeave: { swap: async () => ({ ok: true, value: null }) },
      clock,
    });
    try {
      const submitted = await submission.submit(actingFor({ orgId, trader, agentId }, info), 'swap', id, signedBase64);
      if (!submitted.ok) return rejected(submitted.refusal.code, submitted.refusal.detail);
      return { outcome: 'unknown', detail: 'signed and on its way to the chain', underWay: true };
    } catch (error) {
      if (store.isDelegationLost(error)) return rejected('delegation_revoked', 'the delegation was revoked while it was signed');
      throw error;
    }
  }

  /** Has the prepared transaction signed and submits it. Nothing leaves before that. */
  async function signed(
    { id, signature }: { readonly id: string; readonly signature: string },
    info: SubmitInfo<'spotchain'>,
    ground: DelegatedProposal,
    delegation: Delegation,
  ): Promise<VenueAnswer> {
    const answer = await deps.signer.sign(id, signature);
    if (answer.outcome === 'unavailable') return rejected('signer_unavailable', answer.detail);
    if (answer.outcome === 'refused') return rejected(answer.code, answer.detail);
    // No lease of the proposal is asked for: the step that takes the bytes requires what the lease stands for, and their
    // broadcast has a lease of its own.
    return taken(id, answer.signedBase64, info, ground, delegation);
  }

  return {
    async submit(order, info) {
      const ground = await store.proposal(info.key);
      if (ground === null) return rejected('feature_disabled', 'only proposals of agents and Takes are signed for without a wallet prompt');
      const delegation = await store.newest(ground.orgId, ground.agentId);
      const refusal = delegationRefusal(delegation, clock.now(), { wallet: delegation?.wallet ?? '', notionalUsd: order.notionalUsd });
      if (refusal !== null || delegation === null) return rejected(refusal?.code ?? 'delegation_missing', refusal?.detail ?? '');
      const prepared = await prepare(order, info, ground, delegation);
      if (!prepared.ok) return rejected(prepared.refusal.code, prepared.refusal.detail);
      const { id, digest } = prepared.value;
      const noted: DelegatedOrder = {
        orderId: id,
        orgId: ground.orgId,
        agentId: ground.agentId,
        proposalId: info.key,
        delegationId: delegation.id,
        order: prepared.value.order,
        heard: await heard(ground.orgId, order.instrument),
        preparedAt: clock.now(),
      };
      await store.note(noted);
      const signature = deps.signAsWorker(delegatedOrderText(noted, digest));
      return signed({ id, signature }, info, ground, delegation);
    },

    async lookUp(order, key): Promise<VenueAnswer> {
      const id = transactionIdOf(key);
      const row = (await store.load([id])).get(id);
      if (row === undefined) return rejected('not_found', 'nothing was prepared for it');
      const state = transactionState(row.state);
      const context = transactionContext(row.state);
      if (state === 'expired' || state === 'failed')
        return rejected(context.reason ?? state, context.detail ?? `the transaction is ${state}`);
      if (state !== 'finalized' || context.landed === null)
        return { outcome: 'unknown', detail: `the transaction is ${state}`, underWay: true };
      const { promise, decisionPrice, market } = swapSubject(context);
      const fill = swapFill(context.landed.changes, promise, {
        id: contentId(`fill\n${id}`),
        orderId: key,
        bookId: order.bookId,
        instrument: order.instrument,
        decisionPrice,
        at: context.landed.blockTime ?? clock.now(),
        quotes: [market],
      });
      return fill === null ? rejected('moved_nothing', 'the transaction is final and moved nothing') : { outcome: 'filled', fills: [fill] };
    },
  };
}

/**
 * How much less than quoted may come out, so that the worst price of the order holds, in basis points; null where the
 * market stands beyond that price already. A part is kept for what the route costs beyond the touch.
 */
function slippageLeft(order: Order, { quote }: Pick<SubmitInfo<'spotchain'>, 'quote'>): number | null {
  const touch = order.side === 'buy' ? quote.ask : quote.bid;
  if (touch === null) return null;
  // What comes out of a buy are tokens: touch/limit of them at the worst price. Of a sell, dollars.
  const kept = order.side === 'buy' ? new Decimal(touch).div(order.limitPrice) : new Decimal(order.limitPrice).div(touch);
  const left = new Decimal(1).minus(kept).times(10_000).times(FOR_SLIPPAGE).floor();
  return left.lt(0) ? null : Math.min(left.toNumber(), order.maxSlippageBps);
}

/** What is given for an order: of a buy a lot less than it may cost, because a swap's own order is rounded up to whole lots. */
function givenFor(order: Order, least: Decimal): Decimal {
  if (order.side === 'sell') return new Decimal(order.quantity);
  const lotUsd = new Decimal(marketStepOf(order.instrument).lot).times(order.limitPrice);
  return new Decimal(order.notionalUsd).minus(lotUsd).minus(least).minus(USD_STEP);
}

/** Why a swap is more than the order that it is for; null where it is not. */
function beyondOrder(swap: Order, order: Order): string | null {
  const isBuy = order.side === 'buy';
  if (swap.instrument !== order.instrument || swap.side !== order.side) return 'the swap is of another token or side than the order';
  if (isBuy ? new Decimal(swap.notionalUsd).gt(order.notionalUsd) : new Decimal(swap.quantity).gt(order.quantity))
    return `the swap comes to ${swap.quantity} for ${swap.notionalUsd} US dollars at its worst, more than the order`;
  if (isBuy ? new Decimal(swap.limitPrice).gt(order.limitPrice) : new Decimal(swap.limitPrice).lt(order.limitPrice))
    return `the worst price of the swap is ${swap.limitPrice}, beyond the ${order.limitPrice} of the order`;
  return null;
}
