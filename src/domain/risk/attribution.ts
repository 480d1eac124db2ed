/** Risk assessment of an order: every breach with limit, before, after and the smallest change that would pass. */
import { nextUtcDay } from '../books/book.ts';
import { Decimal, type DecimalString, isPositive, plainDecimal } from '../values/decimal.ts';
import type { AssessedOrder, RiskAttribution, RiskChange, RiskHeadroom, RiskRejection } from '../agents/decision.ts';
import { findMarketStep } from '../market/market-step.ts';
import type { Order, OrderQuote } from '../orders/order.ts';
import { isoTime } from '../values/time.ts';
import { type InstrumentKey, instrumentKey } from '../market/venue.ts';
import { type LimitCapacity, usedAfter } from './capacity.ts';
import { RISK_BITS, RISK_CODES, type RiskCode } from './codes.ts';
import type { RiskContext } from './context.ts';
import { ceilDivide, floorDivide, powerOfTen, toRatio, scaledText, stepScale, USD_SCALE, usdText } from '../values/exact.ts';
import { readExactLots, readExactNotional, type OrderFigures, type RiskFrame } from './kernel.ts';
import { ADD_EXCHANGE_KEY, EXCHANGE_KEY } from './order-context.ts';
import { isMintTradable, openPositionsAfter } from './size-independent.ts';

/** Turns a mask of breaches into words and data. */
export function explainBreaches(
  mask: number,
  order: Order,
  figures: OrderFigures,
  frame: RiskFrame,
  context: RiskContext,
): RiskAttribution {
  const { side, quantity, limitPrice, notionalUsd } = order;
  const assessed: AssessedOrder = { side, quantity, limitPrice, notionalUsd };
  const headroom = computeHeadroom(mask, order, frame);
  const rejections: RiskRejection[] = [];
  if (mask !== 0) {
    for (const code of RISK_CODES) if ((mask & RISK_BITS[code]) !== 0) rejections.push(toRejection(code, order, figures, frame, context));
  }
  return { verdict: mask === 0 ? 'passed' : 'blocked', rejections, order: assessed, headroom };
}

/** Returns the maximum lots whose notional at the limit price fits into `free`. */
function lotsWithin(free: bigint, order: Order): bigint {
  if (free < 0n) return 0n;
  const price = toRatio(order.limitPrice);
  const lots = powerOfTen(stepScale(findMarketStep(order.instrument).lot));
  return floorDivide(free * price.denominator * lots, price.numerator * powerOfTen(USD_SCALE));
}

function toQuantity(lots: bigint, order: Order): DecimalString {
  return scaledText(lots, stepScale(findMarketStep(order.instrument).lot));
}

/** Returns the cost of one lot at the limit price, in micro-dollars rounded up. */
function lotNotional(order: Order): bigint {
  const price = toRatio(order.limitPrice);
  const lots = powerOfTen(stepScale(findMarketStep(order.instrument).lot));
  return ceilDivide(price.numerator * powerOfTen(USD_SCALE), price.denominator * lots);
}

/** Returns the limits whose breach a smaller quantity fixes. */
function sizeBits(order: Order, frame: RiskFrame): number {
  if (order.side === 'sell') return RISK_BITS.reduce_only;
  return frame.capacities.reduce((bits, { code }) => bits | RISK_BITS[code], 0);
}

function computeHeadroom(mask: number, order: Order, frame: RiskFrame): RiskHeadroom {
  const lasting = mask & ~sizeBits(order, frame);
  const first = RISK_CODES.find((code) => (lasting & RISK_BITS[code]) !== 0);
  if (first !== undefined) return { quantity: '0', code: first };
  if (order.side === 'sell') return { quantity: toQuantity(frame.availableLots, order), code: 'reduce_only' };
  const tightest = frame.capacities.reduce((least, each) => (each.free < least.free ? each : least));
  return { quantity: toQuantity(lotsWithin(tightest.free, order), order), code: tightest.code };
}

function toRejection(code: RiskCode, order: Order, figures: OrderFigures, frame: RiskFrame, context: RiskContext): RiskRejection {
  const capacity = order.side === 'buy' ? frame.capacities.find((each) => each.code === code) : undefined;
  if (capacity !== undefined) return capacityRejection(capacity, order, readExactNotional(figures));
  switch (code) {
    case 'daily_drawdown_breach':
      return drawdownRejection(context);
    case 'stale_reference_feed':
      return referenceRejection(order.instrument, context);
    case 'quote_not_live':
      return quoteRejection(order, context);
    case 'venue_mismatch':
      return venueRejection(order, context.quote);
    case 'open_positions_breach':
      return positionsRejection(order, context);
    case 'slippage_budget_breach':
      return slippageRejection(order, frame, context);
    case 'reduce_only':
      return reduceOnlyRejection(order, figures, frame);
    case 'halted':
      // Lifting a halt does not make a mint tradable again.
      if (!isMintTradable(order.instrument, context))
        return said(code, 'a mint that is valid now', `the mint of ${order.instrument} is not`, null, null);
      return said(code, 'no halt', `halt of ${context.halt === 'all' ? 'everything' : 'entries'}`, 'lift the halt', { kind: 'lift_halt' });
    case 'feature_disabled': {
      const feature = context.disabledFeature as string;
      if (feature === EXCHANGE_KEY) return said(code, feature, 'none', ADD_EXCHANGE_KEY, { kind: 'enable_feature', feature });
      return said(code, `${feature} on`, `${feature} off`, `turn ${feature} on`, { kind: 'enable_feature', feature });
    }
    default:
      throw new Error(`there are no details of a breach of ${code}`);
  }
}

/** Describes a breach that the order itself does not change, so that before and after are equal. */
function said(
  code: RiskCode,
  limit: string | null,
  now: string | null,
  suggestion: string | null,
  change: RiskChange | null,
): RiskRejection {
  return { code, limit, before: now, after: now, suggestion, change };
}

function capacityRejection(limited: LimitCapacity, order: Order, notional: bigint): RiskRejection {
  const { code, free, limit } = limited;
  const before = usdText(usedAfter(limited, 0n));
  const after = usdText(usedAfter(limited, notional));
  if (limit === null) {
    const change: RiskChange = { kind: 'wait_for', what: 'pool_liquidity', instrument: order.instrument, at: null };
    return { code, limit, before, after, suggestion: `wait until the liquidity of ${order.instrument} is known`, change };
  }
  const numbers = { code, limit: usdText(limit), before, after };
  const lots = lotsWithin(free, order);
  if (lots > 0n) {
    const quantity = toQuantity(lots, order);
    return { ...numbers, suggestion: `buy at most ${quantity}`, change: { kind: 'quantity', quantity } };
  }
  const usd = usdText(lotNotional(order) - free);
  return { ...numbers, suggestion: `free ${usd} US dollars of this limit before a lot fits`, change: { kind: 'free_capacity', usd } };
}

function drawdownRejection({ at, book, mandate }: RiskContext): RiskRejection {
  const next = nextUtcDay(at);
  return said(
    'daily_drawdown_breach',
    plainDecimal(mandate.maxDailyDrawdownPct),
    book.dailyDrawdownPct === null ? null : plainDecimal(book.dailyDrawdownPct),
    `wait for the next UTC day, which begins at ${isoTime(next)}`,
    { kind: 'wait_for', what: 'utc_day', instrument: null, at: next },
  );
}

function referenceRejection(instrument: InstrumentKey, { reference }: RiskContext): RiskRejection {
  const { observed } = reference;
  const now = observed === null ? 'none' : [observed.quality, ...observed.flags, `${observed.ageMs} ms old`].join(', ');
  return said('stale_reference_feed', 'a live reference price', now, 'wait for a live reference price', {
    kind: 'wait_for',
    what: 'live_reference',
    instrument,
    at: null,
  });
}

function quoteRejection(order: Order, { at, quote, book }: RiskContext): RiskRejection {
  const priced = quote !== null && quote.quality === 'live' && findTouch(order, quote) !== null;
  const instrument = priced ? (book.unpriced[0] ?? order.instrument) : order.instrument;
  const now = priced ? `no price of ${book.unpriced.join(', ')}` : quoteInWords(order, quote, at);
  const limit = priced ? 'a price of every open position' : 'a live quote';
  return said('quote_not_live', limit, now, `wait for a live quote of ${instrument}`, {
    kind: 'wait_for',
    what: 'live_quote',
    instrument,
    at: null,
  });
}

/** Returns the price of the order's side, or null if the quote has no positive one. */
function findTouch(order: Order, quote: OrderQuote): DecimalString | null {
  const price = order.side === 'buy' ? quote.ask : quote.bid;
  return price !== null && isPositive(price) ? price : null;
}

function quoteInWords(order: Order, quote: OrderQuote | null, at: number): string {
  if (quote === null) return 'none';
  const side = findTouch(order, quote) === null ? [order.side === 'buy' ? 'no ask' : 'no bid'] : [];
  return [quote.quality, ...quote.flags, ...side, `${Math.max(0, at - quote.observedAt)} ms old`].join(', ');
}

function venueRejection(order: Order, quote: OrderQuote | null): RiskRejection {
  const priced = quote === null ? null : instrumentKey(quote.venue, quote.instrument);
  return said('venue_mismatch', order.instrument, priced, `price the order with a quote of ${order.instrument}`, {
    kind: 'quote_of',
    instrument: order.instrument,
  });
}

function positionsRejection(order: Order, context: RiskContext): RiskRejection {
  const limit = context.mandate.maxOpenPositions;
  const after = openPositionsAfter(order.instrument, context, order.id);
  const held = openPositionsAfter(null, context, order.id);
  const count = after - limit;
  return {
    code: 'open_positions_breach',
    limit: `${limit}`,
    before: `${held}`,
    after: `${after}`,
    suggestion: `close ${count} of the open positions first`,
    change: { kind: 'close_positions', count },
  };
}

function slippageRejection(order: Order, frame: RiskFrame, { mandate, quote }: RiskContext): RiskRejection {
  const buys = order.side === 'buy';
  const limitPrice = (buys ? frame.worstBuy : frame.worstSell) as DecimalString;
  const touch = new Decimal(findTouch(order, quote as OrderQuote) as DecimalString);
  const beyond = new Decimal(order.limitPrice)
    .minus(touch)
    .times(buys ? 10_000 : -10_000)
    .div(touch)
    .toDecimalPlaces(8);
  return {
    code: 'slippage_budget_breach',
    limit: plainDecimal(mandate.maxSlippageBps),
    before: '0',
    after: plainDecimal(beyond),
    suggestion: `${buys ? 'buy at no more' : 'sell at no less'} than ${limitPrice}`,
    change: { kind: 'limit_price', limitPrice },
  };
}

function reduceOnlyRejection(order: Order, figures: OrderFigures, frame: RiskFrame): RiskRejection {
  if (order.side === 'buy') return said('reduce_only', 'sells only', 'buy', 'only what reduces a position is allowed', null);
  const quantity = toQuantity(frame.availableLots, order);
  const fits = frame.availableLots > 0n;
  return {
    code: 'reduce_only',
    limit: '0',
    before: quantity,
    after: toQuantity(frame.availableLots - readExactLots(figures), order),
    suggestion: fits ? `sell at most ${quantity}` : 'nothing is held that could be sold',
    change: fits ? { kind: 'quantity', quantity } : null,
  };
}
