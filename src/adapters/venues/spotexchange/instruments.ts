/** Instruments of the spot exchange with the filters of prices and quantities. See docs/reference/outside/spot-exchange.md. */
import type { DecimalString } from '../../../domain/values/decimal.ts';
import { knownFields } from '../known-fields.ts';
import type { VenueHttp } from '../venue-http.ts';
import { isZero, wireDecimal } from '../wire-decimal.ts';
import { badAnswer } from './rest.ts';

/** Documented or recorded members, for filters those of all kinds. */
export const EXCHANGE_INFO_FIELDS = knownFields('binance:exchangeInfo', [
  'timezone serverTime rateLimits exchangeFilters symbols sors',
  {
    rateLimits: 'rateLimitType interval intervalNum limit',
    exchangeFilters: 'filterType maxNumOrders maxNumAlgoOrders maxNumIcebergOrders maxNumOrderLists',
    symbols: [
      'symbol status baseAsset baseAssetPrecision quoteAsset quotePrecision quoteAssetPrecision baseCommissionPrecision ' +
        'quoteCommissionPrecision orderTypes icebergAllowed ocoAllowed otoAllowed opoAllowed quoteOrderQtyMarketAllowed ' +
        'allowTrailingStop cancelReplaceAllowed amendAllowed pegInstructionsAllowed isSpotTradingAllowed isMarginTradingAllowed ' +
        'filters permissions permissionSets defaultSelfTradePreventionMode allowedSelfTradePreventionModes',
      {
        filters:
          'filterType minPrice maxPrice tickSize minQty maxQty stepSize minNotional maxNotional applyToMarket applyMinToMarket ' +
          'applyMaxToMarket avgPriceMins multiplierUp multiplierDown bidMultiplierUp bidMultiplierDown askMultiplierUp ' +
          'askMultiplierDown limit asset maxNumOrders maxNumAlgoOrders maxNumIcebergOrders maxNumOrderAmends maxNumOrderLists ' +
          'maxPosition minTrailingAboveDelta maxTrailingAboveDelta minTrailingBelowDelta maxTrailingBelowDelta',
      },
    ],
    sors: 'baseAsset symbols',
  },
]);

/** Bounds of a number. A zero bound is off; null means no filter. */
interface RangeFilter {
  readonly min: DecimalString;
  readonly max: DecimalString;
  /** Tick or lot size. */
  readonly step: DecimalString;
}

/** Bounds of price x quantity in quote units. A zero bound is off. */
interface NotionalFilter {
  readonly min: DecimalString;
  readonly max: DecimalString;
  readonly minAppliesToMarket: boolean;
  readonly maxAppliesToMarket: boolean;
}

export interface SpotInstrument {
  readonly instrument: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  /** Status of the venue; only `TRADING` accepts orders. */
  readonly status: string;
  readonly price: RangeFilter | null;
  readonly lot: RangeFilter | null;
  readonly marketLot: RangeFilter | null;
  readonly notional: NotionalFilter | null;
}

/** Converts a plain non-negative decimal to units of 10^-digits. */
function units(decimal: DecimalString, digits: number): bigint {
  const dot = decimal.indexOf('.');
  const whole = dot < 0 ? decimal : decimal.slice(0, dot);
  const fraction = dot < 0 ? '' : decimal.slice(dot + 1);
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

function fractionDigits(decimal: DecimalString): number {
  const dot = decimal.indexOf('.');
  return dot < 0 ? 0 : decimal.length - dot - 1;
}

function written(value: bigint, digits: number): DecimalString {
  const text = value.toString().padStart(digits + 1, '0');
  if (digits === 0) return text;
  const fraction = text.slice(-digits).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -digits) : `${text.slice(0, -digits)}.${fraction}`;
}

/** Returns true if `value` is an exact multiple of `step`; always true for a step of zero, which disables the filter. */
export function isMultiple(value: DecimalString, step: DecimalString): boolean {
  if (isZero(step)) return true;
  const digits = Math.max(fractionDigits(value), fractionDigits(step));
  return units(value, digits) % units(step, digits) === 0n;
}

/** Returns the largest multiple of `step` not above `value`; with a step of zero, `value` in plain form. */
export function floorToStep(value: DecimalString, step: DecimalString): DecimalString {
  const digits = Math.max(fractionDigits(value), fractionDigits(step));
  const whole = units(value, digits);
  const unit = units(step, digits);
  return written(unit === 0n ? whole : whole - (whole % unit), digits);
}

function compare(a: DecimalString, b: DecimalString): number {
  const digits = Math.max(fractionDigits(a), fractionDigits(b));
  const difference = units(a, digits) - units(b, digits);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function times(a: DecimalString, b: DecimalString): DecimalString {
  const digits = fractionDigits(a) + fractionDigits(b);
  return written(units(a, fractionDigits(a)) * units(b, fractionDigits(b)), digits);
}

/** Returns the smallest number of lots whose value at the price reaches `notional`. */
function leastQuantity(instrument: SpotInstrument, price: DecimalString, notional: DecimalString): DecimalString {
  const step = instrument.lot === null || isZero(instrument.lot.step) ? '0.00000001' : instrument.lot.step;
  const digits = fractionDigits(price) + fractionDigits(step);
  const perLot = units(times(price, step), digits + fractionDigits(notional));
  const wanted = units(notional, digits + fractionDigits(notional));
  const lots = (wanted + perLot - 1n) / perLot;
  return written(lots * units(step, fractionDigits(step)), fractionDigits(step));
}

function outside(value: DecimalString, filter: RangeFilter): string | null {
  if (!isZero(filter.min) && compare(value, filter.min) < 0) return `${value} is below the minimum ${filter.min}, the nearest allowed`;
  if (!isZero(filter.max) && compare(value, filter.max) > 0)
    return `${value} is above the maximum ${filter.max}; the nearest allowed is ${floorToStep(filter.max, filter.step)}`;
  if (isMultiple(value, filter.step)) return null;
  return `${value} is no multiple of ${filter.step}; the next below is ${floorToStep(value, filter.step)}`;
}

/** Violated filter by the venue's name. */
interface FilterFailure {
  readonly filter: 'PRICE_FILTER' | 'LOT_SIZE' | 'MARKET_LOT_SIZE' | 'NOTIONAL';
  readonly detail: string;
}

/**
 * Returns every filter that an order violates, computed exactly. `price` is the limit price, or for a market order the price of its
 * notional, in quote units; `quantity` is in base units; both are above zero.
 */
export function filterFailures(
  instrument: SpotInstrument,
  order: { readonly type: 'LIMIT' | 'MARKET'; readonly price: DecimalString; readonly quantity: DecimalString },
): readonly FilterFailure[] {
  const failures: FilterFailure[] = [];
  const market = order.type === 'MARKET';
  const assess = (filter: FilterFailure['filter'], bounds: RangeFilter | null, value: DecimalString, name: string) => {
    const detail = bounds === null ? null : outside(value, bounds);
    if (detail !== null) failures.push({ filter, detail: `${name} ${detail}` });
  };
  if (!market) assess('PRICE_FILTER', instrument.price, order.price, 'price');
  assess('LOT_SIZE', instrument.lot, order.quantity, 'quantity');
  if (market) assess('MARKET_LOT_SIZE', instrument.marketLot, order.quantity, 'quantity');
  const { notional } = instrument;
  if (notional !== null) {
    const value = times(order.price, order.quantity);
    if ((!market || notional.minAppliesToMarket) && compare(value, notional.min) < 0) {
      failures.push({
        filter: 'NOTIONAL',
        detail: `notional ${value} is below the minimum ${notional.min}; at this price the smallest quantity is ${leastQuantity(instrument, order.price, notional.min)}`,
      });
    }
    if ((!market || notional.maxAppliesToMarket) && !isZero(notional.max) && compare(value, notional.max) > 0) {
      failures.push({ filter: 'NOTIONAL', detail: `notional ${value} is above the maximum ${notional.max}` });
    }
  }
  return failures;
}

/** Parses an entry of `exchangeInfo.symbols`; null if it lacks what an order needs. Unknown filters are ignored. */
export function parseInstrument(entry: unknown): SpotInstrument | null {
  if (typeof entry !== 'object' || entry === null) return null;
  const { symbol, status, baseAsset, quoteAsset, filters } = entry as Record<string, unknown>;
  if (typeof symbol !== 'string' || typeof status !== 'string' || typeof baseAsset !== 'string' || typeof quoteAsset !== 'string')
    return null;
  if (!Array.isArray(filters)) return null;
  const byName = new Map<unknown, Record<string, unknown>>();
  for (const filter of filters as unknown[]) {
    if (typeof filter === 'object' && filter !== null)
      byName.set((filter as Record<string, unknown>)['filterType'], filter as Record<string, unknown>);
  }
  const range = (name: string, min: string, max: string, step: string): RangeFilter | null | undefined => {
    const filter = byName.get(name);
    if (filter === undefined) return null;
    const [low, high, unit] = [wireDecimal(filter[min]), wireDecimal(filter[max]), wireDecimal(filter[step])];
    return low === null || high === null || unit === null ? undefined : { min: low, max: high, step: unit };
  };
  const price = range('PRICE_FILTER', 'minPrice', 'maxPrice', 'tickSize');
  const lot = range('LOT_SIZE', 'minQty', 'maxQty', 'stepSize');
  const marketLot = range('MARKET_LOT_SIZE', 'minQty', 'maxQty', 'stepSize');
  // A present but unreadable filter must not count as disabled.
  if (price === undefined || lot === undefined || marketLot === undefined) return null;
  let notional: NotionalFilter | null = null;
  const current = byName.get('NOTIONAL');
  const older = byName.get('MIN_NOTIONAL');
  if (current !== undefined || older !== undefined) {
    const min = wireDecimal((current ?? older)?.['minNotional']);
    const max = current === undefined ? '0' : wireDecimal(current['maxNotional'] ?? '0');
    if (min === null || max === null) return null;
    notional = {
      min,
      max,
      minAppliesToMarket: (current === undefined ? older?.['applyToMarket'] : current['applyMinToMarket']) === true,
      maxAppliesToMarket: current?.['applyMaxToMarket'] === true,
    };
  }
  return { instrument: symbol, baseAsset, quoteAsset, status, price, lot, marketLot, notional };
}

/** Fetches the filters of instruments. @throws VenueError -1121 for an unknown one, `bad_answer` for an unreadable one */
export async function fetchInstruments(rest: VenueHttp, instruments: readonly string[]): Promise<ReadonlyMap<string, SpotInstrument>> {
  const query = { symbols: JSON.stringify(instruments) };
  const answer = (await rest.get('/api/v3/exchangeInfo', query, 20, EXCHANGE_INFO_FIELDS)) as { symbols?: unknown } | null;
  if (!Array.isArray(answer?.symbols)) throw badAnswer('exchangeInfo', 'symbols is missing');
  const found = new Map<string, SpotInstrument>();
  for (const entry of answer.symbols as unknown[]) {
    const instrument = parseInstrument(entry);
    if (instrument === null) throw badAnswer('exchangeInfo', `a symbol cannot be read: ${JSON.stringify(entry).slice(0, 120)}`);
    found.set(instrument.instrument, instrument);
  }
  for (const wanted of instruments) if (!found.has(wanted)) throw badAnswer('exchangeInfo', `${wanted} is missing`);
  return found;
}
