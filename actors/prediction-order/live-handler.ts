/**
 * Handles live orders in two steps. `prepare` requests a transaction from the venue, validates exactly its effect and stores it. `execute`
 * takes the signed bytes. The venue fills the opened order later.
 */
import { answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import { completeOrder, type Order } from '../../src/domain/orders/order.ts';
import { takerFeeUsd } from '../../src/domain/prediction/market.ts';
import type { PredictionWish } from '../../src/domain/prediction/prediction-order.ts';
import { listSigners, readTransaction, type WireTransaction } from '../../src/domain/solana/message.ts';
import { depositObjection, depositTransactionObjection } from '../../src/domain/solana/prediction-deposit.ts';
import { fromBase64, toPreparedMessage } from '../../src/domain/solana/verify.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../src/domain/values/decimal.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { passed } from '../manual-order/manual-order.ts';
import { placedOnVerdict } from '../manual-order/placing.ts';
import { type ChainClient, unlessSilent } from '../prepared-transaction/chain-client.ts';
import { transactionView } from '../prepared-transaction/effects.ts';
import type { PreparedTransactionInput, ResolvedLookup } from '../prepared-transaction/machine.ts';
import { type CapacityObstacle, capacityAnswer, capacityRow } from '../prepared-transaction/open-capacity.ts';
import type { PreparedTransactionView } from '../prepared-transaction/resource.ts';
import { type TransactionSubmission } from '../prepared-transaction/submission.ts';
import { groupLookups, lifetimeObjection, resolvedLookups } from '../prepared-transaction/unsigned.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { NO_PREDICTION_ORDER, type PredictionPreTrade, type PredictionVerdict, predictionOrderView, toOrderInput } from './commands.ts';
import type { OfferRequest, OnchainOffer, OnchainVenue } from './onchain-venue.ts';
import type { PredictionSubject } from './purpose.ts';
import type { PredictionOrderView } from './resource.ts';

/** Commands of live orders, in two steps. */
export interface LivePredictionOrders {
  /**
   * Requests a transaction from the venue that opens the order, validates exactly that order and stores both. Nothing is on the chain yet.
   */
  prepare(
    context: CommandContext,
    wish: PredictionWish,
    wallet: string,
  ): Promise<Outcome<{ readonly order: PredictionOrderView; readonly transaction: PreparedTransactionView }>>;
  /** Submits the signed bytes of the order's transaction. An executed transaction opens the order. It does not mean a fill. */
  execute(context: CommandContext, orderId: string, signedBase64: string): Promise<Outcome<PreparedTransactionView>>;
}

/** Maximum offers requested from the venue until one buys no more than requested. */
const OFFERS = 3;

interface LivePredictionDeps {
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  /** Prices and validates on the book of the venue that the order goes to. */
  readonly preTrade: PredictionPreTrade;
  readonly venue: OnchainVenue;
  readonly chain: Pick<ChainClient, 'simulate' | 'lookupTable' | 'blockHeight'>;
  readonly submission: TransactionSubmission;
  readonly orders: {
    find(orgId: string, id: string): Promise<PredictionOrderView | null>;
    /** Returns a wallet's position account in an outcome, or null if none of our orders opened one. */
    positionOf(orgId: string, wallet: string, instrument: string): Promise<string | null>;
  };
  /** Returns the version of the facts that a validation on a book rests on, as text. */
  readonly exposureVersion: (orgId: string, bookId: string) => Promise<string>;
  readonly obstacleOf: (error: unknown) => CapacityObstacle;
  /** True for an error that means that the node did not answer. */
  readonly isSilence: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

export function createLivePredictionHandler(deps: LivePredictionDeps): LivePredictionOrders {
  const { runtime } = deps;

  return {
    async prepare(context, wish, wallet) {
      const id = deps.newId();
      return placedOnVerdict(
        context.orgId,
        (error) => capacityAnswer(deps.obstacleOf(error)),
        async () => {
          const made = await unlessSilent(deps.isSilence, offered(deps, context.orgId, id, wish, wallet));
          return made.ok ? { ok: true, value: await create(deps, context, id, wish.outcome, wallet, made.value) } : made;
        },
      );
    },

    async execute(context, orderId, signedBase64) {
      const order = await deps.orders.find(context.orgId, orderId);
      if (order === null) return refuse('not_found', NO_PREDICTION_ORDER);
      if (order.onchain === null) return refuse('state_conflict', 'a paper order is filled when it is placed and needs no execution');
      const submitted = await deps.submission.submit(context, 'prediction_order', order.onchain.transactionId, signedBase64);
      // An early notice only: the order also checks its transaction by itself.
      if (submitted.ok)
        await runtime.deliver(orderId, { type: 'transaction.submitted' }, { cause: `${context.subject} ${context.requestId}` });
      return submitted;
    },
  };
}

/** Returns the validated order that the venue would carry out, and its checked transaction. */
async function offered(
  deps: LivePredictionDeps,
  orgId: string,
  id: string,
  wish: PredictionWish,
  wallet: string,
): Promise<Outcome<Offered>> {
  const validated = passed(await deps.preTrade.validate(orgId, id, 'live', wish));
  if (!validated.ok) return validated;
  const { market, order: wished } = validated.value;
  const positionAccount = wished.side === 'buy' ? null : await deps.orders.positionOf(orgId, wallet, wished.instrument);
  if (wished.side === 'sell' && positionAccount === null)
    return refuse('state_conflict', `the wallet ${wallet} has no position in ${wished.instrument} that was opened here`);
  const found = await offerWithin(deps, wished, wish, { wallet, market, positionAccount });
  if (!found.ok) return found;
  const { offer, order, depositUsd } = found.value;
  const worse = worseThanWished(wished, order, offer.contracts);
  if (worse !== null) return refuse('state_conflict', worse);
  const exposureVersion = await deps.exposureVersion(orgId, order.bookId);
  const final = passed(await deps.preTrade.revalidate(orgId, market, order));
  if (!final.ok) return final;
  const transaction = await lookedThrough(deps, wallet, offer, depositUsd);
  if (!transaction.ok) return transaction;
  const placed = { ...final.value, touch: validated.value.touch };
  return { ok: true, value: { validated: placed, offer, depositUsd, exposureVersion, ...transaction.value } };
}

/**
 * Requests an offer for the deposit. The venue spends all of it, so a price or fee better than the worst one would buy more than requested.
 * In that case deposits less.
 */
async function offerWithin(
  deps: LivePredictionDeps,
  wished: Order,
  wish: PredictionWish,
  where: Omit<OfferRequest, 'outcome' | 'order' | 'depositUsd'>,
): Promise<Outcome<{ readonly offer: OnchainOffer; readonly order: Order; readonly depositUsd: DecimalString }>> {
  const { venue } = deps;
  const sells = wished.side === 'sell';
  let depositUsd = sells ? '0' : computeDeposit(wished, takerFeeUsd(where.market.fee, wished.limitPrice, wished.quantity));
  for (let tries = 0; tries < OFFERS; tries++) {
    const offer = await venue.offer({ ...where, outcome: wish.outcome, order: wished, depositUsd });
    if (!offer.ok) return offer;
    const order = completeOrder({ ...wished, quantity: offer.value.quantity, limitPrice: offer.value.limitPrice });
    const excess = sells ? new Decimal(0) : excessUsd(wished, order, wish.quantity !== null);
    if (excess.lte(0)) return { ok: true, value: { offer: offer.value, order, depositUsd } };
    depositUsd = plainDecimal(new Decimal(depositUsd).minus(excess).toDecimalPlaces(6, Decimal.ROUND_DOWN));
    if (new Decimal(depositUsd).lte(0)) break;
  }
  return refuse('state_conflict', 'the venue would buy more than requested: try again');
}

/** Checks the offered transaction before a wallet is asked to sign it: its programs, its signers, and its simulated effect. */
async function lookedThrough(
  deps: LivePredictionDeps,
  wallet: string,
  offer: OnchainOffer,
  depositUsd: DecimalString,
): Promise<Outcome<Pick<Offered, 'transaction' | 'lookups' | 'promise'>>> {
  const { venue } = deps;
  const bytes = fromBase64(offer.transactionBase64);
  if (bytes === null) return refuse('route_refused', 'the venue returned a transaction that is not base64');
  const read = readTransaction(bytes);
  if (!read.ok) return refuse('route_refused', `the venue returned a transaction that cannot be read: ${read.refusal.detail}`);
  const transaction = read.value;
  if (transaction.blockhash !== offer.blockhash)
    return refuse('route_refused', 'the transaction has another blockhash than the venue says');
  const lasting = await lifetimeObjection(deps.chain, offer.lastValidBlockHeight);
  if (lasting !== null) return refuse('route_refused', lasting);
  const lookups = await resolvedLookups(deps.chain, transaction);
  if (!lookups.ok) return lookups;
  const depositRaw = new Decimal(depositUsd).times(new Decimal(10).pow(venue.stable.decimals)).toFixed(0);
  const promise = { wallet, mint: venue.stable.mint, depositRaw, escrowAccount: offer.escrowAccount };
  const objection = depositTransactionObjection(transaction, promise, venue.programs, groupLookups(lookups.value));
  if (objection !== null) return refuse('route_refused', `the venue returned a transaction that must not be signed: ${objection}`);
  if (listSigners(transaction).length !== 1) return refuse('route_refused', 'the transaction needs another signature besides the wallet');
  const simulation = await deps.chain.simulate(bytes);
  if (simulation.error !== null)
    return refuse(
      'state_conflict',
      `the chain would refuse it now: ${simulation.error}; does the wallet hold the deposit of ${depositUsd} and the fee?`,
    );
  const broken = depositObjection(simulation.changes, promise);
  return broken === null
    ? { ok: true, value: { transaction, lookups: lookups.value, promise } }
    : refuse('route_refused', `the transaction is not the promised one: ${broken}`);
}

/**
 * Creates the transaction, which reserves capacity, and then the order. If the order is never created, the transaction expires by itself.
 */
async function create(
  deps: LivePredictionDeps,
  context: CommandContext,
  orderId: string,
  outcome: 'yes' | 'no',
  wallet: string,
  made: Offered,
): Promise<{ readonly order: PredictionOrderView; readonly transaction: PreparedTransactionView }> {
  const { clock, runtime } = deps;
  const { validated, depositUsd, exposureVersion } = made;
  const createdAt = clock.now();
  const transactionId = deps.newId();
  const cause = `${context.subject} ${context.requestId}`;
  const input = toTransactionInput(made, orderId, context.subject, createdAt);
  const prepared = await runtime.start('prepared_transaction', transactionId, context.orgId, input, {
    cause,
    also: () => [capacityRow(context.orgId, validated.order.bookId, exposureVersion)],
  });
  const view = transactionView(transactionId, prepared.state, createdAt);
  const { venueMarketId, orderAccount, escrowAccount, positionAccount, contracts } = made.offer;
  const onchain = { wallet, transactionId, venueMarketId, orderAccount, escrowAccount, positionAccount, depositUsd, contracts };
  const begun = toOrderInput(validated, outcome, context.subject, createdAt, {
    begins: 'prepared',
    reason: null,
    detail: null,
    fills: [],
    onchain,
  });
  const plan = await runtime.start('prediction_order', orderId, context.orgId, begun, {
    cause,
    also: (begins) => [
      auditRow(context, 'prediction_order.prepare', orderId, null, begins.state),
      ...answerRows(context, { order: predictionOrderView(orderId, begins.state, createdAt), transaction: view }),
    ],
  });
  return { order: predictionOrderView(orderId, plan.state, createdAt), transaction: view };
}

interface Offered {
  readonly validated: PredictionVerdict;
  readonly offer: OnchainOffer;
  readonly depositUsd: DecimalString;
  readonly exposureVersion: string;
  readonly transaction: WireTransaction;
  readonly lookups: readonly ResolvedLookup[];
  readonly promise: Omit<PredictionSubject, 'orderId'>;
}

/** Returns the initial input of the transaction's actor. */
function toTransactionInput(
  { validated, offer, transaction, lookups, promise }: Offered,
  orderId: string,
  preparedBy: string,
  createdAt: EpochMs,
): PreparedTransactionInput {
  const { bookId, instrument, side, quantity, notionalUsd } = validated.order;
  const subject: PredictionSubject = { orderId, ...promise };
  return {
    purpose: 'prediction_order',
    subject,
    wallet: promise.wallet,
    prepared: toPreparedMessage(transaction, offer.lastValidBlockHeight),
    unsignedBase64: offer.transactionBase64,
    lookups,
    reservation: { bookId, instrument, side, quantity, notionalUsd },
    executor: 'user',
    preparedBy,
    epoch: validated.epoch,
    createdAt,
  };
}

/** Returns an order's maximum cost, notional plus fee, in whole millionths of a dollar. @throws Error for an unknown fee. */
function computeDeposit({ notionalUsd }: Order, feeUsd: DecimalString | null): DecimalString {
  if (feeUsd === null) throw new Error('risk passed an order with an unknown fee');
  return plainDecimal(new Decimal(notionalUsd).plus(feeUsd).toDecimalPlaces(6, Decimal.ROUND_UP));
}

/** Returns by how much an offer exceeds the order: in dollars, or in contracts if the order states a number of contracts. */
function excessUsd(wished: Order, offered: Order, byQuantity: boolean): Decimal {
  const money = new Decimal(offered.notionalUsd).minus(wished.notionalUsd);
  const contracts = new Decimal(offered.quantity).minus(wished.quantity).times(offered.limitPrice);
  return byQuantity ? Decimal.max(money, contracts) : money;
}

/** Returns why the venue's offer is worse than the request, or null if it is not. */
function worseThanWished(wished: Order, offered: Order, contracts: DecimalString): string | null {
  const buys = wished.side === 'buy';
  const beyond = buys ? new Decimal(offered.limitPrice).gt(wished.limitPrice) : new Decimal(offered.limitPrice).lt(wished.limitPrice);
  if (beyond)
    return `the venue would ${buys ? 'pay up to' : 'take down to'} ${offered.limitPrice}, and the worst acceptable price is ${wished.limitPrice}: ask for less, or accept a worse price`;
  if (!buys && !new Decimal(contracts).eq(wished.quantity))
    return `the venue would sell ${contracts} contracts instead of ${wished.quantity}`;
  return new Decimal(offered.quantity).gt(0) ? null : 'the venue would trade nothing';
}
