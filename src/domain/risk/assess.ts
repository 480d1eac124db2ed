/** The pre-trade risk function. Pure, and the same for paper and live, every venue and every origin. */
import { CATALOG } from '../catalog/catalog.ts';
import { type DecimalString, isPositive } from '../values/decimal.ts';
import type { RiskAttribution } from '../agents/decision.ts';
import { findMarketStep } from '../market/market-step.ts';
import { computeLimitPrice, type Order, type OrderSide } from '../orders/order.ts';
import type { ExecutableVenue, InstrumentKey } from '../market/venue.ts';
import { explainBreaches } from './attribution.ts';
import { computeLimitCapacities } from './capacity.ts';
import { RISK_BITS } from './codes.ts';
import type { RiskCatalog, RiskContext } from './context.ts';
import { ceilScaled, floorScaled, stepScale } from '../values/exact.ts';
import { bounded, findBreaches, readOrderFigures, type RiskFrame } from './kernel.ts';
import { buyBreaches, sellableLots, sizeIndependentBreaches } from './size-independent.ts';

/** Brand of an approved order. A copy loses a protected member, so that an order changed afterwards is not approved any more. */
declare class PassedByRisk {
  protected readonly passedRisk: true;
}

/** An order that the risk function approved. Only `assessOrder` makes one, and execution clients accept nothing else. */
export type RiskApproved<O extends Order = Order> = O & PassedByRisk;

export type RiskVerdict<O extends Order = Order> =
  | { readonly ok: true; readonly approved: RiskApproved<O>; readonly attribution: RiskAttribution }
  | { readonly ok: false; readonly attribution: RiskAttribution };

/**
 * Assesses an order. Returns every limit that it breaches, in the order of the codes, each with limit, before, after and the smallest
 * change that would pass. Reducing is always allowed: a sell is not subject to the limits on size, exposure and drawdown, but to live
 * prices, the slippage budget, the halt and the holdings. @throws RangeError for a malformed order (`readOrderFigures`).
 */
export function assessOrder<V extends ExecutableVenue>(
  order: Order<V>,
  context: RiskContext<NoInfer<V>>,
  catalog: RiskCatalog = CATALOG,
): RiskVerdict<Order<V>> {
  const frame = prepareRisk(order.instrument, order.venue, context, order.id, catalog, order.side);
  const figures = readOrderFigures(order);
  const mask = findBreaches(frame, figures);
  const attribution = explainBreaches(mask, order, figures, frame, context);
  return mask === 0 ? { ok: true, approved: order as RiskApproved<Order<V>>, attribution } : { ok: false, attribution };
}

/**
 * Prepares the frame of one instrument, so that any number of orders can be assessed with `findBreaches`. @param exceptProposalId Proposal
 * whose own reservation does not count, because it is the order itself. @param only Side of the orders, if known. The frame is then valid
 * for that side only.
 */
export function prepareRisk(
  instrument: InstrumentKey,
  venue: ExecutableVenue,
  context: RiskContext,
  exceptProposalId: string,
  catalog: RiskCatalog = CATALOG,
  only?: OrderSide,
): RiskFrame {
  const capacities = only === 'sell' ? [] : computeLimitCapacities(context, instrument, exceptProposalId, catalog);
  const always = sizeIndependentBreaches(instrument, venue, context, catalog);
  const priced = (always & (RISK_BITS.quote_not_live | RISK_BITS.venue_mismatch)) === 0;
  const budget = context.mandate.maxSlippageBps;
  const { quote } = context;
  const worstBuy = priced && only !== 'sell' ? worstPrice(instrument, 'buy', quote?.ask ?? null, budget) : null;
  const worstSell = priced && only !== 'buy' ? worstPrice(instrument, 'sell', quote?.bid ?? null, budget) : null;
  const availableLots = only === 'buy' ? 0n : sellableLots(instrument, context, exceptProposalId);
  return {
    capacities,
    bounds: Float64Array.from(capacities, ({ free }) => bounded(free)),
    bits: Int32Array.from(capacities, ({ code }) => RISK_BITS[code]),
    buyMask:
      always | buyBreaches(instrument, context, exceptProposalId, catalog) | (worstBuy === null && priced ? RISK_BITS.quote_not_live : 0),
    sellMask: always | (worstSell === null && priced ? RISK_BITS.quote_not_live : 0),
    availableLots,
    available: bounded(availableLots),
    worstBuy,
    worstSell,
    worstBuyTicks: worstBuy === null ? Number.POSITIVE_INFINITY : toTicks(instrument, worstBuy, 'down'),
    worstSellTicks: worstSell === null ? Number.NEGATIVE_INFINITY : toTicks(instrument, worstSell, 'up'),
  };
}

function worstPrice(instrument: InstrumentKey, side: OrderSide, touch: DecimalString | null, budgetBps: number): DecimalString | null {
  return touch === null || !isPositive(touch) ? null : computeLimitPrice(instrument, side, touch, budgetBps);
}

/** Converts a price to ticks. Rounding towards the touch loses nothing, because it is compared with prices in ticks. */
function toTicks(instrument: InstrumentKey, price: DecimalString, towards: 'up' | 'down'): number {
  const scale = stepScale(findMarketStep(instrument).tick);
  return bounded(towards === 'up' ? ceilScaled(price, scale) : floorScaled(price, scale));
}
