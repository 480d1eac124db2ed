/** Sums over the fills of an order. */
import type { Fill } from '../books/book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';

type Amount = 'quantity' | 'notionalUsd' | 'feeUsd';
type Amounts = Pick<Fill, Amount | 'fillPrice' | 'executedQuantity'>;

/** Adds one amount of all fills, as the venue executed them and before commission, to `before`. Exact. */
export function sumFills(amount: Amount, fills: readonly Amounts[], before: DecimalString = '0'): DecimalString {
  return plainDecimal(fills.reduce((sum, fill) => sum.plus(executedAmount(amount, fill)), new Decimal(before)));
}

function executedAmount(amount: Amount, fill: Amounts): Decimal | DecimalString {
  if (fill.executedQuantity === undefined || amount === 'feeUsd') return fill[amount];
  return amount === 'quantity' ? fill.executedQuantity : new Decimal(fill.executedQuantity).times(fill.fillPrice);
}
