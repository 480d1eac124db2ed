/** An order on a prediction market on the wire. */
import { Type } from 'typebox';
import type { PredictionOrderView } from '../../../actors/prediction-order/commands.ts';
import { OUTCOME_SIDES } from '../../../src/domain/prediction/market.ts';
import { PREDICTION_ORDER_STATES, type PredictionWish } from '../../../src/domain/prediction/order.ts';
import { choice, DecimalText, IdText, NullableDecimalText, nullable, objectOf } from '../../shapes.ts';
import {
  MANUAL_ORDER_FIELDS,
  manualOrderFields,
  termsOf,
  WISHED_SIDE,
  type WishedTerms,
  wishedAmount,
  wishedSlippage,
} from '../manual-order-body.ts';

export const PredictionOrderStateWord = choice(
  PREDICTION_ORDER_STATES,
  'An executed transaction opens an order; it is filled later, or not. `cancelled`: closed before it was whole, and the rest of its deposit came back.',
);
export const MarketIdText = Type.String({ pattern: '^pm-[0-9a-f]{24}$', description: 'The id of GET /v1/prediction-markets.' });

/** Order request of a person. */
export const WISH_FIELDS = {
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

/** The wish as a request. @throws InputError if not exactly one size is given, or one is zero. */
export function wishOf(body: WishBody): PredictionWish {
  const { marketId, outcome, side } = body;
  return { marketId, outcome, side, ...termsOf(body) };
}

export const PredictionOrderBody = Type.Object(
  {
    id: IdText,
    state: PredictionOrderStateWord,
    reason: nullable('string', 'Reason why it was not filled, or not wholly; null if the state needs none.'),
    detail: nullable('string', 'The same as a sentence.'),
    ...MANUAL_ORDER_FIELDS,
    marketId: MarketIdText,
    outcome: choice(OUTCOME_SIDES),
    feesUsd: DecimalText,
    onchain: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description: 'The live order on the chain and at its venue. Null on paper.',
      properties: {
        wallet: { type: 'string', description: 'Wallet that pays and owns the position.' },
        transactionId: { type: 'string', description: 'The prepared transaction that opens it.' },
        venueMarketId: { type: 'string' },
        orderAccount: { type: 'string' },
        positionAccount: { type: 'string' },
        depositUsd: { type: 'string', description: 'Amount that the transaction pays into escrow.' },
      },
    }),
    refundUsd: { ...NullableDecimalText, description: 'Refund of the deposit. Null until the venue has closed the order.' },
  },
  { $id: 'PredictionOrder' },
);

export function predictionOrderBody(view: PredictionOrderView) {
  return {
    id: view.id,
    state: view.state,
    reason: view.reason,
    detail: view.detail,
    ...manualOrderFields(view),
    marketId: view.marketId,
    outcome: view.outcome,
    feesUsd: view.feesUsd,
    onchain: view.onchain,
    refundUsd: view.refundUsd,
  };
}

export const PredictionOrderPath = objectOf({ id: IdText });
