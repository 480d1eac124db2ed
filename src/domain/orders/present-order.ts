/** Adapts an order to the present price, so that it keeps its slippage budget if the market has come closer. */
import { Decimal } from '../values/decimal.ts';
import { computeLimitPrice, type Order, type OrderQuote, completeOrder } from './order.ts';

/**
 * Tightens the limit price to the slippage budget on the present quote. A limit never loosens: a buy whose market rose keeps its limit and
 * may go unfilled, and one whose market fell is not judged as beyond its budget. Without a price on its side the order stays unchanged.
 */
export function atPresentPrice(order: Order, quote: Pick<OrderQuote, 'bid' | 'ask'> | null): Order {
  const touch = quote === null ? null : order.side === 'buy' ? quote.ask : quote.bid;
  if (touch === null || !new Decimal(touch).gt(0)) return order;
  const budgeted = computeLimitPrice(order.instrument, order.side, touch, order.maxSlippageBps);
  const closer = order.side === 'buy' ? new Decimal(budgeted).lt(order.limitPrice) : new Decimal(budgeted).gt(order.limitPrice);
  return closer ? completeOrder({ ...order, limitPrice: budgeted }) : order;
}
