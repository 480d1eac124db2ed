/** Fields shared by manual orders on every venue. */
import { Type } from 'typebox';
import { held } from '../../src/core/resource.ts';
import { AttributionBody, FillBody } from '../../src/core/order-shapes.ts';
import { choice, DecimalText, Time } from '../../src/core/shapes.ts';
import type { RiskAttribution } from '../../src/domain/agents/decision.ts';
import { EXECUTION_MODES, ORDER_SIDES, type Order } from '../../src/domain/orders/order.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

export const MANUAL_ORDER_FIELDS = {
  mode: { wire: choice(EXECUTION_MODES), column: 'text' },
  bookId: { wire: Type.String({ description: 'The manual book of the organization, one per mode.' }), column: 'text' },
  instrument: { wire: Type.Unsafe<InstrumentKey>(Type.String()), column: 'text' },
  /** The order that risk accepted. */
  order: { holds: held<Order>(), column: 'jsonb', name: 'order_body' },
  side: { wire: choice(ORDER_SIDES), computed: true },
  quantity: { wire: DecimalText, computed: true },
  limitPrice: { wire: Type.String({ description: 'Limit price.' }), computed: true },
  notionalUsd: { wire: DecimalText, computed: true },
  maxSlippageBps: { wire: Type.Number(), computed: true },
  decisionPrice: { wire: Type.String({ description: 'The executable price when it was placed.' }), column: 'numeric' },
  risk: { wire: Type.Unsafe<RiskAttribution>(AttributionBody), column: 'jsonb' },
  placedBy: { wire: Type.String(), column: 'text' },
  /** Control epoch of the organization when it was placed. A halt ends it. */
  epoch: { holds: held<number>(), column: 'bigint' },
  filledQuantity: { wire: DecimalText, column: 'numeric', changes: true },
  filledNotionalUsd: { wire: DecimalText, column: 'numeric', changes: true },
  fills: { wire: Type.Array(FillBody), computed: true },
  createdAt: { wire: Time, column: 'bigint', instant: true },
  changedAt: { wire: Time, column: 'bigint', changes: true, instant: true },
} as const;
