/** Manual orders on prediction markets, on paper or signed by a wallet. */
import { Type } from 'typebox';
import { NO_PREDICTION_ORDER, type PredictionOrderCommands } from '../../actors/prediction-order/commands.ts';
import type { LivePredictionOrders } from '../../actors/prediction-order/live-handler.ts';
import {
  MarketIdText,
  PredictionOrderStateWord,
  type PredictionOrderView,
  predictionOrder,
} from '../../actors/prediction-order/resource.ts';
import type { PreparedTransactionView } from '../../actors/prepared-transaction/resource.ts';
import type { PredictionOrderStore } from '../../src/adapters/store/orders/prediction-order-store.ts';
import { EXECUTION_MODES } from '../../src/domain/orders/order.ts';
import { OUTCOME_SIDES } from '../../src/domain/prediction/market.ts';
import type { PredictionWish } from '../../src/domain/prediction/prediction-order.ts';
import { PREPARED_TRANSACTION_STATES } from '../../src/domain/solana/lifecycle.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { sendProblem } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { choice, IdText, nullable, objectSchema, pageFields, pageSchema, Time, walletAddress } from '../shapes.ts';
import { orderTerms, readOrderTerms, WISHED_SIDE, type WishedTerms, wishedAmount, wishedSlippage } from './manual-order-body.ts';
import { checkedAddress, SignedTransaction, TAKES_SIGNED_TRANSACTION } from './signed-transaction.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly predictionOrders: {
      readonly reads: Pick<PredictionOrderStore, 'list' | 'find'>;
      readonly commands: PredictionOrderCommands;
      readonly live: LivePredictionOrders;
    };
  }
}

/** Order request of a person. */
const WISH_FIELDS = {
  marketId: MarketIdText,
  outcome: choice(OUTCOME_SIDES, 'Traded outcome.'),
  side: WISHED_SIDE,
  quantity: wishedAmount(
    'Contracts, a multiple of 0.01; each pays one US dollar where its outcome comes true. Either this or `notionalUsd`.',
  ),
  notionalUsd: wishedAmount('The most that the order may come to at its worst price, fees aside. Either this or `quantity`.'),
  limitPrice: wishedAmount(
    "The worst acceptable price, on the market's grid; without it the slippage budget on the present price decides.",
  ),
  maxSlippageBps: wishedSlippage(200),
};

interface WishBody extends WishedTerms {
  readonly marketId: string;
  readonly outcome: 'yes' | 'no';
  readonly side: 'buy' | 'sell';
}

/** Converts a body into a request. @throws InputError unless exactly one size is given and not zero. */
function readPredictionWish(body: WishBody): PredictionWish {
  const { marketId, outcome, side } = body;
  return { marketId, outcome, side, ...readOrderTerms(body) };
}

const PredictionOrderBody = Type.Object(predictionOrder.wire, { $id: 'PredictionOrder' });

function predictionOrderBody(view: PredictionOrderView) {
  return predictionOrder.body(view, orderTerms(view));
}

const PredictionOrderPath = objectSchema({ id: IdText });

const OrderTransactionBody = Type.Object(
  {
    id: IdText,
    state: choice(PREPARED_TRANSACTION_STATES, 'Final opens the order; it does not fill it.'),
    reason: nullable('string', 'Reason of its end; null if the state needs none.'),
    detail: nullable('string', 'The same as a sentence.'),
    wallet: Type.String({ description: 'Wallet that signs and pays.' }),
    unsigned: Type.String({
      description: 'The whole transaction in base64, as the wallet is to sign it: exactly these bytes, and without sending them.',
    }),
    digest: Type.String({ description: 'SHA-256 of its message, in hexadecimal.' }),
    requiredSigners: Type.Array(Type.String()),
    blockhash: Type.String(),
    lastValidBlockHeight: Type.Integer({ description: 'Above this block height it cannot land any more.' }),
    signature: nullable('string', 'Its name on the chain, once it is signed.'),
    slot: nullable('number', 'The slot of the chain that it landed in.'),
    feeLamports: nullable('string', 'Network fee, once it is final.'),
    createdAt: Time,
    changedAt: Time,
  },
  { $id: 'PredictionOrderTransaction' },
);

function orderTransactionBody(view: PreparedTransactionView) {
  const { digest, requiredSigners, blockhash, lastValidBlockHeight } = view.message;
  return {
    id: view.id,
    state: view.state,
    reason: view.reason,
    detail: view.detail,
    wallet: view.wallet,
    unsigned: view.unsigned,
    digest,
    requiredSigners: [...requiredSigners],
    blockhash,
    lastValidBlockHeight,
    signature: view.signature,
    slot: view.slot,
    feeLamports: view.feeLamports,
    createdAt: isoTime(view.createdAt),
    changedAt: isoTime(view.changedAt),
  };
}

const placePaperPredictionOrder = defineRoute({
  method: 'POST',
  url: '/v1/prediction-orders/paper',
  name: 'placePaperPredictionOrder',
  tag: 'prediction-orders',
  summary: 'Paper prediction order',
  description:
    "Goes through the same pre-trade risk function as every order, in the organization's manual book, with its risk preferences as the mandate. Both outcomes of a market, and markets of an event that exclude each other, are one exposure. It is filled at once through the depth of the provider's live book, at the provider's own fee; each fill names its quotes, and an unfilled part has a reason.",
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: objectSchema(WISH_FIELDS) },
  idempotent: true,
  answers: { 201: { description: 'The order as it ended.', schema: PredictionOrderBody } },
  refusals: ['not_found', 'state_conflict', 'halted', 'blocked_by_risk'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const wish = readPredictionWish(request.body);
      return carryOut(request, reply, {
        status: 201,
        answer: predictionOrderBody,
        run: (context) => ports.predictionOrders.commands.paper(context, wish),
      });
    };
  },
});

const preparePredictionOrder = defineRoute({
  method: 'POST',
  url: '/v1/prediction-orders/prepare',
  name: 'preparePredictionOrder',
  tag: 'prediction-orders',
  summary: 'Prepares a live onchain prediction order',
  description:
    'Asks the on-chain venue for a transaction that pays the deposit of exactly this order, assesses that order by the same pre-trade risk function as every other, checks what the transaction would do to the wallet, and stores both. Its contracts and its worst price are what the venue offers, never worse than what was asked for. It reserves capacity until it has expired, about a minute from now.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectSchema({
      ...WISH_FIELDS,
      wallet: walletAddress('The address that signs and pays, in base58.'),
    }),
  },
  idempotent: true,
  answers: {
    201: {
      description: 'The order and its transaction.',
      schema: Type.Object({ order: PredictionOrderBody, transaction: OrderTransactionBody }, { $id: 'PreparedPredictionOrder' }),
      shownAt: '/v1/prediction-orders/{order.id}',
    },
  },
  refusals: ['not_found', 'state_conflict', 'halted', 'feature_disabled', 'blocked_by_risk', 'route_refused', 'too_many_prepared'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { wallet, ...body } = request.body;
      const wish = readPredictionWish(body);
      const signer = checkedAddress(wallet);
      return carryOut(request, reply, {
        status: 201,
        answer: ({ order, transaction }) => ({ order: predictionOrderBody(order), transaction: orderTransactionBody(transaction) }),
        run: (context) => ports.predictionOrders.live.prepare(context, wish, signer),
      });
    };
  },
});

const executePredictionOrder = defineRoute({
  method: 'POST',
  url: '/v1/prediction-orders/:id/execute',
  name: 'executePredictionOrder',
  tag: 'prediction-orders',
  summary: 'Executes the prepared prediction order',
  description:
    'The signed bytes must carry the prepared message, byte for byte, and every signature that it needs. They are sent once risk has passed the order again on the present market. An executed order is not filled yet: GET /v1/prediction-orders/:id tells when it is open and what the venue has filled.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: { params: PredictionOrderPath, body: SignedTransaction },
  answers: { 202: { description: 'The transaction, submitted.', schema: OrderTransactionBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_PREDICTION_ORDER);
      return carryOut(request, reply, {
        status: 202,
        answer: orderTransactionBody,
        run: (context) => ports.predictionOrders.live.execute(context, id, request.body.signedTransaction),
      });
    };
  },
});

const listPredictionOrders = defineRoute({
  method: 'GET',
  url: '/v1/prediction-orders',
  name: 'listPredictionOrders',
  tag: 'prediction-orders',
  summary: 'Orders on prediction markets, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      ...pageFields,
      mode: Type.Optional(choice(EXECUTION_MODES)),
      state: Type.Optional(PredictionOrderStateWord),
      marketId: Type.Optional(MarketIdText),
    }),
  },
  answers: { 200: { description: 'A page of orders.', schema: pageSchema(PredictionOrderBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { mode, state, marketId } = request.query;
    const page = pageOfQuery(request.query, 'prediction-orders', POSITIONS.number);
    const filter = {
      ...(mode === undefined ? {} : { mode }),
      ...(state === undefined ? {} : { state }),
      ...(marketId === undefined ? {} : { marketId }),
    };
    return pageBody(
      await ports.predictionOrders.reads.list(requireMember(request).orgId, filter, page),
      'prediction-orders',
      predictionOrderBody,
    );
  },
});

const getPredictionOrder = defineRoute({
  method: 'GET',
  url: '/v1/prediction-orders/:id',
  name: 'getPredictionOrder',
  tag: 'prediction-orders',
  summary: 'One prediction order with its fills',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: PredictionOrderPath },
  answers: { 200: { description: 'The order.', schema: PredictionOrderBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const order = id === null ? null : await ports.predictionOrders.reads.find(requireMember(request).orgId, id);
    return order === null ? sendProblem(reply, 'not_found', NO_PREDICTION_ORDER) : predictionOrderBody(order);
  },
});

export const predictionOrderRoutes: RouteGroup = {
  tag: {
    name: 'prediction-orders',
    position: 150,
    description:
      'Manual orders on prediction markets. On paper the order fills at once. On chain: prepare, sign the transaction in your wallet, execute, then poll. An executed order is open, not filled. A changed transaction is refused with `signed_bytes_differ`.',
  },
  routes: [placePaperPredictionOrder, preparePredictionOrder, executePredictionOrder, listPredictionOrders, getPredictionOrder],
};
