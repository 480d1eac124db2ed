/** Market history in columns: closed bars on one grid, with the facts received by each slot. */

import type { Fact } from '../../domain/backtest/fact.ts';
import { canonicalHash, sha256OfLines } from '../../domain/values/canonical-json.ts';
import type { CatalogEntry, InstrumentKind } from '../../domain/catalog/catalog.ts';
import { isOfLastSession } from '../../domain/conditions/carried-reference.ts';
import type { ObservedEvent } from '../../domain/market/cut.ts';
import { type DecimalString, plainDecimal } from '../../domain/values/decimal.ts';
import { sessionAt } from '../../domain/market/session.ts';
import type { Stretch } from '../../domain/values/stretches.ts';
import { DAY_MS, type EpochMs, HOUR_MS, timeframeMs } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import type { Bars } from './kept-bars.ts';
import { ceilUnits } from './trade-ledger.ts';

/** Events about one underlying, and the ranges of slots in which all events of the longest lookback are known. */
export interface EventHistory {
  /** Known ranges, ascending and disjoint. */
  readonly known: readonly Stretch[];
  /** Events, ascending by `receivedAt`. */
  readonly events: readonly (ObservedEvent & { readonly receivedAt: EpochMs })[];
}

/** Stored history of one instrument. Only the candles are required. Missing data is unknown, never assumed. */
export interface InstrumentInput<List extends Bars = Bars> {
  readonly entry: Pick<CatalogEntry, 'key' | 'kind' | 'underlying' | 'benchmark' | 'benchmarkKind' | 'pairedPerp' | 'pairedSpot'>;
  /** Closed bars of the run's timeframe, ascending. */
  readonly candles: List;
  /** Closed bars of the other timeframes that rules use. */
  readonly series?: Readonly<Record<string, List>>;
  /** Bars of the underlying share, in the run's timeframe. */
  readonly referenceCandles?: List;
  /** Marks of the issuer. */
  readonly marks?: readonly Fact[];
  /** Bars of the asset's perpetual and spot instrument in the run's timeframe, unless the instrument is one of them. */
  readonly perpCandles?: List;
  readonly spotCandles?: List;
  /** Hourly funding of the asset's perpetual. `receivedAt` is the end of the hour. */
  readonly funding?: readonly Fact[];
  /** Pool liquidity in US dollars. */
  readonly liquidity?: readonly Fact[];
  /** Half of the spread of recorded quotes, in basis points. */
  readonly halfSpread?: readonly Fact[];
  readonly events?: EventHistory;
}

/** Flags of `state`. */
export const QUOTE_LIVE = 1;
export const QUOTE_KNOWN = 2;
export const REFERENCE_KNOWN = 4;
export const REFERENCE_LIVE = 8;
export const EVENTS_KNOWN = 16;
/** Flag of a price carried forward from the last regular session. A manifest may allow rules to use it. */
export const REFERENCE_CARRIED = 32;

/** Closes of one timeframe, ascending. */
export interface CloseSeries {
  readonly openTime: Float64Array;
  readonly close: Float64Array;
}

/** Columns of one instrument on the grid. Element i is the value known at slot i; NaN is unknown. */
export interface InstrumentColumns {
  readonly key: InstrumentKey;
  readonly kind: InstrumentKind;
  /** Decimals to which prices are stored, fixed by the first bar so that no later price changes an earlier one. */
  readonly decimals: number;
  /** Bars closed at the slot. A gap is NaN, except that `close` is carried forward and `state` marks it as not live. */
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
  readonly state: Uint8Array;
  /** True if every slot has its bar. */
  readonly whole: boolean;
  readonly benchmarkKind: CatalogEntry['benchmarkKind'];
  readonly benchmark: InstrumentKey | null;
  readonly reference: Float64Array | null;
  /** Publication time of the reference at each slot. */
  readonly referenceAt: Float64Array | null;
  readonly perpMark: Float64Array | null;
  readonly spotMid: Float64Array | null;
  readonly liquidity: Float64Array | null;
  readonly halfSpread: Float64Array | null;
  readonly series: Readonly<Record<string, CloseSeries>>;
  readonly funding: CloseSeries | null;
  /** Funding of a perpetual; null for other instruments. */
  readonly carry: FundingPaid | null;
  readonly events: EventHistory | null;
  readonly firstOpen: EpochMs;
  readonly lastClose: EpochMs;
}

/** Funding paid by the holder of one unit of a perpetual. */
export interface FundingPaid {
  /**
   * Cumulative funding in millionths of a US dollar from the first slot to each slot, rounded up every hour. It falls while the holder
   * receives.
   */
  readonly micros: Float64Array;
  /** Hours of the history, and the number of them whose rate is unknown and assumed. */
  readonly hours: number;
  readonly assumedHours: number;
}

/** Assumed hourly funding rate if the real one is unknown: twice the venue's base rate. */
export const ASSUMED_HOURLY_FUNDING = 0.000_025;

/** Input history of a backtest. It consists of plain typed arrays, which cross to a worker thread without copying. */
export interface History {
  readonly timeframe: string;
  readonly barMs: number;
  /** Close of bar 0. Slot i is `firstSlot + i x barMs`: the close of bar i, when its decision is made. */
  readonly firstSlot: EpochMs;
  readonly length: number;
  readonly instruments: readonly InstrumentColumns[];
  /** SHA-256 over everything from which the columns were built. */
  readonly hash: string;
}

/** Maximum age of an issuer's mark, equal to the live limit. */
export const MARK_MAX_AGE_MS = 30 * DAY_MS;
/** Maximum age of liquidity and spread readings: one day without recording, and one more. */
export const LIQUIDITY_MAX_AGE_MS = 2 * DAY_MS;
/** Significant digits kept of the first price. Later prices stay exact up to ten thousand times as high. */
const DIGITS = 11;

/** Formats a price of the columns. Exact, because prices have at most 15 significant digits. */
export function priceText(price: number): DecimalString {
  const text = String(price);
  return text.includes('e') ? plainDecimal(price) : text;
}

/** Formats a computed price with the given number of significant digits. */
export function roundedText(price: number, digits: number): DecimalString {
  return priceText(Number(price.toPrecision(digits)));
}

/**
 * Aligns stored bars and facts to the grid of a timeframe.
 * @throws RangeError if there are no bars, they are not ascending, or a price is not above zero
 */
export function buildHistory(timeframe: string, inputs: readonly InstrumentInput[]): History {
  const barMs = timeframeMs(timeframe);
  if (barMs === null) throw new RangeError(`${timeframe} is not a timeframe`);
  const grid = computeGrid(inputs, barMs);
  return {
    timeframe,
    ...grid,
    instruments: inputs.map((input) => buildColumns(input, grid)),
    hash: historyHash(timeframe, inputs),
  };
}

interface Grid {
  readonly firstSlot: EpochMs;
  readonly barMs: number;
  readonly length: number;
}

/** Returns the grid that covers the bars of all instruments. @throws RangeError if there are no bars */
export function computeGrid(inputs: readonly Pick<InstrumentInput, 'candles'>[], barMs: number): Grid {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { candles } of inputs) {
    const [oldest, newest] = [candles.at(0), candles.at(-1)];
    if (oldest === undefined || newest === undefined) continue;
    first = Math.min(first, oldest.openTime);
    last = Math.max(last, newest.openTime);
  }
  if (first > last) throw new RangeError('this period of history has no candle');
  return { firstSlot: first + barMs, barMs, length: Math.floor((last - first) / barMs) + 1 };
}

function buildColumns(input: InstrumentInput, grid: Grid): InstrumentColumns {
  const { entry, candles } = input;
  const bars = priceColumns(entry.key, candles, grid);
  const { state, close } = bars;
  const share = entry.benchmarkKind === 'reference_price' ? buildReference(input.referenceCandles, grid, state) : null;
  const mark = entry.benchmarkKind === 'issuer_mark' ? buildMark(input.marks, grid, state) : null;
  const own = (other: InstrumentKey | null): Float64Array | null => (other === entry.key ? liveOnly(close, state) : null);
  if (input.events !== undefined) {
    for (const { from, to } of input.events.known) {
      const first = Math.max(0, Math.ceil((from - grid.firstSlot) / grid.barMs));
      for (let i = first; i < grid.length && grid.firstSlot + i * grid.barMs < to; i++) state[i] = (state[i] as number) | EVENTS_KNOWN;
    }
  }
  return {
    key: entry.key,
    kind: entry.kind,
    ...bars,
    benchmarkKind: entry.benchmarkKind,
    benchmark: entry.benchmark,
    reference: share?.values ?? mark?.values ?? null,
    referenceAt: share?.at ?? mark?.at ?? null,
    perpMark: own(entry.pairedPerp) ?? closesAt(input.perpCandles, grid),
    spotMid: own(entry.pairedSpot) ?? closesAt(input.spotCandles, grid),
    liquidity: factsAt(input.liquidity, grid, LIQUIDITY_MAX_AGE_MS)?.values ?? null,
    halfSpread: factsAt(input.halfSpread, grid, LIQUIDITY_MAX_AGE_MS)?.values ?? null,
    series: Object.fromEntries(Object.entries(input.series ?? {}).map(([timeframe, list]) => [timeframe, closeSeries(list)])),
    funding: input.funding === undefined ? null : fundingSeries(input.funding),
    carry: entry.kind === 'perp' ? fundingPaid(input.funding ?? [], close, grid) : null,
    events: input.events ?? null,
    firstOpen: candles.at(0)?.openTime ?? 0,
    lastClose: (candles.at(-1)?.openTime ?? -grid.barMs) + grid.barMs,
  };
}

function priceColumns(key: InstrumentKey, candles: Bars, { firstSlot, barMs, length }: Grid) {
  const nan = (): Float64Array => new Float64Array(length).fill(Number.NaN);
  const [open, high, low, close, volume] = [nan(), nan(), nan(), nan(), nan()];
  const state = new Uint8Array(length);
  const decimals = chooseDecimals(Number(candles.at(0)?.open ?? 1));
  const scale = 10 ** decimals;
  const price = (text: string): number => {
    const value = Number(text);
    if (!(value > 0) || value === Number.POSITIVE_INFINITY) throw new RangeError(`a bar of ${key} has the price ${text}`);
    const scaled = value * scale;
    return scaled < 2 ** 53 ? Math.round(scaled) / scale : value;
  };
  let before = -1;
  let filled = 0;
  for (const candle of candles) {
    const i = (candle.openTime + barMs - firstSlot) / barMs;
    if (!Number.isInteger(i) || i <= before)
      throw new RangeError(`the bars of ${key} are not ascending on the grid: one opens at ${candle.openTime}`);
    open[i] = price(candle.open);
    high[i] = price(candle.high);
    low[i] = price(candle.low);
    close[i] = price(candle.close);
    volume[i] = Number(candle.volume);
    state[i] = QUOTE_LIVE | QUOTE_KNOWN;
    before = i;
    filled++;
  }
  for (let i = 1; i < length; i++) {
    if (state[i] !== 0 || state[i - 1] === 0) continue;
    state[i] = QUOTE_KNOWN;
    close[i] = close[i - 1] as number;
  }
  return { decimals, open, high, low, close, volume, state, whole: filled === length };
}

/** Returns the number of decimals at which the first price has `DIGITS` significant digits. */
function chooseDecimals(firstPrice: number): number {
  return Math.min(18, Math.max(0, DIGITS - 1 - Math.floor(Math.log10(firstPrice))));
}

/**
 * Returns the share's price at each slot, and its print time. It is live if its bar closed at the slot and a session was open until then.
 * Otherwise it is carried forward, and rules on it pass only if the manifest allows the last regular session's price.
 */
function buildReference(candles: Bars | undefined, grid: Grid, state: Uint8Array) {
  const column = factsAt(candles && listCloses(candles, grid), grid, Number.POSITIVE_INFINITY);
  if (column === null) return null;
  for (let i = 0; i < grid.length; i++) {
    if (Number.isNaN(column.values[i])) continue;
    const slot = grid.firstSlot + i * grid.barMs;
    const live = column.at[i] === slot && sessionAt(slot - 1) !== 'CLOSED' && sessionAt(slot) !== 'CLOSED';
    const liveness = live ? REFERENCE_LIVE : isOfLastSession(column.at[i] as number, slot) ? REFERENCE_CARRIED : 0;
    state[i] = (state[i] as number) | REFERENCE_KNOWN | liveness;
  }
  return column;
}

/** Returns the issuer's mark at each slot, which is live for thirty days. */
function buildMark(marks: readonly Fact[] | undefined, grid: Grid, state: Uint8Array) {
  const column = factsAt(marks, grid, Number.POSITIVE_INFINITY);
  if (column === null) return null;
  for (let i = 0; i < grid.length; i++) {
    if (Number.isNaN(column.values[i])) continue;
    const live = grid.firstSlot + i * grid.barMs - (column.at[i] as number) <= MARK_MAX_AGE_MS;
    state[i] = (state[i] as number) | REFERENCE_KNOWN | (live ? REFERENCE_LIVE : 0);
  }
  return column;
}

/** Returns the latest fact received by each slot, if it is not older than `maxAgeMs`. */
function factsAt(facts: Iterable<Fact> | undefined, { firstSlot, barMs, length }: Grid, maxAgeMs: number) {
  if (facts === undefined) return null;
  const ascending = facts[Symbol.iterator]();
  let next = ascending.next();
  if (next.done === true) return null;
  const values = new Float64Array(length).fill(Number.NaN);
  const at = new Float64Array(length).fill(Number.NaN);
  let fact: Fact | undefined;
  for (let i = 0; i < length; i++) {
    const slot = firstSlot + i * barMs;
    for (; next.done !== true && next.value.receivedAt <= slot; next = ascending.next()) fact = next.value;
    if (fact === undefined || slot - fact.receivedAt > maxAgeMs) continue;
    values[i] = Number(fact.value);
    at[i] = fact.receivedAt;
  }
  return { values, at };
}

/** Returns the closes of bars that closed exactly at the slots. */
function closesAt(candles: Bars | undefined, grid: Grid): Float64Array | null {
  return factsAt(candles && listCloses(candles, grid), grid, 0)?.values ?? null;
}

/** Yields the close of each bar, known from the bar's end on. */
function* listCloses(candles: Bars, { barMs }: Grid): Iterable<Fact> {
  for (const { openTime, close } of candles) yield { receivedAt: openTime + barMs, value: close };
}

function liveOnly(close: Float64Array, state: Uint8Array): Float64Array {
  return close.map((price, i) => (((state[i] as number) & QUOTE_LIVE) !== 0 ? price : Number.NaN));
}

function closeSeries(candles: Bars): CloseSeries {
  const series = { openTime: new Float64Array(candles.length), close: new Float64Array(candles.length) };
  let i = 0;
  for (const { openTime, close } of candles) {
    series.openTime[i] = openTime;
    series.close[i++] = Number(close);
  }
  return series;
}

/** Accumulates the funding. The holder pays at the end of each hour, on the close known then. */
function fundingPaid(rates: readonly Fact[], close: Float64Array, { firstSlot, barMs, length }: Grid): FundingPaid {
  const byHour = new Map(rates.map(({ receivedAt, value }) => [Math.round(receivedAt / HOUR_MS), Number(value)]));
  const micros = new Float64Array(length);
  let [paid, hours, assumedHours] = [0, 0, 0];
  for (let i = 0; i < length; i++) {
    const slot = firstSlot + i * barMs;
    for (let hour = Math.floor((slot - barMs) / HOUR_MS) + 1; i > 0 && hour * HOUR_MS <= slot; hour++) {
      const rate = byHour.get(hour);
      hours++;
      if (rate === undefined) assumedHours++;
      if (!Number.isNaN(close[i])) paid += ceilUnits((rate ?? ASSUMED_HOURLY_FUNDING) * (close[i] as number) * 1e6);
    }
    micros[i] = paid;
  }
  return { micros, hours, assumedHours };
}

function fundingSeries(facts: readonly Fact[]): CloseSeries {
  return {
    openTime: Float64Array.from(facts, ({ receivedAt }) => receivedAt - HOUR_MS),
    close: Float64Array.from(facts, ({ value }) => Number(value)),
  };
}

/** Normalizes a decimal: `1.50`, `01.5` and `1.5` are one price. */
function oneSpelling(text: DecimalString): DecimalString {
  return ONE_SPELLING.test(text) ? text : plainDecimal(text);
}
const ONE_SPELLING = /^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

function* barLines(candles: Bars): Iterable<string> {
  for (const { openTime, open, high, low, close, volume } of candles)
    yield `${openTime},${oneSpelling(open)},${oneSpelling(high)},${oneSpelling(low)},${oneSpelling(close)},${oneSpelling(volume)}`;
}

/** Hashes every bar and fact column by column, so that the same stored history has the same hash wherever it was read. */
function historyHash(timeframe: string, inputs: readonly InstrumentInput[]): string {
  const bars = (candles: Bars | undefined): string | null => (candles === undefined ? null : sha256OfLines(barLines(candles)));
  const facts = (list: readonly Fact[] | undefined): string | null =>
    list === undefined ? null : sha256OfLines(list.map((fact) => `${fact.receivedAt},${oneSpelling(fact.value)}`));
  return canonicalHash({
    timeframe,
    instruments: inputs.map((input) => ({
      key: input.entry.key,
      candles: bars(input.candles),
      series: Object.fromEntries(Object.entries(input.series ?? {}).map(([name, list]) => [name, bars(list)])),
      reference: bars(input.referenceCandles),
      perp: bars(input.perpCandles),
      spot: bars(input.spotCandles),
      marks: facts(input.marks),
      funding: facts(input.funding),
      liquidity: facts(input.liquidity),
      ...(input.halfSpread === undefined ? {} : { halfSpread: facts(input.halfSpread) }),
      events: input.events === undefined ? null : canonicalHash(input.events),
    })),
  });
}
