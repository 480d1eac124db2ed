/** Prepares swaps: assesses risk, requests a route, simulates it on the chain, and then returns the message to sign. */
import { answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import { bookIds, type FillQuote } from '../../src/domain/books/book.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { computeLimitPrice, type Order, type OrderSide } from '../../src/domain/orders/order.ts';
import { liveTouch } from '../../src/domain/risk/blocked-by-risk.ts';
import { readTransaction } from '../../src/domain/solana/message.ts';
import {
  balanceObjection,
  computePrice,
  type RouteRules,
  routeObjection,
  type SwapLeg,
  type SwapOrderParts,
  type SwapPromise,
  swapOrder,
  toRaw,
} from '../../src/domain/solana/swap.ts';
import { toPreparedMessage } from '../../src/domain/solana/verify.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { type ManualVerdict, type PassedVerdict, passed } from '../manual-order/manual-order.ts';
import { placedOnVerdict } from '../manual-order/placing.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { type ChainClient, unlessSilent } from './chain-client.ts';
import { transactionView } from './effects.ts';
import type { PreparedTransactionInput } from './machine.ts';
import { type CapacityObstacle, capacityAnswer, capacityRow } from './open-capacity.ts';
import type { PreparedTransactionView } from './resource.ts';
import type { TransactionSubmission } from './submission.ts';
import type { SwapProposal, SwapSubject } from './swap-purpose.ts';
import type { Route, RouteStep, SwapRouter } from './swap-router.ts';
import { groupLookups, lifetimeObjection, resolvedLookups } from './unsigned.ts';

export interface SwapWish {
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  /** Input amount in UI units: dollars for a buy, tokens for a sell. */
  readonly amount: DecimalString;
  /** Maximum slippage below the quote, in basis points. Null means 50, or the mandate's budget if that is less. */
  readonly slippageBps: number | null;
}

/** A swap at present prices. Nothing is stored or reserved. */
export interface SwapQuote {
  readonly instrument: InstrumentKey;
  readonly promise: Omit<SwapPromise, 'wallet'>;
  readonly slippageBps: number;
  readonly priceImpactPct: DecimalString | null;
  readonly steps: readonly RouteStep[];
  /** Live quote at the same time. */
  readonly market: FillQuote;
  readonly quotedAt: EpochMs;
}

/** Commands of swaps. Each answers after its transaction has committed. */
export interface SwapCommands {
  /** Prices a swap. Refuses if the token has no live quote or the aggregator has no route. */
  quote(orgId: string, wish: SwapWish): Promise<Outcome<SwapQuote>>;
  /** Assesses risk, then requests the route, checks it and stores the transaction. */
  prepare(context: CommandContext, wish: SwapWish & { readonly wallet: string }): Promise<Outcome<PreparedTransactionView>>;
  /** Submits the signed bytes. See `TransactionSubmission`. */
  execute(context: CommandContext, id: string, signedBase64: string): Promise<Outcome<PreparedTransactionView>>;
}

/** Slippage limit if neither the person nor the mandate sets one. */
const DEFAULT_SLIPPAGE_BPS = 50;

/** Risk of manual swaps, on the token's live quote and the organization's manual live book. */
export interface SwapPreTrade {
  /** Returns the present quote of a token with its age, or null if none was received. */
  quote(instrument: InstrumentKey): Quote | null;
  /**
   * Validates the order that `compile` makes from the mandate's slippage budget, the present quote and, if exact units matter, the sellable
   * quantity. `seller` is the wallet of a sale, which may sell what it holds whoever bought it.
   */
  validate(
    orgId: string,
    instrument: InstrumentKey,
    compile: (longestSlippageBps: number, quote: Quote | null, sellable?: DecimalString) => Outcome<Order>,
    seller: string | null,
  ): Promise<Outcome<ManualVerdict>>;
  /** Returns the version of the facts that a validation rests on, as text. */
  exposureVersion(orgId: string): Promise<string>;
}

interface SwapHandlerDeps {
  readonly runtime: Pick<Runtime, 'start'>;
  readonly preTrade: SwapPreTrade;
  readonly submission: TransactionSubmission;
  readonly routes: SwapRouter;
  readonly chain: Pick<ChainClient, 'simulate' | 'lookupTable' | 'blockHeight'>;
  /** Returns both legs of a token's swap. Refuses instruments that are not tokens. */
  readonly legs: (instrument: InstrumentKey) => Promise<Outcome<{ readonly stable: SwapLeg; readonly token: SwapLeg }>>;
  /** Programs that routes may use besides the known ones, and makers that may sign with the wallet. */
  readonly rules: Pick<RouteRules, 'programs' | 'makers'>;
  readonly obstacleOf: (error: unknown) => CapacityObstacle;
  /** True for an error that means that the node did not answer. */
  readonly isSilence: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  /** Signer of the prepared transactions. Default: a person's wallet. */
  readonly executor?: PreparedTransactionInput['executor'];
  /** Trade proposal that the swap is for. Missing for a person's own swap. */
  readonly proposal?: SwapProposal;
}

type CheckedMessage = Pick<PreparedTransactionInput, 'prepared' | 'unsignedBase64' | 'lookups'>;

/** A chosen route, and the promise made on it. */
interface Agreed {
  readonly promise: SwapPromise;
  readonly route: Route;
  readonly message: CheckedMessage;
  readonly maxSlippageBps: number;
}

export function createSwapHandler(deps: SwapHandlerDeps): SwapCommands {
  return {
    prepare: (context, wish) => unlessSilent(deps.isSilence, prepare(deps, context, wish)),
    execute: (context, id, signedBase64) => deps.submission.submit(context, 'swap', id, signedBase64),
    quote: (_, wish) => unlessSilent(deps.isSilence, quote(deps, wish)),
  };
}

/** Returns the wallet of a sale, or null for a purchase. */
export function findSeller({ side, wallet }: Pick<SwapPromise, 'side' | 'wallet'>): string | null {
  return side === 'sell' ? wallet : null;
}

/** Returns the legs of a request, and its input in raw units. */
async function givenBy(
  deps: SwapHandlerDeps,
  wish: SwapWish,
): Promise<Outcome<Pick<SwapPromise, 'side' | 'input' | 'output' | 'inAmount'>>> {
  const legs = await deps.legs(wish.instrument);
  if (!legs.ok) return legs;
  const { stable, token } = legs.value;
  const [input, output] = wish.side === 'buy' ? [stable, token] : [token, stable];
  const inAmount = toRaw(wish.amount, input);
  if (BigInt(inAmount) <= 0n) return refuse('malformed', `$.amount: ${wish.amount} is less than the smallest unit of ${input.mint}`);
  return { ok: true, value: { side: wish.side, input, output, inAmount } };
}

async function routed(
  deps: SwapHandlerDeps,
  given: Pick<SwapPromise, 'input' | 'output' | 'inAmount'>,
  slippageBps: number,
  taker: string | null,
): Promise<Outcome<Route>> {
  const { routes } = deps;
  const { input, output, inAmount } = given;
  return routes.route({ inputMint: input.mint, outputMint: output.mint, amount: inAmount, slippageBps, taker });
}

/** Assesses risk at the touch, before the aggregator is asked. */
function atTouch(wish: SwapWish, given: Pick<SwapPromise, 'side' | 'input' | 'inAmount'>, id: string, orgId: string) {
  return (longest: number, quote: Quote | null, sellable?: DecimalString): Outcome<Order> => {
    const touch = liveTouch(wish.instrument, wish.side, quote);
    if (!touch.ok) return touch;
    const maxSlippageBps = chooseSlippage(wish, longest);
    const worstPrice = computeLimitPrice(wish.instrument, wish.side, touch.value, maxSlippageBps);
    return { ok: true, value: orderFor(given, wish, { id, orgId, worstPrice, maxSlippageBps, sellable }) };
  };
}

/** Checks the route's bytes: the transaction must keep the promise. Returns it with the contents of its lookup tables. */
async function checked(deps: SwapHandlerDeps, route: Route, promise: SwapPromise): Promise<Outcome<CheckedMessage>> {
  const { chain } = deps;
  const { transaction } = route;
  if (transaction === null) return refuse('route_refused', 'the aggregator returned a route without a transaction');
  const read = readTransaction(transaction.bytes);
  if (!read.ok) return refuse('route_refused', `the route of the aggregator is invalid: ${read.refusal.detail}`);
  const lookups = await resolvedLookups(chain, read.value);
  if (!lookups.ok) return lookups;
  const objection = routeObjection(read.value, promise, { ...deps.rules, tables: groupLookups(lookups.value) });
  if (objection !== null) return refuse('route_refused', `the route of the aggregator must not be signed: ${objection}`);
  const lasting = await lifetimeObjection(chain, transaction.lastValidBlockHeight);
  if (lasting !== null) return refuse('route_refused', lasting);
  const simulation = await chain.simulate(transaction.bytes);
  if (simulation.error !== null) return refuse('route_refused', `the chain would reject it: ${simulation.error}`);
  const broken = balanceObjection(simulation.changes, promise);
  if (broken !== null) return refuse('route_refused', `it differs from the request: ${broken}`);
  const prepared = toPreparedMessage(read.value, transaction.lastValidBlockHeight);
  return { ok: true, value: { prepared, unsignedBase64: transaction.base64, lookups: lookups.value } };
}

async function prepare(deps: SwapHandlerDeps, context: CommandContext, wish: SwapWish & { readonly wallet: string }) {
  const { preTrade } = deps;
  const { orgId } = context;
  const given = await givenBy(deps, wish);
  if (!given.ok) return given;
  const id = deps.newId();
  const first = passed(await preTrade.validate(orgId, wish.instrument, atTouch(wish, given.value, id, orgId), findSeller(wish)));
  if (!first.ok) return first;
  const { maxSlippageBps } = first.value.order;
  const route = await routed(deps, given.value, maxSlippageBps, wish.wallet);
  if (!route.ok) return route;
  const promise: SwapPromise = { wallet: wish.wallet, ...given.value, ...pickAmounts(route.value) };
  const objection = amountObjection(route.value, promise, maxSlippageBps);
  if (objection !== null) return refuse('route_refused', objection);
  const message = await checked(deps, route.value, promise);
  if (!message.ok) return message;
  const agreed = { promise, route: route.value, message: message.value, maxSlippageBps };
  return placedOnVerdict(
    context.orgId,
    (error) => capacityAnswer(deps.obstacleOf(error)),
    () => create(deps, context, wish, id, agreed),
  );
}

/** Validates the swap at the worst price that its message allows, and begins it on that validation. */
async function create(
  deps: SwapHandlerDeps,
  context: CommandContext,
  wish: SwapWish,
  id: string,
  agreed: Agreed,
): Promise<Outcome<PreparedTransactionView>> {
  const { runtime, preTrade, clock } = deps;
  const { orgId } = context;
  const { promise, maxSlippageBps } = agreed;
  const worstPrice = computePrice(promise, promise.inAmount, promise.minOutAmount);
  const exposureVersion = await preTrade.exposureVersion(orgId);
  const validated = passed(
    await preTrade.validate(
      orgId,
      wish.instrument,
      (_, quote, sellable) => {
        const touch = liveTouch(wish.instrument, wish.side, quote);
        return touch.ok ? { ok: true, value: orderFor(promise, wish, { id, orgId, worstPrice, maxSlippageBps, sellable }) } : touch;
      },
      findSeller(promise),
    ),
  );
  if (!validated.ok) return validated;
  const { executor = 'user', proposal } = deps;
  const by = { preparedBy: context.subject, executor, ...(proposal === undefined ? {} : { proposal }) };
  const input = toInput(by, validated.value, agreed, clock.now());
  const plan = await runtime.start('prepared_transaction', id, orgId, input, {
    cause: `${context.subject} ${context.requestId}`,
    also: (begins) => [
      capacityRow(orgId, validated.value.order.bookId, exposureVersion),
      auditRow(context, 'transaction.prepare.swap', id, null, begins.state),
      ...answerRows(context, transactionView(id, begins.state, input.createdAt)),
    ],
  });
  return { ok: true, value: transactionView(id, plan.state, input.createdAt) };
}

async function quote(deps: SwapHandlerDeps, wish: SwapWish): ReturnType<SwapCommands['quote']> {
  const { preTrade, clock } = deps;
  const given = await givenBy(deps, wish);
  if (!given.ok) return given;
  const market = preTrade.quote(wish.instrument);
  const touch = liveTouch(wish.instrument, wish.side, market);
  if (!touch.ok) return touch;
  const slippageBps = wish.slippageBps ?? DEFAULT_SLIPPAGE_BPS;
  const route = await routed(deps, given.value, slippageBps, null);
  if (!route.ok) return route;
  const promise = { ...given.value, ...pickAmounts(route.value) };
  const objection = amountObjection(route.value, promise, slippageBps);
  if (objection !== null) return refuse('route_refused', objection);
  return {
    ok: true,
    value: {
      instrument: wish.instrument,
      promise,
      slippageBps,
      priceImpactPct: route.value.priceImpactPct,
      steps: route.value.steps,
      market: quoteOfFill(market as Quote),
      quotedAt: clock.now(),
    },
  };
}

function chooseSlippage({ slippageBps }: SwapWish, longest: number): number {
  // Aggregators accept whole basis points.
  return slippageBps ?? Math.min(DEFAULT_SLIPPAGE_BPS, Math.floor(longest));
}

function orderFor(
  given: Pick<SwapPromise, 'side' | 'input' | 'inAmount'>,
  { instrument }: SwapWish,
  { orgId, ...parts }: Omit<SwapOrderParts, 'bookId' | 'instrument'> & { readonly orgId: string },
): Order {
  return swapOrder(given, { ...parts, bookId: bookIds.manual(orgId, 'live'), instrument });
}

function pickAmounts({ outAmount, minOutAmount }: Route): Pick<SwapPromise, 'outAmount' | 'minOutAmount'> {
  return { outAmount, minOutAmount };
}

/** Returns how a route's figures differ from the request, or null if they match. */
function amountObjection(route: Route, { inAmount }: Pick<SwapPromise, 'inAmount'>, slippageBps: number): string | null {
  if (route.inAmount !== inAmount) return `the aggregator routes ${route.inAmount} instead of ${inAmount}`;
  const least = (BigInt(route.outAmount) * BigInt(10_000 - slippageBps)) / 10_000n;
  if (BigInt(route.minOutAmount) < least || BigInt(route.minOutAmount) <= 0n)
    return `the aggregator promises ${route.minOutAmount} at least; ${least} are ${slippageBps} basis points below its quote of ${route.outAmount}`;
  return null;
}

function quoteOfFill({ source, observedAt, bid, ask }: Quote): FillQuote {
  return { source, observedAt, bid, ask };
}

function toInput(
  { preparedBy, executor, proposal }: Pick<PreparedTransactionInput, 'preparedBy' | 'executor'> & Pick<SwapHandlerDeps, 'proposal'>,
  { order, verdict, touch, epoch }: PassedVerdict,
  { promise, route, message, maxSlippageBps }: Agreed,
  createdAt: number,
): PreparedTransactionInput {
  if (verdict.market.quote === null) throw new Error(`risk passed swap ${order.id} without a quote`);
  const { bookId, instrument, side, quantity, notionalUsd } = order;
  const subject: SwapSubject = {
    instrument,
    promise,
    order: verdict.approved,
    slippageBps: maxSlippageBps,
    decisionPrice: touch,
    market: quoteOfFill(verdict.market.quote),
    priceImpactPct: route.priceImpactPct,
    steps: route.steps,
    risk: verdict.risk,
    ...(proposal === undefined ? {} : { proposal }),
  };
  return {
    purpose: 'swap',
    subject: subject as unknown as { readonly [key: string]: Json },
    wallet: promise.wallet,
    ...message,
    reservation: { bookId, instrument, side, quantity, notionalUsd },
    executor,
    preparedBy,
    epoch,
    createdAt,
  };
}
