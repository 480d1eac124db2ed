/** What the fills of an order come to together. */
import type { Fill } from './book.ts';
import { Decimal, type DecimalString, plainDecimal } from './decimal.ts';

/** One amount of all fills, added to what it was before; exact. */
export function totalOf<Amount extends 'quantity' | 'notionalUsd' | 'feeUsd'>(
  amount: Amount,
  fills: readonly Pick<Fill, Amount>[],
  before: DecimalString = '0',
): DecimalString {
  return plainDecimal(fills.reduce((sum, fill) => sum.plus(fill[amount]), new Decimal(before)));
}
