/** A person's order on the spot exchange on the wire (spec section 4.4). */
import { Type } from 'typebox';
import type { MarketOrderRequest, MarketOrderView } from '../../../actors/market-order/commands.ts';
import { MARKET_ORDER_STATES } from '../../../actors/market-order/protocol.ts';
import { EXECUTION_MODES, ORDER_SIDES } from '../../../src/domain/order.ts';
import { isoTime } from '../../../src/domain/time.ts';
import { instrumentKey } from '../../../src/domain/venue.ts';
import type { ApiDoors } from '../../doors.ts';
import { isUuid } from '../../identifier.ts';
import { AttributionBody } from '../../risk-shapes.ts';
import { choice, DecimalText, IdText, nullable, objectOf, Time } from '../../shapes.ts';
import { malformed } from '../../strict-json.ts';
import { FillBody, fillBody } from '../agent-orders/proposal-body.ts';
import { knownInstrument, NO_INSTRUMENT } from '../instrument.ts';

const AMOUNT = '^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,12})?$';
const amount = (description: string) => Type.Optional(Type.String({ pattern: AMOUNT, maxLength: 32, description }));

/** What a person asks for. */
export const MarketOrderWish = objectOf({
  instrument: Type.String({ minLength: 1, maxLength: 40, description: "The exchange's symbol, e.g. `BTCUSDT`." }),
  side: choice(ORDER_SIDES, 'Long only: a sell reduces what the manual book holds.'),
  quantity: amount('In base units, a whole number of lots. Either this or `notionalUsd`.'),
  notionalUsd: amount('The most that the order may come to at its worst price. Either this or `quantity`.'),
  limitPrice: amount('The worst acceptable price; without it the slippage budget on the present price decides.'),
  maxSlippageBps: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1_000, description: "Default: 50, or the organization's own limit where that is less." }),
  ),
});

interface Wish {
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly quantity?: string;
  readonly notionalUsd?: string;
  readonly limitPrice?: string;
  readonly maxSlippageBps?: number;
}

/** The wish as a request. @throws InputError where not exactly one size is given, or one is zero, or the instrument is none of the exchange's. */
export function requestOf(doors: Pick<ApiDoors, 'catalog'>, wish: Wish): MarketOrderRequest {
  const { instrument, side, quantity, notionalUsd, limitPrice } = wish;
  if (!knownInstrument(doors.catalog, 'spotexchange', instrument)) throw malformed('$.instrument', NO_INSTRUMENT, 'e.g. BTCUSDT');
  if ((quantity === undefined) === (notionalUsd === undefined))
    throw malformed('$.quantity', 'exactly one of quantity and notionalUsd says how much', 'one of the two');
  for (const [name, value] of Object.entries({ quantity, notionalUsd, limitPrice }))
    if (value !== undefined && /^[0.]+$/.test(value)) throw malformed(`$.${name}`, 'it is zero', 'a number above zero');
  return {
    instrument: instrumentKey('spotexchange', instrument),
    side,
    quantity: quantity ?? null,
    notionalUsd: notionalUsd ?? null,
    limitPrice: limitPrice ?? null,
    maxSlippageBps: wish.maxSlippageBps ?? null,
  };
}

export const MarketOrderBody = Type.Object(
  {
    id: IdText,
    state: choice(MARKET_ORDER_STATES, 'Where the order stands.'),
    reason: nullable('string', 'Why it was not filled; null where the state says it all.'),
    detail: nullable('string', 'The same as a sentence.'),
    mode: choice(EXECUTION_MODES),
    bookId: Type.String({ description: 'The manual book of the organization, one per mode.' }),
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
    fills: Type.Array(FillBody),
    createdAt: Time,
    changedAt: Time,
  },
  { $id: 'MarketOrder' },
);

export function marketOrderBody(view: MarketOrderView) {
  const { order } = view;
  return {
    id: view.id,
    state: view.state,
    reason: view.reason,
    detail: view.detail,
    mode: order.mode,
    bookId: order.bookId,
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
    fills: view.fills.map(fillBody),
    createdAt: isoTime(view.createdAt),
    changedAt: isoTime(view.changedAt),
  };
}

/** The one sentence for missing and foreign orders alike. */
export const NO_MARKET_ORDER = 'there is no market order with this id';

export const MarketOrderPath = objectOf({ id: IdText });

/** What is no UUID is the id of no order. */
export function marketOrderIdOf(params: { readonly id: string }): string | null {
  return isUuid(params.id) ? params.id.toLowerCase() : null;
}
