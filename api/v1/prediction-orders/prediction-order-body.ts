/** An order on a prediction market on the wire (spec section 4.4). */
import { Type } from 'typebox';
import type { PredictionOrderView } from '../../../actors/prediction-order/commands.ts';
import { PREDICTION_ORDER_STATES } from '../../../actors/prediction-order/protocol.ts';
import { EXECUTION_MODES, ORDER_SIDES } from '../../../src/domain/order.ts';
import { OUTCOME_SIDES } from '../../../src/domain/prediction-market.ts';
import type { PredictionWish } from '../../../src/domain/prediction-order.ts';
import { isoTime } from '../../../src/domain/time.ts';
import { isUuid } from '../../identifier.ts';
import { AttributionBody } from '../../risk-shapes.ts';
import { choice, DecimalText, IdText, NullableDecimalText, nullable, objectOf, Time } from '../../shapes.ts';
import { malformed } from '../../strict-json.ts';
import { FillBody, fillBody } from '../agent-orders/proposal-body.ts';

const AMOUNT = '^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,12})?$';
const amount = (description: string) => Type.Optional(Type.String({ pattern: AMOUNT, maxLength: 32, description }));

export const PredictionOrderStateWord = choice(
  PREDICTION_ORDER_STATES,
  'An executed transaction opens an order; it is filled later, or not. `cancelled`: closed before it was whole, and the rest of its deposit came back.',
);
export const MarketIdText = Type.String({ pattern: '^pm-[0-9a-f]{24}$', description: 'The id of GET /v1/prediction-markets.' });

/** What a person asks for. */
export const WISH_FIELDS = {
  marketId: MarketIdText,
  outcome: choice(OUTCOME_SIDES, 'Which of the two outcomes is traded.'),
  side: choice(ORDER_SIDES, 'Long only: a sell reduces what the manual book holds.'),
  quantity: amount('Contracts, a multiple of 0.01; each pays one US dollar where its outcome comes true. Either this or `notionalUsd`.'),
  notionalUsd: amount('The most that the order may come to at its worst price, fees aside. Either this or `quantity`.'),
  limitPrice: amount("The worst acceptable price, on the market's grid; without it the slippage budget on the present price decides."),
  maxSlippageBps: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1_000, description: "Default: 200, or the organization's own limit where that is less." }),
  ),
};

interface WishBody {
  readonly marketId: string;
  readonly outcome: 'yes' | 'no';
  readonly side: 'buy' | 'sell';
  readonly quantity?: string;
  readonly notionalUsd?: string;
  readonly limitPrice?: string;
  readonly maxSlippageBps?: number;
}

/** The wish as a request. @throws InputError where not exactly one size is given, or one is zero. */
export function wishOf(body: WishBody): PredictionWish {
  const { marketId, outcome, side, quantity, notionalUsd, limitPrice } = body;
  if ((quantity === undefined) === (notionalUsd === undefined))
    throw malformed('$.quantity', 'exactly one of quantity and notionalUsd says how much', 'one of the two');
  for (const [name, value] of Object.entries({ quantity, notionalUsd, limitPrice }))
    if (value !== undefined && /^[0.]+$/.test(value)) throw malformed(`$.${name}`, 'it is zero', 'a number above zero');
  return {
    marketId,
    outcome,
    side,
    quantity: quantity ?? null,
    notionalUsd: notionalUsd ?? null,
    limitPrice: limitPrice ?? null,
    maxSlippageBps: body.maxSlippageBps ?? null,
  };
}

export const PredictionOrderBody = Type.Object(
  {
    id: IdText,
    state: PredictionOrderStateWord,
    reason: nullable('string', 'Why it was not filled, or not wholly; null where the state says it all.'),
    detail: nullable('string', 'The same as a sentence.'),
    mode: choice(EXECUTION_MODES),
    bookId: Type.String({ description: 'The manual book of the organization, one per mode.' }),
    marketId: MarketIdText,
    outcome: choice(OUTCOME_SIDES),
    instrument: Type.String(),
    side: choice(ORDER_SIDES),
    quantity: DecimalText,
    limitPrice: Type.String({ description: 'The worst price that is acceptable.' }),
    notionalUsd: DecimalText,
    maxSlippageBps: Type.Number(),
    decisionPrice: Type.String({ description: 'The executable price when it was placed.' }),
    risk: AttributionBody,
    placedBy: Type.String(),
    filledQuantity: DecimalText,
    filledNotionalUsd: DecimalText,
    feesUsd: DecimalText,
    fills: Type.Array(FillBody),
    onchain: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description: 'What a live order is on the chain and at its venue; null on paper.',
      properties: {
        wallet: { type: 'string', description: 'Who pays, and owns the position.' },
        transactionId: { type: 'string', description: 'The prepared transaction that opens it.' },
        venueMarketId: { type: 'string' },
        orderAccount: { type: 'string' },
        positionAccount: { type: 'string' },
        depositUsd: { type: 'string', description: 'What the transaction pays into escrow.' },
      },
    }),
    refundUsd: { ...NullableDecimalText, description: 'What came back of the deposit; null until the venue has closed the order.' },
    createdAt: Time,
    changedAt: Time,
  },
  { $id: 'PredictionOrder' },
);

export function predictionOrderBody(view: PredictionOrderView) {
  const { order } = view;
  return {
    id: view.id,
    state: view.state,
    reason: view.reason,
    detail: view.detail,
    mode: order.mode,
    bookId: order.bookId,
    marketId: view.marketId,
    outcome: view.outcome,
    instrument: order.instrument,
    side: order.side,
    quantity: order.quantity,
    limitPrice: order.limitPrice,
    notionalUsd: order.notionalUsd,
    maxSlippageBps: order.maxSlippageBps,
    decisionPrice: view.decisionPrice,
    risk: view.risk,
    placedBy: view.placedBy,
    filledQuantity: view.filledQuantity,
    filledNotionalUsd: view.filledNotionalUsd,
    feesUsd: view.feesUsd,
    fills: view.fills.map(fillBody),
    onchain: view.onchain,
    refundUsd: view.refundUsd,
    createdAt: isoTime(view.createdAt),
    changedAt: isoTime(view.changedAt),
  };
}

/** The one sentence for missing and foreign orders alike. */
export const NO_PREDICTION_ORDER = 'there is no prediction order with this id';

export const PredictionOrderPath = objectOf({ id: IdText });

/** What is no UUID is the id of no order. */
export function predictionOrderIdOf(params: { readonly id: string }): string | null {
  return isUuid(params.id) ? params.id.toLowerCase() : null;
}
