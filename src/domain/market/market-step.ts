/** Steps of order quantity and price: a quantity is a whole number of lots, a price of ticks (`computePriceStep`). */
import { CATALOG } from '../catalog/catalog.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { findPublishedStep, type MarketStep, priceStepExponent } from './published-steps.ts';
import type { InstrumentKey } from './venue.ts';

/** Returns the steps of an instrument. Instruments outside the catalog get the finest, those of agent tokens. */
export const findMarketStep = (instrument: InstrumentKey): MarketStep => findPublishedStep(instrument, CATALOG.byKey(instrument)?.kind);

/** Returns the price step of an instrument near `price` as decimal text: its tick, or a coarser step for a perpetual. */
export function computePriceStep(instrument: InstrumentKey, price: DecimalString): DecimalString {
  const { tick } = findMarketStep(instrument);
  const ticks = new Decimal(price).div(tick).floor().toFixed();
  const exponent = priceStepExponent(instrument, BigInt(ticks), new Decimal(tick).decimalPlaces());
  return plainDecimal(new Decimal(tick).times(new Decimal(10).pow(exponent)));
}

/** Returns the largest whole number of steps that does not exceed `value`, as decimal text. */
export function floorToStep(value: Decimal | DecimalString, step: DecimalString): DecimalString {
  return plainDecimal(new Decimal(value).div(step).floor().times(step));
}
