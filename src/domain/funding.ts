/** Funding of perpetuals: at the end of each hour holders of long positions pay a positive rate on their value, and receive a negative one. */
import { Decimal, type DecimalString, plainDecimal } from './decimal.ts';

/** Funding of one hour in US dollars, rounded up to a millionth: never in the holder's favour. Below zero it is received. */
export function fundingUsdOf(
  quantity: Decimal | DecimalString,
  price: Decimal | DecimalString,
  hourlyRate: Decimal | DecimalString,
): DecimalString {
  return plainDecimal(new Decimal(quantity).times(price).times(hourlyRate).toDecimalPlaces(6, Decimal.ROUND_CEIL));
}
