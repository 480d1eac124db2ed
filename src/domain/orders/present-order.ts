/** An order at the price of the moment: what was decided a moment ago keeps its slippage budget if the market has come closer. */
import { Decimal } from '../values/decimal.ts';
import { limitPriceOf, type Order, type OrderQuote, orderOf } from './order.ts';

/**
 * The same order with its limit price drawn in to its slippage budget on the present quote. A limit never moves away
 * from the market: a buy that got dearer keeps its limit and may go unfilled, one that got cheaper is not held to be
 * beyond its budget for it. Where the quote has no price on its side the order stays as it is.
 */
export function atPresentPrice(order: Order, quote: Pick<OrderQuote, 'bid' | 'ask'> | null): Order {
  const touch = quote === null ? null : order.side === 'buy' ? quote.ask : quote.bid;
  if (touch === null || !new Decimal(touch).gt(0)) return order;
  const budgeted = limitPriceOf(order.instrument, order.side, touch, order.maxSlippageBps);
  const closer = order.side === 'buy' ? new Decimal(budgeted).lt(order.limitPrice) : new Decimal(budgeted).gt(order.limitPrice);
  return closer ? orderOf({ ...order, limitPrice: budgeted }) : order;
}
