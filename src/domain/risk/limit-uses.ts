/** Limits on an order's size, with their usage before and after the order. */
import { CATALOG, type Catalog } from '../catalog/catalog.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { Order } from '../orders/order.ts';
import { computeLimitCapacities, usedAfter } from './capacity.ts';
import type { RiskCode } from './codes.ts';
import type { RiskContext } from './context.ts';
import { usdText } from '../values/exact.ts';
import { readExactNotional, readOrderFigures } from './kernel.ts';

/** A limit in US dollars. For the balance, the remainder. */
export interface LimitUse {
  readonly code: RiskCode;
  /** Null if the limit is unknown, such as that of a pool of unknown depth. */
  readonly limitUsd: DecimalString | null;
  readonly beforeUsd: DecimalString;
  readonly afterUsd: DecimalString;
  readonly keeps: boolean;
}

/** Returns the limits of a buy, as `assessOrder` computes them. Empty for a sell, which may always reduce. */
export function limitUses(order: Order, context: RiskContext, catalog: Catalog = CATALOG): readonly LimitUse[] {
  if (order.side === 'sell') return [];
  const notional = readExactNotional(readOrderFigures(order));
  return computeLimitCapacities(context, order.instrument, order.id, catalog).map((capacity) => ({
    code: capacity.code,
    limitUsd: capacity.limit === null ? null : usdText(capacity.limit),
    beforeUsd: usdText(usedAfter(capacity, 0n)),
    afterUsd: usdText(usedAfter(capacity, notional)),
    keeps: notional <= capacity.free,
  }));
}
