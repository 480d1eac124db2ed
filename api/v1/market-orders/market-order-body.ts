/** A person's order on the spot exchange on the wire. */
import { Type } from 'typebox';
import type { MarketOrderRequest, MarketOrderView } from '../../../actors/market-order/commands.ts';
import { MARKET_ORDER_STATES } from '../../../src/domain/execution.ts';
import { instrumentKey } from '../../../src/domain/venue.ts';
import type { ApiPorts } from '../../ports.ts';
import { choice, IdText, nullable, objectOf } from '../../shapes.ts';
import { malformed } from '../../strict-json.ts';
import { knownInstrument, NO_INSTRUMENT } from '../instrument.ts';
import {
  MANUAL_ORDER_FIELDS,
  manualOrderFields,
  termsOf,
  WISHED_SIDE,
  type WishedTerms,
  wishedAmount,
  wishedSlippage,
} from '../manual-order-body.ts';

/** What a person asks for. */
export const MarketOrderWish = objectOf({
  instrument: Type.String({ minLength: 1, maxLength: 40, description: "The exchange's symbol, e.g. `BTCUSDT`." }),
  side: WISHED_SIDE,
  quantity: wishedAmount('In base units, a whole number of lots. Either this or `notionalUsd`.'),
  notionalUsd: wishedAmount('The largest notional of the order at its worst price. Either this or `quantity`.'),
  limitPrice: wishedAmount('The worst acceptable price; without it the slippage budget on the present price decides.'),
  maxSlippageBps: wishedSlippage(50),
});

interface Wish extends WishedTerms {
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
}

/** The wish as a request. @throws InputError where not exactly one size is given, or one is zero, or the instrument is none of the exchange's. */
export function requestOf(ports: Pick<ApiPorts, 'catalog'>, wish: Wish): MarketOrderRequest {
  const { instrument, side } = wish;
  if (!knownInstrument(ports.catalog.entries, 'spotexchange', instrument)) throw malformed('$.instrument', NO_INSTRUMENT, 'e.g. BTCUSDT');
  return { instrument: instrumentKey('spotexchange', instrument), side, ...termsOf(wish) };
}

export const MarketOrderBody = Type.Object(
  {
    id: IdText,
    state: choice(MARKET_ORDER_STATES, 'Where the order stands.'),
    reason: nullable('string', 'Reason why it was not filled; null where the state needs none.'),
    detail: nullable('string', 'The same as a sentence.'),
    ...MANUAL_ORDER_FIELDS,
  },
  { $id: 'MarketOrder' },
);

export function marketOrderBody(view: MarketOrderView) {
  return { id: view.id, state: view.state, reason: view.reason, detail: view.detail, ...manualOrderFields(view) };
}

/** The one sentence for missing and foreign orders alike. */
export const NO_MARKET_ORDER = 'there is no market order with this id';

export const MarketOrderPath = objectOf({ id: IdText });
