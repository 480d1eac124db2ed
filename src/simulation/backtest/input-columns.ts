/** Rule inputs as columns over the grid: prices, ratios, indicators, sessions and events. Each is computed once. */

import type { NetEdgeSeen } from '../../domain/conditions/net-edge-above.ts';
import { FRESH_BARS, type IndicatorNeed, indicatorKey, type ObservedEvent } from '../../domain/market/cut.ts';
import { SEVERITIES } from '../../domain/market/market-event.ts';
import { SESSIONS } from '../../domain/market/quote.ts';
import { isSessionKnown, nextSessionChange, sessionAt } from '../../domain/market/session.ts';
import { HOUR_MS, timeframeMs } from '../../domain/values/time.ts';
import { midPrice, percentAbove } from '../../domain/market/valuation.ts';
import { bestPrices } from './bar-execution.ts';
import {
  type CloseSeries,
  EVENTS_KNOWN,
  type History,
  type InstrumentColumns,
  priceText,
  QUOTE_KNOWN,
  QUOTE_LIVE,
  REFERENCE_LIVE,
} from './history.ts';
import { emaRelations, indicatorColumn } from './indicator-columns.ts';

/** Column of numbers; NaN is unknown. */
export interface NumberColumn {
  readonly kind: 'number' | 'decimal';
  readonly values: Float64Array;
}

/** Column of words by their index in `labels`, counted from 1; 0 is unknown. */
export interface WordColumn {
  readonly kind: 'word';
  readonly codes: Uint8Array;
  readonly labels: readonly string[];
}

export type InputColumn = NumberColumn | WordColumn;

/** Words in the order of the codes of `emaRelations`. */
const EMA_RELATIONS = ['crossed_up', 'crossed_down', 'above', 'below', 'level'] as const;
const REFERENCE_STATES = ['live', 'lost'] as const;
const EVENT_WORDS = ['none', ...SEVERITIES] as const;
const ULPS = 2 ** -51;

/**
 * Returns (value - base) / base x 100 rounded half-even to 8 digits, equal to `percentAbove` of the prices' texts. Doubles suffice unless
 * the result is close to a rounding step.
 */
export function computePercent(value: number, base: number): number {
  const ratio = (value - base) / base;
  const steps = ratio * 1e10;
  const error = (((value + base) / base) * 1e10 + Math.abs(steps)) * ULPS;
  const toHalf = Math.abs(steps - Math.floor(steps) - 0.5);
  if (toHalf > error && base > 1e-300 && Math.abs(steps) < 2 ** 52) return Math.round(steps) / 1e8 + 0;
  if (Number.isNaN(ratio)) return Number.NaN;
  return percentAbove(priceText(value), priceText(base)) ?? Number.NaN;
}

/** Columns of one instrument, computed on first use. */
export class InputColumns {
  readonly #history: History;
  readonly #columns: InstrumentColumns;
  readonly #made = new Map<string, InputColumn>();
  readonly #shared: Map<string, InputColumn>;
  /** Bars of the run itself, without gaps. */
  #own: CloseSeries | null = null;

  /** Number of columns computed so far. */
  get size(): number {
    return this.#made.size;
  }

  /** @param shared Columns shared by all instruments of the history */
  constructor(history: History, columns: InstrumentColumns, shared: Map<string, InputColumn>) {
    this.#history = history;
    this.#columns = columns;
    this.#shared = shared;
  }

  price(): NumberColumn {
    return this.#once('price', () => ({ kind: 'decimal', values: this.#columns.close })) as NumberColumn;
  }

  liquidity(): NumberColumn {
    return this.#once('liquidity', () => ({ kind: 'decimal', values: this.#columns.liquidity ?? this.#nothing() })) as NumberColumn;
  }

  /** Returns the gap to the reference price or the issuer's mark, unknown if the instrument has no such benchmark. */
  benchmarkGap(kind: 'reference_price' | 'issuer_mark'): NumberColumn {
    const { reference, benchmarkKind, close } = this.#columns;
    return this.#once(kind, () => this.#ratio(close, benchmarkKind === kind ? reference : null));
  }

  /** Returns the part of the discount that remains after a round trip, by the condition's own function on the assumed bid and ask. */
  netEdge(name: string, edgeOf: (seen: NetEdgeSeen) => number | null, halfSpreadBps: number): NumberColumn {
    return this.#once(`net edge ${halfSpreadBps} ${name}`, () => {
      const { key, close, decimals, liquidity, state } = this.#columns;
      const premium = this.benchmarkGap('reference_price').values;
      const values = this.#nothing();
      for (let i = 0; i < values.length; i++) {
        if (((state[i] as number) & QUOTE_KNOWN) === 0 || Number.isNaN(premium[i])) continue;
        const best = bestPrices(close[i] as number, decimals, halfSpreadBps);
        const [bid, ask] = [priceText(best.bid), priceText(best.ask)];
        const depth = liquidity?.[i] ?? Number.NaN;
        const liquidityUsd = Number.isNaN(depth) ? null : priceText(depth);
        const quote = { bid, ask, mid: midPrice(bid, ask) };
        values[i] = edgeOf({ instrument: key, quote, premiumPct: premium[i] as number, liquidityUsd }) ?? Number.NaN;
      }
      return { kind: 'number', values };
    }) as NumberColumn;
  }

  /** Returns the reliability of the reference while the instrument itself is quoted live. */
  referenceState(): WordColumn {
    return this.#once('reference state', () => {
      const { state } = this.#columns;
      const codes = new Uint8Array(this.#history.length);
      for (let i = 0; i < codes.length; i++) {
        const bits = state[i] as number;
        if ((bits & QUOTE_LIVE) !== 0) codes[i] = (bits & REFERENCE_LIVE) !== 0 ? 1 : 2;
      }
      return { kind: 'word', codes, labels: REFERENCE_STATES };
    }) as WordColumn;
  }

  basis(): NumberColumn {
    const { perpMark, spotMid } = this.#columns;
    return this.#once('basis', () => (perpMark === null ? this.#ratio(null, null) : this.#ratio(perpMark, spotMid)));
  }

  /** Returns an indicator on the last closed bar, unknown if that bar is not fresh. */
  indicator(need: Omit<IndicatorNeed, 'instrument'>): NumberColumn {
    return this.#once(indicatorKey(need), () => {
      const values = this.#indicatorValues(need);
      return { kind: 'number', values: this.#identical(need) ? values : this.#onGrid(need, (bar) => values[bar] as number) };
    }) as NumberColumn;
  }

  /** Returns the fast average relative to the slow one on the last closed bar. */
  emaRelation(fast: number, slow: number, timeframe: string): WordColumn {
    return this.#once(`ema ${fast} ${slow} ${timeframe}`, () => {
      const need = { name: 'ema', period: fast, timeframe } as const;
      const series = this.#seriesOf(need);
      const relation = series === null ? new Uint8Array(0) : emaRelations(fast, slow, timeframe, series);
      const codes = this.#identical(need)
        ? relation
        : Uint8Array.from(
            this.#onGrid(need, (bar) => relation[bar] as number),
            (code) => (Number.isNaN(code) ? 0 : code),
          );
      return { kind: 'word', codes, labels: EMA_RELATIONS };
    }) as WordColumn;
  }

  session(): WordColumn {
    const { firstSlot, barMs, length } = this.#history;
    const known = this.#shared.get('session');
    if (known !== undefined) return known as WordColumn;
    const codes = new Uint8Array(length);
    let until = Number.NEGATIVE_INFINITY;
    let code = 0;
    for (let i = 0; i < length; i++) {
      const slot = firstSlot + i * barMs;
      if (slot >= until) {
        const isKnown = isSessionKnown(slot);
        code = isKnown ? SESSIONS.indexOf(sessionAt(slot)) + 1 : 0;
        until = isKnown ? (nextSessionChange(slot) ?? slot + barMs) : slot + barMs;
      }
      codes[i] = code;
    }
    const column: WordColumn = { kind: 'word', codes, labels: SESSIONS };
    this.#shared.set('session', column);
    return column;
  }

  /** Returns the worst negative event of the lookback, unknown if recording did not cover all of it. */
  worstEvent(lookbackHours: number, includeRumors: boolean): WordColumn {
    return this.#once(`event ${lookbackHours} ${includeRumors}`, () => {
      const codes = new Uint8Array(this.#history.length);
      const { events, state } = this.#columns;
      const lookbackMs = lookbackHours * HOUR_MS;
      let oldest = 0;
      for (let i = 0; events !== null && i < codes.length; i++) {
        const slot = this.#history.firstSlot + i * this.#history.barMs;
        for (let event = events.events[oldest]; event !== undefined; event = events.events[++oldest]) {
          if (Math.max(event.observedAt, event.receivedAt) >= slot - lookbackMs) break;
        }
        if (((state[i] as number) & EVENTS_KNOWN) !== 0) codes[i] = findWorst(events.events, oldest, slot, lookbackMs, includeRumors);
      }
      return { kind: 'word', codes, labels: EVENT_WORDS };
    }) as WordColumn;
  }

  #once<Column extends InputColumn>(name: string, make: () => Column): Column {
    const known = this.#made.get(name);
    if (known !== undefined) return known as Column;
    const column = make();
    this.#made.set(name, column);
    return column;
  }

  #nothing(): Float64Array {
    return new Float64Array(this.#history.length).fill(Number.NaN);
  }

  #ratio(values: Float64Array | null, bases: Float64Array | null): NumberColumn {
    if (values === null || bases === null) return { kind: 'number', values: this.#nothing() };
    const out = new Float64Array(this.#history.length);
    for (let i = 0; i < out.length; i++) out[i] = computePercent(values[i] as number, bases[i] as number);
    return { kind: 'number', values: out };
  }

  /** True if bar i of the indicator's series is the bar that closed at slot i. */
  #identical(need: Pick<IndicatorNeed, 'name' | 'timeframe'>): boolean {
    return need.name !== 'funding_percentile' && need.timeframe === this.#history.timeframe && this.#columns.whole;
  }

  #seriesOf(need: Pick<IndicatorNeed, 'name' | 'timeframe'>): CloseSeries | null {
    const { series, funding } = this.#columns;
    if (need.name === 'funding_percentile') return funding;
    if (need.timeframe !== this.#history.timeframe) return series[need.timeframe] ?? null;
    this.#own ??= this.#ownSeries();
    return this.#own;
  }

  #ownSeries(): CloseSeries {
    const { whole, close, state } = this.#columns;
    const { firstSlot, barMs, length } = this.#history;
    if (whole) return { openTime: new Float64Array(length).map((_, i) => firstSlot + (i - 1) * barMs), close };
    const kept: number[] = [];
    for (let i = 0; i < length; i++) if (((state[i] as number) & QUOTE_LIVE) !== 0) kept.push(i);
    return {
      openTime: Float64Array.from(kept, (i) => firstSlot + (i - 1) * barMs),
      close: Float64Array.from(kept, (i) => close[i] as number),
    };
  }

  #indicatorValues(need: Omit<IndicatorNeed, 'instrument'>): Float64Array {
    return (
      this.#once(`${indicatorKey(need)} by bar`, () => {
        const series = this.#seriesOf(need);
        return { kind: 'number', values: series === null ? EMPTY : indicatorColumn(need, series) };
      }) as NumberColumn
    ).values;
  }

  /** Reads, for each slot, the last closed bar if it is as fresh as required live. */
  #onGrid(need: Pick<IndicatorNeed, 'name' | 'timeframe'>, read: (bar: number) => number): Float64Array {
    const out = this.#nothing();
    const series = this.#seriesOf(need);
    if (series === null) return out;
    const tfMs = timeframeMs(need.timeframe) as number;
    let bar = -1;
    for (let i = 0; i < out.length; i++) {
      const slot = this.#history.firstSlot + i * this.#history.barMs;
      while (bar + 1 < series.openTime.length && (series.openTime[bar + 1] as number) + tfMs <= slot) bar++;
      if (bar >= 0 && slot - (series.openTime[bar] as number) < FRESH_BARS * tfMs) out[i] = read(bar);
    }
    return out;
  }
}

const EMPTY = new Float64Array(0);

/** Returns the worst negative event received by the slot, as an index into `EVENT_WORDS` counted from 1. */
function findWorst(
  events: readonly (ObservedEvent & { readonly receivedAt: number })[],
  oldest: number,
  slot: number,
  lookbackMs: number,
  includeRumors: boolean,
): number {
  let worst = -1;
  for (let index = oldest; index < events.length; index++) {
    const event = events[index] as (typeof events)[number];
    if (event.receivedAt > slot) break;
    if (!event.negative || (event.rumor && !includeRumors) || event.observedAt < slot - lookbackMs) continue;
    worst = Math.max(worst, SEVERITIES.indexOf(event.severity));
  }
  return worst + 2;
}
