/** Funding of perpetuals: at the end of each hour, long positions pay a positive rate on their value and receive a negative one. */
import type { Fill, Position } from '../books/book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { isPerpetual } from './margin.ts';
import { type EpochMs, HOUR_MS } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** Returns the funding of one hour in US dollars, rounded up to a millionth. Negative if received. */
export function computeFundingUsd(
  quantity: Decimal | DecimalString,
  price: Decimal | DecimalString,
  hourlyRate: Decimal | DecimalString,
): DecimalString {
  return plainDecimal(new Decimal(quantity).times(price).times(hourlyRate).toDecimalPlaces(6, Decimal.ROUND_CEIL));
}

/** A perpetual held at the end of an hour. */
export interface HeldHour {
  readonly instrument: InstrumentKey;
  /** End of the hour, when funding is paid. */
  readonly hour: EpochMs;
  readonly quantity: DecimalString;
}

/** Funding of one held hour in US dollars, negative if received. */
export interface FundingPayment extends Pick<HeldHour, 'instrument' | 'hour'> {
  readonly paidUsd: DecimalString;
}

/** Part of a fill that funding depends on. */
export type PerpetualFill = Pick<Fill, 'instrument' | 'side' | 'quantity' | 'at'>;

/** Rate of an hour, and the price it is paid on. */
export interface HourlyTerms {
  readonly hourlyRate: DecimalString;
  readonly price: DecimalString;
}

/** Returns the end of the last full hour before an instant. */
export function lastHour(at: EpochMs): EpochMs {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}

/**
 * Returns the hours after `after` and up to `until` at whose end a fold of fills held a perpetual, ascending by instrument. A fill exactly
 * at the end of an hour comes after its payment, as in a backtest.
 */
export function heldHours(fills: readonly PerpetualFill[], after: EpochMs, until: EpochMs): HeldHour[] {
  const instruments = new Set(fills.map(({ instrument }) => instrument).filter(isPerpetual));
  return [...instruments].flatMap((instrument) => {
    const own = fills.filter((fill) => fill.instrument === instrument);
    const hours: HeldHour[] = [];
    let [next, quantity] = [0, new Decimal(0)];
    for (let hour = Math.max(lastHour(after), lastHour((own[0] as Pick<Fill, 'at'>).at)) + HOUR_MS; hour <= until; hour += HOUR_MS) {
      for (let fill = own[next]; fill !== undefined && fill.at < hour; fill = own[++next])
        quantity = quantity.plus(fill.side === 'buy' ? fill.quantity : new Decimal(fill.quantity).neg());
      if (quantity.gt(0)) hours.push({ instrument, hour, quantity: plainDecimal(quantity) });
    }
    return hours;
  });
}

/** Returns the payment of a held hour by its terms. */
export function computeFundingPayment({ instrument, hour, quantity }: HeldHour, { price, hourlyRate }: HourlyTerms): FundingPayment {
  return { instrument, hour, paidUsd: computeFundingUsd(quantity, price, hourlyRate) };
}

/**
 * Returns the funding that the present units of a position have paid since it was opened, negative if received. Sold units take their part
 * along. Payments and fills ascend.
 */
export function paidByHeld(
  { instrument, openedAt }: Pick<Position, 'instrument' | 'openedAt'>,
  payments: readonly FundingPayment[],
  fills: readonly PerpetualFill[],
): Decimal {
  const own = fills.filter((fill) => fill.instrument === instrument && fill.at >= openedAt);
  let [next, quantity, paid] = [0, new Decimal(0), new Decimal(0)];
  const foldUntil = (end: EpochMs): void => {
    for (let fill = own[next]; fill !== undefined && fill.at < end; fill = own[++next]) {
      const before = quantity;
      quantity = fill.side === 'buy' ? before.plus(fill.quantity) : Decimal.max(0, before.minus(fill.quantity));
      if (quantity.lt(before)) paid = paid.times(quantity).div(before);
    }
  };
  for (const payment of payments) {
    if (payment.instrument !== instrument || payment.hour <= openedAt) continue;
    foldUntil(payment.hour);
    paid = paid.plus(payment.paidUsd);
  }
  foldUntil(Number.POSITIVE_INFINITY);
  return paid;
}
