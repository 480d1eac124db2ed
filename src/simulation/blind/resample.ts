/**
 * Resampled paths: the stationary block bootstrap of Politis and Romano (1994) over the joint returns of all instruments. Blocks move by
 * whole weeks, so that sessions and hours of the week keep their meaning.
 */
import { isClosedThroughout } from '../../domain/candles/candle-gaps.ts';
import type { Candle } from '../../domain/candles/candle.ts';
import { joinWholeCandles } from '../../domain/candles/joined-candles.ts';
import { type Stretch, unitedStretches } from '../../domain/values/stretches.ts';
import { DAY_MS, type EpochMs, WEEK_MS, timeframeMs } from '../../domain/values/time.ts';
import type { Fact } from '../../domain/backtest/fact.ts';
import { type EventHistory, computeGrid, type InstrumentInput, roundedText } from '../backtest/history.ts';
import { type Bars, KeptBars } from '../backtest/kept-bars.ts';
import { type Draws, drawWhole } from './draws.ts';

/** Block of bars copied from the source's bar `from` to the path's bar `at`. */
interface Block {
  readonly at: number;
  readonly from: number;
  readonly length: number;
}

const BLOCK_DAYS = 5;
const BLOCK_BARS = { least: 20, most: 500 };
const DIGITS = 10;

/** Returns the mean length of a block in bars: five days, but at least 20 and at most 500 bars. */
function meanBlockBars(barMs: number): number {
  return Math.min(BLOCK_BARS.most, Math.max(BLOCK_BARS.least, Math.round((BLOCK_DAYS * DAY_MS) / barMs)));
}

/** Draws the blocks of a path. Their lengths are geometric. */
export function drawBlocks(draw: Draws, barMs: number, sourceBars: number, bars: number): readonly Block[] {
  const mean = meanBlockBars(barMs);
  const apart = stepBetween(barMs, sourceBars);
  const blocks: Block[] = [];
  for (let at = 0; at < bars; ) {
    const first = at % apart;
    const from = first + apart * drawWhole(draw, 0, Math.max(0, Math.ceil((sourceBars - first) / apart) - 1));
    const wanted = 1 + Math.floor(Math.log(1 - draw()) / Math.log(1 - 1 / mean));
    const length = Math.min(wanted, sourceBars - from, bars - at);
    blocks.push({ at, from, length });
    at += length;
  }
  return blocks;
}

/** Returns the bars between two possible starts of a block: a week, or a day if the source is too short for weeks. */
function stepBetween(barMs: number, sourceBars: number): number {
  for (const stepMs of [WEEK_MS, DAY_MS]) {
    const step = stepMs / barMs;
    if (Number.isInteger(step) && step * 4 <= sourceBars) return step;
  }
  return 1;
}

/** Grid of a history's bars, by its first bar. */
interface Grid {
  readonly firstOpen: EpochMs;
  readonly barMs: number;
  readonly length: number;
  /** Returns, for each place and the one after the last, the index of the source's first bar at or after it. */
  readonly placesOf: (source: Bars) => Uint32Array;
}

/**
 * Creates a function that makes the inputs of a resampled path: the same instruments and first price, with the returns of the blocks. The
 * first path reads the sources in full; later paths read only their blocks.
 */
export function resampler(inputs: readonly InstrumentInput[], timeframe: string): (blocks: readonly Block[]) => readonly InstrumentInput[] {
  const { firstSlot, barMs, length } = computeGrid(inputs, timeframeMs(timeframe) as number);
  const firstOpen = firstSlot - barMs;
  const known = new Map<Bars, Uint32Array>();
  const findPlaces = (source: Bars): Uint32Array => {
    const places = known.get(source) ?? placesOn(source, { firstOpen, barMs, length });
    known.set(source, places);
    return places;
  };
  const grid: Grid = { firstOpen, barMs, length, placesOf: findPlaces };
  return (blocks) => inputs.map((input) => resampled(input, timeframe, grid, blocks));
}

function placesOn(source: Bars, { firstOpen, barMs, length }: Omit<Grid, 'placesOf'>): Uint32Array {
  const places = new Uint32Array(length + 1);
  let place = 0;
  let bar = 0;
  for (const { openTime } of source) {
    const at = Math.floor((openTime - firstOpen) / barMs);
    while (place <= at && place <= length) places[place++] = bar;
    bar++;
  }
  return places.fill(bar, place);
}

function resampled(input: InstrumentInput, timeframe: string, grid: Grid, blocks: readonly Block[]): InstrumentInput {
  const { candles, factors } = resampledBars(input.candles, grid, blocks);
  const carried: Carried = { grid, blocks, factors };
  const bars = (list: Bars): Bars => carryBars(list, carried);
  const { series, referenceCandles, perpCandles, spotCandles, marks, funding, liquidity, halfSpread, events } = input;
  return {
    entry: input.entry,
    candles,
    ...(series === undefined ? {} : { series: resampledSeries(input, series, candles, timeframe, bars) }),
    ...(referenceCandles === undefined ? {} : { referenceCandles: bars(referenceCandles) }),
    ...(perpCandles === undefined ? {} : { perpCandles: bars(perpCandles) }),
    ...(spotCandles === undefined ? {} : { spotCandles: bars(spotCandles) }),
    ...(marks === undefined ? {} : { marks: carryReadings(marks, carried, true) }),
    ...(funding === undefined ? {} : { funding: carryFunding(funding, carried) }),
    ...(liquidity === undefined ? {} : { liquidity: carryReadings(liquidity, carried, false) }),
    ...(halfSpread === undefined ? {} : { halfSpread: carryReadings(halfSpread, carried, false) }),
    ...(events === undefined ? {} : { events: carryEvents(events, carried) }),
  };
}

/** Returns the bars of a path, and for each bar the path's price over the source's price. */
function resampledBars(source: Bars, grid: Grid, blocks: readonly Block[]) {
  const places = grid.placesOf(source);
  const length = blocks.reduce((sum, block) => sum + block.length, 0);
  const factors = new Float64Array(length);
  const candles = new KeptBars();
  let last = Number(source.at(0)?.open ?? 1);
  for (const { at, from, length: count } of blocks) {
    const made: Candle[] = [];
    const first = places[from] as number;
    let known = first === 0 ? undefined : source.at(first - 1)?.close;
    for (let n = 0; n < count; n++) {
      const [candle] = barsAt(source, places, from + n);
      const factor = last / Number(known ?? candle?.open ?? last);
      // The factor is constant within a block: prices are the source's, scaled.
      factors[at + n] = factor;
      if (candle === undefined) continue;
      made.push(scaled(candle, grid.firstOpen + (at + n) * grid.barMs, factor));
      last = Number((made.at(-1) as Candle).close);
      known = candle.close;
    }
    candles.add(made);
  }
  return { candles, factors };
}

/** Returns the source's bars at a place of the grid. */
function barsAt(source: Bars, places: Uint32Array, place: number): readonly Candle[] {
  const [first, end] = [places[place] as number, places[place + 1] as number];
  return Array.from({ length: end - first }, (_, n) => source.at(first + n) as Candle);
}

/** Moves a bar to another time and price level. Volume changes inversely to price, so that the notional stays. */
function scaled({ open, high, low, close, volume }: Candle, openTime: EpochMs, factor: number): Candle {
  const price = (text: string): string => roundedText(Number(text) * factor, DIGITS);
  return {
    openTime,
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    volume: roundedText(Number(volume) / factor, DIGITS),
  };
}

/** Context for carrying an instrument's other data to a path. */
interface Carried {
  readonly grid: Grid;
  readonly blocks: readonly Block[];
  readonly factors: Float64Array;
}

/** Returns the time shift of a block. */
function computeShift({ at, from }: Block, { barMs }: Grid): number {
  return (at - from) * barMs;
}

/** Carries bars of the same or a shorter timeframe with their blocks. */
function carryBars(source: Bars, { grid, blocks, factors }: Carried): Bars {
  const places = grid.placesOf(source);
  const carried = new KeptBars();
  for (const block of blocks) {
    for (let n = 0; n < block.length; n++) {
      const factor = factors[block.at + n] as number;
      carried.add(barsAt(source, places, block.from + n).map((bar) => scaled(bar, bar.openTime + computeShift(block, grid), factor)));
    }
  }
  return carried;
}

/** Joins longer bars from the path's bars, because stored ones belong to the true history. */
function resampledSeries(
  { entry }: InstrumentInput,
  series: Readonly<Record<string, Bars>>,
  own: Bars,
  timeframe: string,
  carried: (list: Bars) => Bars,
): Readonly<Record<string, Bars>> {
  const barMs = timeframeMs(timeframe) as number;
  const isClosed =
    (lengthMs: number) =>
    (openTime: EpochMs): boolean =>
      entry.kind === 'tokenized_equity' && isClosedThroughout(openTime, openTime + lengthMs);
  return Object.fromEntries(
    Object.entries(series).map(([longer, list]) => {
      const lengthMs = timeframeMs(longer) as number;
      return [longer, lengthMs % barMs === 0 ? joinWholeCandles([...own], barMs, lengthMs, isClosed(barMs)) : carried(list)];
    }),
  );
}

/** Carries readings that hold until the next one. A block starts with the reading in effect at its source. */
function carryReadings(facts: readonly Fact[], { grid, blocks, factors }: Carried, isPrice: boolean): readonly Fact[] {
  const { firstOpen, barMs } = grid;
  const carried: Fact[] = [];
  for (const block of blocks) {
    const [begin, shift] = [firstOpen + (block.from + 1) * barMs, computeShift(block, grid)];
    const end = begin + (block.length - 1) * barMs;
    const take = ({ value }: Fact, receivedAt: EpochMs): void => {
      const place = Math.min(factors.length - 1, Math.max(0, Math.ceil((receivedAt + shift - firstOpen) / barMs) - 1));
      const text = isPrice ? roundedText(Number(value) * (factors[place] as number), DIGITS) : value;
      carried.push({ receivedAt: receivedAt + shift, value: text });
    };
    const next = firstAfter(facts, begin);
    const held = facts[next - 1];
    if (held !== undefined) take(held, begin);
    for (let n = next; n < facts.length && (facts[n] as Fact).receivedAt <= end; n++) take(facts[n] as Fact, (facts[n] as Fact).receivedAt);
  }
  return carried;
}

/** Carries hourly rates with their hours. Rates before the history stay, because ranks look back at them. */
function carryFunding(rates: readonly Fact[], { grid, blocks }: Carried): readonly Fact[] {
  const { firstOpen, barMs } = grid;
  const carried = rates.slice(0, firstAfter(rates, firstOpen));
  for (const block of blocks) {
    const begin = firstOpen + block.from * barMs;
    const end = begin + block.length * barMs;
    for (let n = firstAfter(rates, begin); n < rates.length && (rates[n] as Fact).receivedAt <= end; n++) {
      const { receivedAt, value } = rates[n] as Fact;
      carried.push({ receivedAt: receivedAt + computeShift(block, grid), value });
    }
  }
  return carried;
}

/** Returns the index of the first fact received after an instant. */
function firstAfter(facts: readonly Fact[], at: EpochMs): number {
  let [low, high] = [0, facts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((facts[middle] as Fact).receivedAt <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function carryEvents({ known, events }: EventHistory, { grid, blocks }: Carried): EventHistory {
  const { firstOpen, barMs } = grid;
  const stretches: Stretch[] = [];
  const carried: EventHistory['events'][number][] = [];
  blocks.forEach((block, number) => {
    const shift = computeShift(block, grid);
    // The slots of a block are the closes of its bars.
    const [begin, end] = [firstOpen + (block.from + 1) * barMs, firstOpen + (block.from + block.length + 1) * barMs];
    for (const { from, to } of known) {
      const [first, last] = [Math.max(from, begin), Math.min(to, end)];
      if (first < last) stretches.push({ from: first + shift, to: last + shift });
    }
    for (const event of events) {
      if (event.receivedAt <= begin - barMs || event.receivedAt > end - barMs) continue;
      const { id, observedAt, receivedAt } = event;
      carried.push({ ...event, id: `${id}#${number}`, observedAt: observedAt + shift, receivedAt: receivedAt + shift });
    }
  });
  return { known: unitedStretches(stretches), events: carried };
}
