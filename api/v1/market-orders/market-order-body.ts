/** A manual order on the spot exchange on the wire. */
import { Type } from 'typebox';
import type { MarketOrderRequest } from '../../../actors/market-order/commands.ts';
import { type MarketOrderView, marketOrder } from '../../../actors/market-order/resource.ts';
import { TIMES_IN_FORCE, type TimeInForce } from '../../../src/domain/orders/execution.ts';
import { instrumentKey } from '../../../src/domain/market/venue.ts';
import type { ApiPorts } from '../../route.ts';
import { choice, IdText, objectOf } from '../../shapes.ts';
import { malformed } from '../../http/strict-json.ts';
import { knownInstrument, NO_INSTRUMENT } from '../instrument.ts';
import { orderTerms, termsOf, WISHED_SIDE, type WishedTerms, wishedAmount, wishedSlippage } from '../manual-order-body.ts';

/** Order request of a person. */
export const MarketOrderWish = objectOf({
  instrument: Type.String({ minLength: 1, maxLength: 40, description: "The exchange's symbol, e.g. `BTCUSDT`." }),
  side: WISHED_SIDE,
  quantity: wishedAmount('In base units, a whole number of lots. Either this or `notionalUsd`.'),
  notionalUsd: wishedAmount('The largest notional of the order at its worst price. Either this or `quantity`.'),
  limitPrice: wishedAmount('Limit price. Default: the present price plus the slippage budget.'),
  maxSlippageBps: wishedSlippage(50),
  timeInForce: Type.Optional(
    choice(
      TIMES_IN_FORCE,
      '`ioc`, the default, takes what the market holds at once; `gtc` rests at `limitPrice` until it is filled or cancelled.',
    ),
  ),
  postOnly: Type.Optional(Type.Boolean({ description: 'Requires `gtc`. The order never takes liquidity; it fails if it would.' })),
});

interface Wish extends WishedTerms {
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly timeInForce?: TimeInForce;
  readonly postOnly?: boolean;
}

/**
 * Converts a body into a request. @throws InputError unless exactly one size is given and not zero, the instrument is one of the
 * exchange's, a resting order has a limit, and only a resting order is post-only.
 */
export function requestOf(ports: Pick<ApiPorts, 'catalog'>, wish: Wish): MarketOrderRequest {
  const { instrument, side, timeInForce = 'ioc', postOnly = false } = wish;
  if (!knownInstrument(ports.catalog.entries, 'spotexchange', instrument)) throw malformed('$.instrument', NO_INSTRUMENT, 'e.g. BTCUSDT');
  if (postOnly && timeInForce !== 'gtc') throw malformed('$.postOnly', 'a post-only order must rest', '"timeInForce": "gtc" beside it');
  if (timeInForce === 'gtc' && wish.limitPrice === undefined)
    throw malformed('$.limitPrice', 'missing; a resting order needs it', 'the price that it rests at');
  return { instrument: instrumentKey('spotexchange', instrument), side, ...termsOf(wish), timeInForce, postOnly };
}

export const MarketOrderBody = Type.Object(marketOrder.wire, { $id: 'MarketOrder' });

export function marketOrderBody(view: MarketOrderView) {
  return marketOrder.body(view, orderTerms(view));
}

export const MarketOrderPath = objectOf({ id: IdText });
