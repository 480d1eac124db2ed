/** An order on a prediction market on the wire. */
import { Type } from 'typebox';
import { MarketIdText, type PredictionOrderView, predictionOrder } from '../../../actors/prediction-order/resource.ts';
import { OUTCOME_SIDES } from '../../../src/domain/prediction/market.ts';
import type { PredictionWish } from '../../../src/domain/prediction/order.ts';
import { choice, IdText, objectOf } from '../../shapes.ts';
import { orderTerms, termsOf, WISHED_SIDE, type WishedTerms, wishedAmount, wishedSlippage } from '../manual-order-body.ts';

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

/** Converts a body into a request. @throws InputError unless exactly one size is given and not zero. */
export function wishOf(body: WishBody): PredictionWish {
  const { marketId, outcome, side } = body;
  return { marketId, outcome, side, ...termsOf(body) };
}

export const PredictionOrderBody = Type.Object(predictionOrder.wire, { $id: 'PredictionOrder' });

export function predictionOrderBody(view: PredictionOrderView) {
  return predictionOrder.body(view, orderTerms(view));
}

export const PredictionOrderPath = objectOf({ id: IdText });
