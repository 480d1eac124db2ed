/** Closed bars and their indicators as of a slot: pushed bar by bar, and repaired if history changes. */
import type { Candle, CandleBatch } from '../src/domain/candles/candle.ts';
import { FRESH_BARS, type IndicatorNeed, type IndicatorValue } from '../src/domain/market/cut.ts';
import { computeEndlessWindow, WindowedIndicator, computeWindow } from '../src/domain/indicators/windowed.ts';
import type { PerpContext } from '../src/domain/market/quote.ts';
import { type EpochMs, HOUR_MS, startOfSlot, timeframeMs } from '../src/domain/values/time.ts';
import { type InstrumentKey, instrumentKey } from '../src/domain/market/venue.ts';
import type { FeedCounters } from './feed-counters.ts';

/** Suffix of the `source` of bars with hourly funding rates: open = high = low = close = the rate of that hour. */
export const FUNDING_HISTORY = ':fundingHistory';

/** Maximum gap in live funding. A longer one restarts the series, because its ranks would span the wrong days. */
const FUNDING_HOLE_MS = 6 * HOUR_MS;

const NOTHING: IndicatorValue = Object.freeze({ value: null, previous: null, barOpenTime: null });

interface Bar {
  readonly candle: Candle;
  readonly input: number;
  readonly receivedAt: EpochMs;
}

/** An indicator that has processed the first `consumed` bars of its series. */
interface Running {
  readonly indicator: WindowedIndicator;
  consumed: number;
}

interface Series {
  readonly barMs: number;
  readonly timeframe: string;
  /** Bars ascending by open time, at most one each. */
  bars: Bar[];
  /** Complete range of open times. Bars beyond a gap that may still be filled do not count yet. */
  coveredFrom: EpochMs | null;
  coveredTo: EpochMs;
  /** Receipt of its newest bar. */
  receivedAt: EpochMs;
  readonly running: Map<string, Running>;
}

/** Coverage of one series of bars. */
interface BarCoverage {
  /** Open times from `from` up to but excluding `to` are complete. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Open times within it at which the venue has no bar. */
  readonly missing: readonly EpochMs[];
}

interface IndicatorBoardOptions {
  readonly counters?: FeedCounters;
  /** Maximum bars per series. Default 2,000, for funding 9,000 (a year of hours). */
  readonly maxBars?: number;
  /** Maximum series. The one without news for longest is dropped first. Default 5,000. */
  readonly maxSeries?: number;
}

export interface IndicatorBoard {
  /** Adds closed bars: new, repeated or repaired ones. Refuses and counts bars that are not closed or not positive. */
  apply(batch: CandleBatch): void;
  /** Adds a perpetual's hourly funding. The last rate of an hour is that hour's. */
  applyContext(context: PerpContext): void;
  /**
   * Returns the value of an indicator as of a slot, from bars that had closed and were received by then. A past slot is recomputed from the
   * kept bars. A funding percentile is of the perpetual. Returns nothing if the last bar is too old for a rule, because its window may
   * begin before what a newly started process would fetch. @param endless True to compute over all bars, as before windows.
   */
  valueAt(need: IndicatorNeed, slot: EpochMs, endless?: boolean): IndicatorValue;
  /** Returns closed bars of a series, ascending. */
  candles(instrument: InstrumentKey, timeframe: string): readonly Candle[];
  /** Returns null if nothing is known. */
  coverage(instrument: InstrumentKey, timeframe: string): BarCoverage | null;
}

export function createIndicatorBoard(options: IndicatorBoardOptions = {}): IndicatorBoard {
  return new BarBoard(options);
}

class BarBoard implements IndicatorBoard {
  readonly #counters;
  readonly #maxBars;
  readonly #maxSeries;
  readonly #series = new Map<string, Series>();
  /** Running hour of each perpetual. */
  readonly #hours = new Map<InstrumentKey, { hour: EpochMs; rate: string; receivedAt: EpochMs }>();

  constructor(options: IndicatorBoardOptions = {}) {
    const { counters } = options;
    this.#counters = counters;
    this.#maxBars = options.maxBars ?? 2_000;
    this.#maxSeries = options.maxSeries ?? 5_000;
  }

  apply(batch: CandleBatch): void {
    const barMs = timeframeMs(batch.timeframe);
    if (barMs === null) {
      this.#counters?.count(batch.venue, 'bad_bar');
      return;
    }
    const key = instrumentKey(batch.venue, batch.instrument);
    if (batch.source.endsWith(FUNDING_HISTORY)) this.#take(this.#seriesOf(fundingKey(key), '1h', HOUR_MS), batch, true);
    else this.#take(this.#seriesOf(barKey(key, batch.timeframe), batch.timeframe, barMs), batch, false);
  }

  applyContext(context: PerpContext): void {
    const key = instrumentKey(context.venue, context.instrument);
    const hour = startOfSlot(context.receivedAt, HOUR_MS);
    this.#closeHour(key, hour);
    this.#hours.set(key, { hour, rate: context.hourlyFunding, receivedAt: context.receivedAt });
  }

  valueAt(need: IndicatorNeed, slot: EpochMs, endless = false): IndicatorValue {
    const funding = need.name === 'funding_percentile';
    if (funding) this.#closeHour(need.instrument, slot);
    const target = this.#series.get(funding ? fundingKey(need.instrument) : barKey(need.instrument, need.timeframe));
    if (target === undefined || target.coveredFrom === null) return NOTHING;
    const { bars } = target;
    // A bar counts once it is closed and no earlier one may still be missing.
    const end = indexFrom(bars, Math.min(target.coveredTo, slot - target.barMs + 1));
    if (target.receivedAt > slot) {
      const known = bars.slice(0, end).filter((bar) => bar.receivedAt <= slot);
      if (!endless && !isFresh(known, known.length, target.barMs, slot)) return NOTHING;
      return advance(start(need, endless), known);
    }
    if (!endless && !isFresh(bars, end, target.barMs, slot)) return NOTHING;
    const name = `${need.name}:${need.period}${endless ? ' endless' : ''}`;
    let running = target.running.get(name);
    if (running === undefined || running.consumed > end) {
      running = start(need, endless);
      target.running.set(name, running);
    }
    return advance(running, bars, end);
  }

  candles(instrument: InstrumentKey, timeframe: string): readonly Candle[] {
    return (this.#series.get(barKey(instrument, timeframe))?.bars ?? []).map((bar) => bar.candle);
  }

  coverage(instrument: InstrumentKey, timeframe: string): BarCoverage | null {
    const target = this.#series.get(barKey(instrument, timeframe));
    if (target === undefined || target.coveredFrom === null) return null;
    const missing: EpochMs[] = [];
    let index = indexFrom(target.bars, target.coveredFrom);
    for (let openTime = target.coveredFrom; openTime < target.coveredTo; openTime += target.barMs) {
      while (index < target.bars.length && (target.bars[index] as Bar).candle.openTime < openTime) index++;
      if (target.bars[index]?.candle.openTime !== openTime) missing.push(openTime);
    }
    return { from: target.coveredFrom, to: target.coveredTo, missing };
  }

  #seriesOf(key: string, timeframe: string, barMs: number): Series {
    const known = this.#series.get(key);
    if (known !== undefined) {
      // Moved to the end, so that the first is always the one without news for longest.
      this.#series.delete(key);
      this.#series.set(key, known);
      return known;
    }
    const created: Series = { barMs, timeframe, bars: [], coveredFrom: null, coveredTo: 0, receivedAt: 0, running: new Map() };
    this.#series.set(key, created);
    if (this.#series.size > this.#maxSeries) this.#series.delete(this.#series.keys().next().value as string);
    return created;
  }

  #take(target: Series, batch: CandleBatch, funding: boolean): void {
    /** Open time of the first bar that is still forming. Nothing from there on is complete. */
    let forming = Number.POSITIVE_INFINITY;
    let first: EpochMs | null = null;
    let end = 0;
    for (const candle of batch.candles) {
      const input = Number(candle.close);
      if (candle.openTime + target.barMs > batch.receivedAt) {
        this.#counters?.count(batch.venue, 'unclosed_bar');
        if (candle.openTime < forming) forming = candle.openTime;
      } else if (!Number.isFinite(input) || (!funding && input <= 0)) this.#counters?.count(batch.venue, 'bad_bar');
      else {
        insert(target, { candle, input, receivedAt: batch.receivedAt });
        first ??= candle.openTime;
        end = candle.openTime + target.barMs;
      }
    }
    if (batch.covers !== undefined) {
      const { from, to } = batch.covers;
      // Nobody needed the series for so long that the hole in front of its window is never filled.
      if (target.coveredFrom !== null && from > target.coveredTo) restart(target, from);
      cover(target, from, Math.min(to, forming, batch.receivedAt));
    } else if (first !== null) cover(target, first, end);
    trim(target, funding ? Math.max(this.#maxBars, 9_000) : this.#maxBars);
  }

  /** Closes the running hour into a bar if it has ended by `at`. */
  #closeHour(key: InstrumentKey, at: EpochMs): void {
    const running = this.#hours.get(key);
    if (running === undefined || running.hour + HOUR_MS > at) return;
    this.#hours.delete(key);
    const input = Number(running.rate);
    if (!Number.isFinite(input)) return;
    const target = this.#seriesOf(fundingKey(key), '1h', HOUR_MS);
    const { rate, hour } = running;
    if (target.coveredFrom !== null && hour - target.coveredTo > FUNDING_HOLE_MS) restart(target, hour);
    const index = indexFrom(target.bars, hour);
    // The venue's own history is the better source if it came first.
    if (target.bars[index]?.candle.openTime === hour) return;
    insert(target, {
      candle: { openTime: hour, open: rate, high: rate, low: rate, close: rate, volume: '0' },
      input,
      receivedAt: running.receivedAt,
    });
    cover(target, target.coveredFrom === null ? hour : Math.min(target.coveredTo, hour), hour + HOUR_MS);
    trim(target, Math.max(this.#maxBars, 9_000));
  }
}

function barKey(instrument: InstrumentKey, timeframe: string): string {
  return `${instrument} ${timeframe}`;
}

function fundingKey(instrument: InstrumentKey): string {
  return `${instrument} funding`;
}

/** Returns the first index whose open time is at or after `openTime`. */
function indexFrom(bars: readonly Bar[], openTime: EpochMs): number {
  let low = 0;
  let high = bars.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bars[middle] as Bar).candle.openTime < openTime) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(target: Series, bar: Bar): void {
  const { bars } = target;
  const { openTime } = bar.candle;
  if (bar.receivedAt > target.receivedAt) target.receivedAt = bar.receivedAt;
  const lastBar = bars[bars.length - 1];
  if (lastBar === undefined || openTime > lastBar.candle.openTime) {
    bars.push(bar);
    return;
  }
  const index = indexFrom(bars, openTime);
  const known = bars[index] as Bar;
  if (known.candle.openTime === openTime) {
    if (sameCandle(known.candle, bar.candle)) return;
    bars[index] = bar;
  } else bars.splice(index, 0, bar);
  // Indicators that already used this index must be recomputed.
  for (const [name, running] of target.running) if (running.consumed > index) target.running.delete(name);
}

function cover(target: Series, from: EpochMs, to: EpochMs): void {
  if (from >= to) return;
  if (target.coveredFrom === null) {
    target.coveredFrom = from;
    target.coveredTo = to;
  } else if (from <= target.coveredTo && to >= target.coveredFrom) {
    target.coveredFrom = Math.min(target.coveredFrom, from);
    target.coveredTo = Math.max(target.coveredTo, to);
  }
  // Bars received before the gap in front of them was filled.
  for (let index = indexFrom(target.bars, target.coveredTo); target.bars[index]?.candle.openTime === target.coveredTo; index++) {
    target.coveredTo += target.barMs;
  }
}

/** Forgets everything before an open time. */
function restart(target: Series, from: EpochMs): void {
  target.bars = target.bars.slice(indexFrom(target.bars, from));
  target.coveredFrom = null;
  target.running.clear();
}

function trim(target: Series, most: number): void {
  if (target.bars.length <= most * 1.25) return;
  const dropped = target.bars.length - most;
  target.bars = target.bars.slice(dropped);
  const first = target.bars[0] as Bar;
  if (target.coveredFrom !== null && target.coveredFrom < first.candle.openTime) target.coveredFrom = first.candle.openTime;
  for (const [name, running] of target.running) {
    if (running.consumed < dropped) target.running.delete(name);
    else running.consumed -= dropped;
  }
}

function start(need: IndicatorNeed, endless: boolean): Running {
  return { indicator: new WindowedIndicator(need, endless ? computeEndlessWindow(need) : computeWindow(need)), consumed: 0 };
}

/** True if the last of the first `end` bars is fresh enough for rules at the slot. */
function isFresh(bars: readonly Bar[], end: number, barMs: number, slot: EpochMs): boolean {
  const lastBar = bars[end - 1];
  return lastBar !== undefined && slot - lastBar.candle.openTime < FRESH_BARS * barMs;
}

/** Pushes the unprocessed ones of the first `end` bars. */
function advance(running: Running, bars: readonly Bar[], end = bars.length): IndicatorValue {
  const { indicator } = running;
  for (; running.consumed < end; running.consumed++) {
    const { candle, input } = bars[running.consumed] as Bar;
    indicator.push(candle.openTime, input);
  }
  const lastBar = bars[end - 1];
  return lastBar === undefined ? NOTHING : indicator.at(lastBar.candle.openTime);
}

function sameCandle(a: Candle, b: Candle): boolean {
  return a.open === b.open && a.high === b.high && a.low === b.low && a.close === b.close && a.volume === b.volume;
}
