/** Fields of a manual order on the spot exchange. */
import { Type } from 'typebox';
import { held, resource, type ViewOf } from '../../src/core/resource.ts';
import { choice, IdText, NullableDecimalText, nullable } from '../../src/core/shapes.ts';
import { MARKET_ORDER_STATES, TIMES_IN_FORCE } from '../../src/domain/orders/execution.ts';
import { MANUAL_ORDER_FIELDS, type ManualOrderView } from '../manual-order/manual-order.ts';

export const marketOrder = resource('market_orders', {
  id: { wire: IdText, column: 'uuid' },
  state: { wire: choice(MARKET_ORDER_STATES, 'State of the order.'), column: 'text', changes: true },
  reason: { wire: nullable('string', 'Reason why it was not filled; null if the state needs none.'), column: 'text', changes: true },
  detail: { wire: nullable('string', 'The same as a sentence.'), column: 'text', changes: true },
  timeInForce: { wire: choice(TIMES_IN_FORCE), column: 'text' },
  postOnly: { wire: Type.Boolean(), column: 'boolean' },
  restingAt: {
    wire: Type.Unsafe<string | null>({ ...NullableDecimalText, description: 'The price that it rests at; null if it does not rest.' }),
    column: 'numeric',
    changes: true,
  },
  ...MANUAL_ORDER_FIELDS,
  risk: { ...MANUAL_ORDER_FIELDS.risk, changes: true },
  /** Amount in US dollars that the order may still spend. Null for orders from before it was stored. */
  boundUsd: { holds: held<string | null>(), column: 'numeric', changes: true },
});

export type MarketOrder = ViewOf<typeof marketOrder>;
export type MarketOrderView = MarketOrder & Pick<ManualOrderView, 'fills'>;
