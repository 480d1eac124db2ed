/** POST /v1/prediction-orders/prepare: builds a live order's transaction for a wallet to sign. */
import { Type } from 'typebox';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, walletAddress } from '../../shapes.ts';
import { checkedAddress } from '../wallet-address.ts';
import { OrderTransactionBody, orderTransactionBody } from './order-transaction-body.ts';
import { PredictionOrderBody, predictionOrderBody, WISH_FIELDS, wishOf } from './prediction-order-body.ts';

export const preparePredictionOrder = defineRoute({
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
    body: objectOf({
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
      const wish = wishOf(body);
      const signer = checkedAddress(wallet);
      return carryOut(request, reply, {
        status: 201,
        answer: ({ order, transaction }) => ({ order: predictionOrderBody(order), transaction: orderTransactionBody(transaction) }),
        run: (context) => ports.predictionOrders.live.prepare(context, wish, signer),
      });
    };
  },
});
