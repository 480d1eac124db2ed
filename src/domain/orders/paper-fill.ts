/**
 * Fills an order on paper as the market would: level by level through a live book, else at the top of the book up to its size, else along a
 * pool's curve. A missing fill has a reason, and a fill names its quotes.
 */
import type { BookLevel } from '../market/order-book.ts';
import type { Fill, FillQuote } from '../books/book.ts';
import { computeFeeUsd, pooledPrice, computeSlippageBps } from './costs.ts';
import { Decimal, type DecimalString, isDecimalString, isPositive, plainDecimal } from '../values/decimal.ts';
import { floorToStep, findMarketStep } from '../market/market-step.ts';
import type { Order } from './order.ts';
import type { Quality, QualityFlag, Quote } from '../market/quote.ts';
import type { RiskApproved } from '../risk/assess.ts';
import type { EpochMs } from '../values/time.ts';
import type { ExecutableVenue } from '../market/venue.ts';
import type { CostModel } from '../venues/venue-facts.ts';

/** A venue's book of an instrument, just requested. */
export interface Depth {
  readonly venue: ExecutableVenue;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** Market at the moment of the fill. */
export interface PaperMarket {
  /** Present quote of the instrument on its own venue, or null. */
  readonly quote: Quote | null;
  /** Book of the venue, or null if it publishes none or did not answer. */
  readonly depth: Depth | null;
  /** Liquidity of the token's pools, both sides together. Null if it has none or it is unknown. */
  readonly liquidityUsd: DecimalString | null;
}

/** Reasons why nothing was filled. */
const NO_FILL_REASONS = [
  'no_quote',
  'quote_not_live',
  'venue_mismatch',
  'one_sided',
  'size_unknown',
  'limit_price_passed',
  'below_one_lot',
] as const;
type NoFillReason = (typeof NO_FILL_REASONS)[number];

type PaperFill =
  | { readonly outcome: 'filled' | 'partially_filled'; readonly fill: Fill }
  | { readonly outcome: 'no_fill'; readonly reason: NoFillReason; readonly detail: string };

export interface PaperFillInfo {
  /** Id of the fill, derived from the order so that a repeated attempt is the same fill. */
  readonly id: string;
  readonly at: EpochMs;
  /** Executable price at the decision. */
  readonly decisionPrice: DecimalString;
  /** Returns the venue's fee for the parts of a fill, if it is not a share of the notional, as on prediction markets. */
  readonly feeUsdOf?: (parts: readonly BookLevel[]) => DecimalString;
}

const noFill = (reason: NoFillReason, detail: string): PaperFill => ({ outcome: 'no_fill', reason, detail });

/** Liquidity taken by an order: quantity, average price and source. */
interface Taken {
  readonly quantity: Decimal;
  readonly notional: Decimal;
  /** Taken quantity per level. */
  readonly parts: readonly BookLevel[];
}

/**
 * Fills what the market offers within the order's limit price, at once. The rest lapses. The venue's fee is added. Only a live quote or
 * book of the order's own venue fills anything.
 */
export function paperFill(order: RiskApproved<Order>, market: PaperMarket, model: CostModel, info: PaperFillInfo): PaperFill {
  const source = chooseSource(order, market);
  if ('outcome' in source) return source;
  const levels = order.side === 'buy' ? source.asks : source.bids;
  const best = levels[0];
  if (best === undefined || !isDecimalString(best.price) || !isPositive(best.price))
    return noFill('one_sided', `${source.quote.source} has no ${order.side === 'buy' ? 'ask' : 'bid'}`);
  const limit = new Decimal(order.limitPrice);
  if (order.side === 'buy' ? limit.lt(best.price) : limit.gt(best.price))
    return noFill('limit_price_passed', `the best price is ${best.price}, the limit of the order ${order.limitPrice}`);
  const { lot } = findMarketStep(order.instrument);
  const taken = takenFrom(order, levels, source.liquidityUsd);
  if (taken === null) return noFill('size_unknown', `${source.quote.source} quotes no size, and its liquidity is unknown`);
  if (!taken.quantity.gt(0)) return noFill('below_one_lot', `within the limit of ${order.limitPrice} there is less than one lot (${lot})`);
  return {
    outcome: taken.quantity.eq(order.quantity) ? 'filled' : 'partially_filled',
    fill: toFill(order, taken, model, info, source.quote),
  };
}

interface Source {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly quote: FillQuote;
  /** Present if the order moves along a pool's curve from the best price on. */
  readonly liquidityUsd: DecimalString | null;
}

/** Returns the source of the fill: the book if there is one, else the top of the book, and only live data. */
function chooseSource(order: Order, { quote, depth, liquidityUsd }: PaperMarket): Source | PaperFill {
  if (depth !== null) {
    if (depth.venue !== order.venue) return noFill('venue_mismatch', `a book of ${depth.venue} cannot fill an order on ${order.venue}`);
    if (depth.quality !== 'live') return noFill('quote_not_live', `the book of ${order.instrument} is ${worded(depth)}`);
    const [bid, ask] = [depth.bids[0]?.price ?? null, depth.asks[0]?.price ?? null];
    return {
      bids: depth.bids,
      asks: depth.asks,
      quote: { source: depth.source, observedAt: depth.observedAt, bid, ask },
      liquidityUsd: null,
    };
  }
  if (quote === null) return noFill('no_quote', `no quote of ${order.instrument} is known`);
  if (quote.venue !== order.venue || `${quote.venue}:${quote.instrument}` !== order.instrument)
    return noFill('venue_mismatch', `a quote of ${quote.venue}:${quote.instrument} cannot fill an order on ${order.instrument}`);
  if (quote.quality !== 'live') return noFill('quote_not_live', `the quote of ${order.instrument} is ${worded(quote)}`);
  return {
    bids: quote.bid === null ? [] : [{ price: quote.bid, size: quote.bidSize ?? '' }],
    asks: quote.ask === null ? [] : [{ price: quote.ask, size: quote.askSize ?? '' }],
    quote: { source: quote.source, observedAt: quote.observedAt, bid: quote.bid, ask: quote.ask },
    liquidityUsd: liquidityUsd !== null && isDecimalString(liquidityUsd) && isPositive(liquidityUsd) ? liquidityUsd : null,
  };
}

function worded({ quality, flags }: Pick<Depth, 'quality' | 'flags'>): string {
  return flags.length === 0 ? quality : `${quality} (${flags.join(', ')})`;
}

/**
 * Returns what an order takes at once within its limit: along a pool's curve from the best price on if liquidity is given (US dollars of
 * both sides), else level by level. Null if the best level has no size.
 */
export function takenFrom(order: Taking, levels: readonly BookLevel[], liquidityUsd: DecimalString | null): Taken | null {
  const limit = new Decimal(order.limitPrice);
  const { lot } = findMarketStep(order.instrument);
  const best = levels[0]?.price;
  if (liquidityUsd === null || best === undefined) return walked(order, levels, limit, lot);
  return pooled(order, best, liquidityUsd, limit, lot);
}

/** Returns the price of the taken quantity. The average of several levels is rounded to the trader's disadvantage. */
export function computeAveragePrice(side: Order['side'], { quantity, notional }: Pick<Taken, 'quantity' | 'notional'>): Decimal {
  return notional.div(quantity).toSignificantDigits(18, side === 'buy' ? Decimal.ROUND_UP : Decimal.ROUND_DOWN);
}

/** Fields of an order that determine what it takes. */
type Taking = Pick<Order, 'side' | 'instrument' | 'quantity' | 'limitPrice'>;

function walked(order: Taking, levels: readonly BookLevel[], limit: Decimal, lot: DecimalString): Taken | null {
  if (!isDecimalString(levels[0]?.size ?? '')) return null;
  const wanted = new Decimal(order.quantity);
  let quantity = new Decimal(0);
  let notional = new Decimal(0);
  const parts: BookLevel[] = [];
  for (const { price, size } of levels) {
    if (!isDecimalString(price) || !isDecimalString(size)) break;
    if (order.side === 'buy' ? limit.lt(price) : limit.gt(price)) break;
    const left = wanted.minus(quantity);
    // Venues fill whole lots.
    const here = new Decimal(floorToStep(Decimal.min(size, left), lot));
    if (!here.gt(0)) {
      if (left.lt(lot)) break;
      continue;
    }
    quantity = quantity.plus(here);
    notional = notional.plus(here.times(price));
    parts.push({ price, size: plainDecimal(here) });
    if (quantity.gte(wanted)) break;
  }
  return { quantity, notional, parts };
}

/** Takes along a constant-product curve from the best price on, while the average stays within the limit. */
function pooled(order: Taking, best: DecimalString, liquidityUsd: DecimalString, limit: Decimal, lot: DecimalString): Taken {
  const start = new Decimal(best);
  const oneSide = new Decimal(liquidityUsd).div(2);
  const buys = order.side === 'buy';
  // Solved for the quantity whose average price is the limit.
  const atLimit = buys ? oneSide.div(start).minus(oneSide.div(limit)) : oneSide.div(limit).minus(oneSide.div(start));
  const quantity = new Decimal(floorToStep(Decimal.min(order.quantity, atLimit), lot));
  if (!quantity.gt(0)) return { quantity: new Decimal(0), notional: new Decimal(0), parts: [] };
  const average = pooledPrice(order.side, start, quantity, liquidityUsd).toSignificantDigits(
    12,
    buys ? Decimal.ROUND_UP : Decimal.ROUND_DOWN,
  );
  // Rounding must not exceed the limit.
  const price = buys ? Decimal.min(average, limit) : Decimal.max(average, limit);
  return { quantity, notional: quantity.times(price), parts: [{ price: plainDecimal(price), size: plainDecimal(quantity) }] };
}

function toFill(order: Order, taken: Taken, model: CostModel, info: PaperFillInfo, quote: FillQuote): Fill {
  // A book keeps quantity x price exactly.
  const fillPrice = computeAveragePrice(order.side, taken);
  const notional = taken.quantity.times(fillPrice);
  return {
    id: info.id,
    orderId: order.id,
    bookId: order.bookId,
    instrument: order.instrument,
    side: order.side,
    quantity: plainDecimal(taken.quantity),
    fillPrice: plainDecimal(fillPrice),
    feeUsd: info.feeUsdOf?.(taken.parts) ?? computeFeeUsd(notional, model),
    notionalUsd: plainDecimal(notional),
    decisionPrice: info.decisionPrice,
    slippageBps: computeSlippageBps(order.side, info.decisionPrice, fillPrice),
    at: info.at,
    quotes: [quote],
  };
}
