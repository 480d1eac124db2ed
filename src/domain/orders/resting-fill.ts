/**
 * Fills a resting paper order by its venue's later activity. The queue before it is unknown, so it fills only if the market traded through
 * its price. Then everything at that price was taken, and the fill is limited to the quantity traded beyond it.
 */
import type { Fill, FillQuote } from '../books/book.ts';
import { computeSlippageBps } from './costs.ts';
import { compareDecimals, Decimal, type DecimalString, isDecimalString, isPositive, plainDecimal } from '../values/decimal.ts';
import { floorToStep, findMarketStep } from '../market/market-step.ts';
import type { Order } from './order.ts';
import type { EpochMs } from '../values/time.ts';
import type { ExecutableVenue } from '../market/venue.ts';
import type { CostModel } from '../venues/venue-facts.ts';

/** A trade of the venue. */
export interface FlowTrade {
  readonly price: DecimalString;
  /** Base units. */
  readonly quantity: DecimalString;
  readonly at: EpochMs;
}

/** Received best bid and ask. Null if that side was empty. */
export interface FlowTop {
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly bid: DecimalString | null;
  readonly ask: DecimalString | null;
  readonly bidSize: DecimalString | null;
  readonly askSize: DecimalString | null;
  /** Time at which it was received. */
  readonly at: EpochMs;
}

/** Market activity of a venue in one instrument over a window of time. */
export interface MarketFlow {
  readonly venue: ExecutableVenue;
  readonly source: string;
  /** Trades, ascending by time. */
  readonly trades: readonly FlowTrade[];
  /** Live tops of the book only. */
  readonly tops: readonly FlowTop[];
}

type RestingFill =
  | { readonly outcome: 'filled' | 'partially_filled'; readonly fill: Fill }
  | { readonly outcome: 'no_fill'; readonly detail: string };

interface RestingInfo {
  /** Id of the fill, derived from the order so that a repeated attempt is the same fill. */
  readonly id: string;
  /** Resting price of the order. */
  readonly price: DecimalString;
  /** Executable price at the decision. */
  readonly decisionPrice: DecimalString;
  /** End of the window, when the rest of the order is withdrawn. */
  readonly until: EpochMs;
}

/** Quantity traded beyond a price, and the time of the last such trade. */
interface Through {
  readonly quantity: Decimal;
  /** Evidence of the trade-through: the last trade, or the top of the book. */
  readonly quote: FillQuote;
}

/**
 * Returns the result of an order resting at `info.price` over the window of the flow, at the maker's fee. @throws Error if the flow is of
 * another venue, an impossible state.
 */
export function restingFill(order: Order, flow: MarketFlow, model: CostModel, info: RestingInfo): RestingFill {
  if (flow.venue !== order.venue) throw new Error(`the flow of ${flow.venue} cannot fill an order on ${order.venue}`);
  const through = tradedThrough(order, flow, info.price);
  const { lot } = findMarketStep(order.instrument);
  const quantity = through === null ? new Decimal(0) : new Decimal(floorToStep(Decimal.min(order.quantity, through.quantity), lot));
  if (through === null || !quantity.gt(0))
    return { outcome: 'no_fill', detail: `nothing traded through ${info.price} while the order rested there` };
  const notional = quantity.times(info.price);
  return {
    outcome: quantity.eq(order.quantity) ? 'filled' : 'partially_filled',
    fill: {
      id: info.id,
      orderId: order.id,
      bookId: order.bookId,
      instrument: order.instrument,
      side: order.side,
      quantity: plainDecimal(quantity),
      fillPrice: plainDecimal(info.price),
      feeUsd: plainDecimal(notional.times(model.makerFeeBps).div(10_000).toDecimalPlaces(6, Decimal.ROUND_UP)),
      notionalUsd: plainDecimal(notional),
      decisionPrice: info.decisionPrice,
      slippageBps: computeSlippageBps(order.side, info.decisionPrice, info.price),
      at: info.until,
      quotes: [through.quote],
    },
  };
}

/**
 * Returns the quantity traded through the price. Sizes of trades beyond it add up. A book that crossed it shows the same size repeatedly,
 * so only its largest size counts. The larger of the two could have filled the order.
 */
function tradedThrough(order: Order, { source, trades, tops }: MarketFlow, price: DecimalString): Through | null {
  const buys = order.side === 'buy';
  const isBeyond = beyond(buys, price);
  const toSides = (other: DecimalString) => (buys ? { bid: null, ask: other } : { bid: other, ask: null });
  const traded = trades
    .filter((trade) => isBeyond(trade.price))
    .reduce<Through | null>(
      (sum, trade) => ({
        quantity: new Decimal(sum?.quantity ?? 0).plus(trade.quantity),
        quote: { source, observedAt: trade.at, ...toSides(trade.price) },
      }),
      null,
    );
  const shown = largestBeyond(tops, buys, isBeyond);
  if (traded === null || shown === null) return traded ?? shown;
  return shown.quantity.gt(traded.quantity) ? shown : traded;
}

/** Returns the first of the tops beyond the price with the largest size, or null if none is beyond it. */
function largestBeyond(tops: readonly FlowTop[], buys: boolean, isBeyond: (other: DecimalString) => boolean): Through | null {
  let largest: DecimalString | null = null;
  let found: FlowTop | null = null;
  for (const top of tops) {
    const other = buys ? top.ask : top.bid;
    if (other === null || !isBeyond(other)) continue;
    const size = buys ? top.askSize : top.bidSize;
    if (size === null || !isDecimalString(size) || !isPositive(size)) continue;
    if (largest !== null && compareDecimals(size, largest) <= 0) continue;
    largest = size;
    found = top;
  }
  if (found === null || largest === null) return null;
  const { source, observedAt, bid, ask } = found;
  return { quantity: new Decimal(largest), quote: { source, observedAt, bid, ask } };
}

/**
 * Returns a test if another price is beyond this one. Compares digits if both are plain and positive, because few of a minute's tops are
 * beyond.
 */
function beyond(buys: boolean, price: DecimalString): (other: DecimalString) => boolean {
  const isPlain = (text: DecimalString): boolean => isDecimalString(text) && isPositive(text);
  const pricePlain = isPlain(price);
  return (other) => {
    const difference = pricePlain && isPlain(other) ? compareDecimals(other, price) : new Decimal(other).cmp(price);
    return buys ? difference < 0 : difference > 0;
  };
}

/** Returns the price at which an order rests: the best price of its own side, never beyond its limit. Null if that side is empty. */
export function computeNearPrice(
  order: Pick<Order, 'side' | 'limitPrice'>,
  quote: { readonly bid: DecimalString | null; readonly ask: DecimalString | null },
): DecimalString | null {
  const near = order.side === 'buy' ? quote.bid : quote.ask;
  if (near === null || !isDecimalString(near) || !isPositive(near)) return null;
  const limit = new Decimal(order.limitPrice);
  return (order.side === 'buy' ? limit.lt(near) : limit.gt(near)) ? order.limitPrice : plainDecimal(near);
}
