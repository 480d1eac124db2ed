/** Swaps on the primary chain, signed by the wallet of the caller. */
import { Type } from 'typebox';
import type { PreparedTransactionView } from '../../actors/prepared-transaction/resource.ts';
import { NO_TRANSACTION } from '../../actors/prepared-transaction/submission.ts';
import type { SwapCommands, SwapQuote, SwapWish } from '../../actors/prepared-transaction/swap-commands.ts';
import { swapSubject } from '../../actors/prepared-transaction/swap-purpose.ts';
import type { SwapReads } from '../../src/adapters/store/orders/prepared-transaction-store.ts';
import { AttributionBody, FillBody } from '../../src/core/order-shapes.ts';
import { instrumentKey } from '../../src/domain/market/venue.ts';
import { ORDER_SIDES } from '../../src/domain/orders/order.ts';
import { PREPARED_TRANSACTION_STATES } from '../../src/domain/solana/lifecycle.ts';
import { computePrice, type SwapPromise, toUi } from '../../src/domain/solana/swap.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { malformed } from '../http/strict-json.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { sendProblem, sendRefusal } from '../problem.ts';
import { type ApiPorts, defineRoute, type RouteGroup } from '../route.ts';
import {
  choice,
  DecimalText,
  HashText,
  IdText,
  NullableDecimalText,
  nullable,
  objectSchema,
  pageFields,
  pageSchema,
  Time,
  walletAddress,
} from '../shapes.ts';
import { fillBody } from './agent-orders.ts';
import { checkedAddress, SignedTransaction, TAKES_SIGNED_TRANSACTION } from './signed-transaction.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly swaps: {
      readonly reads: SwapReads;
      readonly commands: SwapCommands;
    };
  }
}

/** Pattern of an amount, with as many decimals as a book's position may have, so that the whole position can be sold. */
const AMOUNT = '^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,36})?$';
const MOST_SLIPPAGE_BPS = 1_000;

const wishFields = {
  instrument: Type.String({ minLength: 1, maxLength: 44, description: "The token's symbol or its mint, e.g. `AAPLx`." }),
  side: choice(ORDER_SIDES, 'Long only: a sell reduces what the manual live book holds.'),
  amount: Type.String({ pattern: AMOUNT, maxLength: 40, description: 'Order size. Buys: US dollars. Sells: token units (UI units).' }),
};
const slippage = 'Slippage tolerance in basis points. Default: 50, or the mandate’s budget where that is less.';

const SwapQuoteQuery = objectSchema({
  ...wishFields,
  slippageBps: Type.Optional(Type.String({ pattern: '^(0|[1-9][0-9]{0,3})$', description: slippage })),
});

const SwapOrderWish = objectSchema({
  ...wishFields,
  slippageBps: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_SLIPPAGE_BPS, description: slippage })),
  wallet: walletAddress('The wallet that will sign, pay the network fee and hold the result: base58.'),
});

interface Wish {
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly amount: string;
  readonly slippageBps?: number | string;
}

/** Converts a body into a request. @throws InputError if the token is not in the catalog, or a number is out of range. */
function readSwapWish({ catalog }: Pick<ApiPorts, 'catalog'>, { instrument, side, amount, slippageBps }: Wish): SwapWish {
  const found = catalog.entries.entries.find(
    ({ venue, token, ...entry }) => venue === 'spotchain' && (entry.instrument === instrument || token?.mint === instrument),
  );
  if (found === undefined)
    throw malformed('$.instrument', 'there is no such token on the primary chain; GET /v1/catalog lists them', 'e.g. AAPLx');
  if (/^[0.]+$/.test(amount)) throw malformed('$.amount', 'it is zero', 'a number above zero');
  const bps = slippageBps === undefined ? null : Number(slippageBps);
  if (bps !== null && bps > MOST_SLIPPAGE_BPS) throw malformed('$.slippageBps', `it is ${bps}`, `0 to ${MOST_SLIPPAGE_BPS}`);
  return { instrument: instrumentKey('spotchain', found.instrument), side, amount: plainDecimal(amount), slippageBps: bps };
}

const LegBody = Type.Object({
  mint: Type.String(),
  amount: Type.String({ description: 'Raw base units of the chain.' }),
  uiAmount: DecimalText,
});

const promiseFields = {
  side: choice(ORDER_SIDES),
  input: LegBody,
  output: LegBody,
  minOutput: LegBody,
  price: Type.String({ description: 'US dollars per token as quoted, price impact and pool fees in it.' }),
  worstPrice: Type.String({ description: 'The worst that the chain would let pass.' }),
  slippageBps: Type.Integer(),
  priceImpactPct: Type.Unsafe<string | null>({ ...NullableDecimalText, description: 'In percent, below zero if the price gets worse.' }),
  route: Type.Array(Type.Object({ venue: Type.String(), inputMint: Type.String(), outputMint: Type.String(), percent: Type.Number() })),
  market: Type.Object(
    { source: Type.String(), bid: NullableDecimalText, ask: NullableDecimalText, observedAt: Time },
    { description: 'The live quote of the token beside it.' },
  ),
};

const SwapQuoteBody = Type.Object(
  { instrument: Type.String(), quality: choice(['live']), ...promiseFields, quotedAt: Time },
  { $id: 'SwapQuote' },
);

const SwapOrderBody = Type.Object(
  {
    id: IdText,
    state: choice(PREPARED_TRANSACTION_STATES, 'State of the order. Only `finalized` has moved anything for good.'),
    reason: nullable('string', 'Reason of the state; null if the state needs none.'),
    detail: nullable('string', 'The same as a sentence.'),
    instrument: Type.String(),
    wallet: Type.String(),
    ...promiseFields,
    transaction: Type.String({ description: 'The whole unsigned transaction, base64: sign exactly these bytes with signTransaction.' }),
    message: Type.Object({
      digest: { ...HashText, description: 'SHA-256 of the message that is to be signed.' },
      requiredSigners: Type.Array(Type.String()),
      blockhash: Type.String(),
      lastValidBlockHeight: Type.Integer({ description: 'Above this height of the chain it cannot land any more.' }),
    }),
    bookId: Type.String(),
    notionalUsd: Type.String({ description: 'Amount that it reserves from the mandate until it has ended.' }),
    decisionPrice: Type.String({ description: 'The executable price when it was prepared.' }),
    risk: AttributionBody,
    signature: nullable('string', 'Its name on the chain, once signed bytes were given.'),
    slot: nullable('integer', 'The slot of the chain that it landed in.'),
    feeLamports: nullable('string', 'Network fee in lamports; null until it is finalized.'),
    fills: Type.Array(FillBody, { description: 'One once it is finalized, read from the chain’s balances.' }),
    proposalId: nullable('string', 'The trade proposal that asked for it, which books its fill; null of a person’s own order.'),
    preparedBy: Type.String(),
    submittedBy: nullable('string'),
    createdAt: Time,
    changedAt: Time,
  },
  { $id: 'SwapOrder' },
);

/** Significant digits of shown prices. */
const PRICE_DIGITS = 15;

function promiseBody(promise: Omit<SwapPromise, 'wallet'>) {
  const { side, input, output, inAmount, outAmount, minOutAmount } = promise;
  const leg = (of: SwapPromise['input'], amount: string) => ({ mint: of.mint, amount, uiAmount: plainDecimal(toUi(amount, of)) });
  const price = (out: string, rounding: 0 | 1): string =>
    plainDecimal(computePrice(promise, inAmount, out).toSignificantDigits(PRICE_DIGITS, rounding));
  // Rounded against the trader.
  const worse = side === 'buy' ? (Decimal.ROUND_UP as 0) : (Decimal.ROUND_DOWN as 1);
  return {
    side,
    input: leg(input, inAmount),
    output: leg(output, outAmount),
    minOutput: leg(output, minOutAmount),
    price: price(outAmount, worse),
    worstPrice: price(minOutAmount, worse),
  };
}

const marketBody = ({ source, bid, ask, observedAt }: SwapQuote['market']) => ({ source, bid, ask, observedAt: isoTime(observedAt) });

function swapQuoteBody({ instrument, promise, slippageBps, priceImpactPct, steps, market, quotedAt }: SwapQuote) {
  return {
    instrument,
    quality: 'live' as const,
    ...promiseBody(promise),
    slippageBps,
    priceImpactPct,
    route: steps,
    market: marketBody(market),
    quotedAt: isoTime(quotedAt),
  };
}

function swapOrderBody(view: PreparedTransactionView) {
  const { instrument, promise, order, slippageBps, decisionPrice, market, priceImpactPct, steps, risk, proposal } = swapSubject(view);
  const { digest, requiredSigners, blockhash, lastValidBlockHeight } = view.message;
  return {
    id: view.id,
    state: view.state,
    reason: view.reason,
    detail: view.detail,
    instrument,
    wallet: view.wallet,
    ...promiseBody(promise),
    slippageBps,
    priceImpactPct,
    route: steps,
    market: marketBody(market),
    transaction: view.unsigned,
    message: { digest, requiredSigners, blockhash, lastValidBlockHeight },
    bookId: order.bookId,
    notionalUsd: order.notionalUsd,
    decisionPrice,
    risk,
    signature: view.signature,
    slot: view.slot,
    feeLamports: view.feeLamports,
    fills: view.fills.map(fillBody),
    proposalId: proposal?.id ?? null,
    preparedBy: view.preparedBy,
    submittedBy: view.submittedBy,
    createdAt: isoTime(view.createdAt),
    changedAt: isoTime(view.changedAt),
  };
}

const SwapOrderPath = objectSchema({ id: IdText });

const quoteSwap = defineRoute({
  method: 'GET',
  url: '/v1/spotchain/quote',
  name: 'quoteSwap',
  tag: 'spotchain',
  summary: 'Aggregator-routed quote of a swap',
  description:
    'Asks the aggregator for a route of exactly this amount. Nothing is stored or reserved. Refused while the token has no live quote.',
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: SwapQuoteQuery },
  answers: { 200: { description: 'The quote.', schema: SwapQuoteBody } },
  refusals: ['feature_disabled', 'blocked_by_risk', 'route_refused'],
  handle: (ports) => async (request, reply) => {
    const outcome = await ports.swaps.commands.quote(requireMember(request).orgId, readSwapWish(ports, request.query));
    return outcome.ok ? swapQuoteBody(outcome.value) : sendRefusal(reply, outcome.refusal);
  },
});

const prepareSwap = defineRoute({
  method: 'POST',
  url: '/v1/spotchain/orders/prepare',
  name: 'prepareSwap',
  tag: 'spotchain',
  summary: 'Prepares a swap for the wallet to sign',
  description:
    'Runs the pre-trade risk function with the organization’s preferences as the mandate, fetches an executable route, checks and simulates its transaction, and stores the exact message with its digest before it answers. Until it has ended, the most that it may cost is reserved from the mandate. At most 20 are open per organization; an unsigned one ends by itself once its blockhash has expired.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: SwapOrderWish },
  idempotent: true,
  answers: { 201: { description: 'The prepared order.', schema: SwapOrderBody } },
  refusals: ['halted', 'feature_disabled', 'state_conflict', 'blocked_by_risk', 'route_refused', 'too_many_prepared'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { wallet, ...wish } = request.body;
      const asked = { ...readSwapWish(ports, wish), wallet: checkedAddress(wallet) };
      return carryOut(request, reply, {
        status: 201,
        answer: swapOrderBody,
        run: (context) => ports.swaps.commands.prepare(context, asked),
      });
    };
  },
});

const executeSwap = defineRoute({
  method: 'POST',
  url: '/v1/spotchain/orders/:id/execute',
  name: 'executeSwap',
  tag: 'spotchain',
  summary: 'Submits the signed transaction of a prepared swap',
  description:
    'The signed message must be the prepared one byte for byte; where a wallet changed it, the answer names the programs that it inserted, removed or altered, and nothing is sent. The bytes are recorded before they are broadcast, and once: the same bytes again answer the present state, other bytes are refused. GET /v1/spotchain/orders/:id tells the outcome; the fill is booked once the chain has finalized it.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: { params: SwapOrderPath, body: SignedTransaction },
  answers: { 202: { description: 'The order, submitted. Poll `GET /v1/spotchain/orders/{id}` for its outcome.', schema: SwapOrderBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_TRANSACTION);
      return carryOut(request, reply, {
        status: 202,
        answer: swapOrderBody,
        run: (context) => ports.swaps.commands.execute(context, id, request.body.signedTransaction),
      });
    };
  },
});

const listSwaps = defineRoute({
  method: 'GET',
  url: '/v1/spotchain/orders',
  name: 'listSwaps',
  tag: 'spotchain',
  summary: 'Swaps on the primary chain, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema({ ...pageFields }) },
  answers: { 200: { description: 'A page of orders.', schema: pageSchema(SwapOrderBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'spotchain-orders', POSITIONS.number);
    return pageBody(await ports.swaps.reads.list(requireMember(request).orgId, page), 'spotchain-orders', swapOrderBody);
  },
});

const getSwap = defineRoute({
  method: 'GET',
  url: '/v1/spotchain/orders/:id',
  name: 'getSwap',
  tag: 'spotchain',
  summary: 'One swap with its fill',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: SwapOrderPath },
  answers: { 200: { description: 'The order.', schema: SwapOrderBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const order = id === null ? null : await ports.swaps.reads.find(requireMember(request).orgId, id);
    return order === null ? sendProblem(reply, 'not_found', NO_TRANSACTION) : swapOrderBody(order);
  },
});

export const spotchainRoutes: RouteGroup = {
  tag: {
    name: 'spotchain',
    position: 160,
    description:
      'Swaps on the primary chain, signed by your own wallet. Quote, prepare, sign exactly the prepared bytes, execute, then poll until `finalized`. A prepared swap expires with its blockhash after about a minute. Changed bytes are refused with `signed_bytes_differ` and nothing is sent.',
  },
  routes: [quoteSwap, prepareSwap, executeSwap, listSwaps, getSwap],
};
