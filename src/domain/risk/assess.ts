/** The pre-trade risk function: pure, one for paper and live, every venue and every origin. */
import { CATALOG } from '../catalog/catalog.ts';
import { type DecimalString, isPositive } from '../values/decimal.ts';
import type { RiskAttribution } from '../agents/decision.ts';
import { marketStepOf } from '../market/market-step.ts';
import { limitPriceOf, type Order, type OrderSide } from '../orders/order.ts';
import type { ExecutableVenue, InstrumentKey } from '../market/venue.ts';
import { attributionOf } from './attribution.ts';
import { limitCapacitiesOf } from './capacity.ts';
import { RISK_BITS } from './codes.ts';
import type { RiskCatalog, RiskContext } from './context.ts';
import { ceilScaled, floorScaled, stepScale } from './exact.ts';
import { bounded, breachesOf, figuresOf, type RiskFrame } from './kernel.ts';
import { buyBreaches, sellableLots, sizeIndependentBreaches } from './size-independent.ts';

/** The mark of what risk let pass. A copy loses a protected member: an order that was changed afterwards is not approved any more. */
declare class PassedByRisk {
  protected readonly passedRisk: true;
}

/** An order that the risk function let pass. Made only by `assessOrder`; execution clients take nothing else. */
export type RiskApproved<O extends Order = Order> = O & PassedByRisk;

export type RiskVerdict<O extends Order = Order> =
  | { readonly ok: true; readonly approved: RiskApproved<O>; readonly attribution: RiskAttribution }
  | { readonly ok: false; readonly attribution: RiskAttribution };

/**
 * Assesses an order. Every limit that it breaches is returned, in the order of the codes, each with limit, before, after
 * and the smallest change that would pass. What an order reduces it may always reduce: a sell is not held to the limits
 * on size, exposure and drawdown, but to live prices, the slippage budget, the halt and what is held.
 * @throws RangeError for an order that is not well formed (`figuresOf`).
 */
export function assessOrder<V extends ExecutableVenue>(
  order: Order<V>,
  context: RiskContext<NoInfer<V>>,
  catalog: RiskCatalog = CATALOG,
): RiskVerdict<Order<V>> {
  const frame = prepareRisk(order.instrument, order.venue, context, order.id, catalog, order.side);
  const figures = figuresOf(order);
  const mask = breachesOf(frame, figures);
  const attribution = attributionOf(mask, order, figures, frame, context);
  return mask === 0 ? { ok: true, approved: order as RiskApproved<Order<V>>, attribution } : { ok: false, attribution };
}

/**
 * Prepares the world around one instrument, so that any number of orders is assessed against it by `breachesOf`.
 * @param exceptProposalId a proposal whose own reservation does not count, for it is the order itself.
 * @param only the side of the orders if it is known; the frame is then good for that side alone.
 */
export function prepareRisk(
  instrument: InstrumentKey,
  venue: ExecutableVenue,
  context: RiskContext,
  exceptProposalId: string,
  catalog: RiskCatalog = CATALOG,
  only?: OrderSide,
): RiskFrame {
  const capacities = only === 'sell' ? [] : limitCapacitiesOf(context, instrument, exceptProposalId, catalog);
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
    worstBuyTicks: worstBuy === null ? Number.POSITIVE_INFINITY : ticksOf(instrument, worstBuy, 'down'),
    worstSellTicks: worstSell === null ? Number.NEGATIVE_INFINITY : ticksOf(instrument, worstSell, 'up'),
  };
}

function worstPrice(instrument: InstrumentKey, side: OrderSide, touch: DecimalString | null, budgetBps: number): DecimalString | null {
  return touch === null || !isPositive(touch) ? null : limitPriceOf(instrument, side, touch, budgetBps);
}

/** Rounding towards the touch loses nothing: prices in ticks are compared with it, and none lies between. */
function ticksOf(instrument: InstrumentKey, price: DecimalString, towards: 'up' | 'down'): number {
  const scale = stepScale(marketStepOf(instrument).tick);
  return bounded(towards === 'up' ? ceilScaled(price, scale) : floorScaled(price, scale));
}
