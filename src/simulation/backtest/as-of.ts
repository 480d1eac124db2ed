/** Point-in-time view of a history: bars appear as they close and facts as they arrive, and later data is unreachable. */
import { listActiveEvents } from '../../domain/intelligence/listening.ts';
import {
  type Cut,
  type IndicatorNeed,
  type IndicatorValue,
  indicatorKey,
  type Observation,
  type ObservedEvent,
} from '../../domain/market/cut.ts';
import { WindowedIndicator } from '../../domain/indicators/windowed.ts';
import { sessionAt } from '../../domain/market/session.ts';
import { type EpochMs, timeframeMs } from '../../domain/values/time.ts';
import { basisPct, gapToMarkPct, midPrice, premiumPct } from '../../domain/market/valuation.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import { bestPrices } from './bar-execution.ts';
import {
  EVENTS_KNOWN,
  type History,
  type InstrumentColumns,
  priceText,
  QUOTE_KNOWN,
  QUOTE_LIVE,
  REFERENCE_CARRIED,
  REFERENCE_KNOWN,
  REFERENCE_LIVE,
} from './history.ts';

/** Indicator that is updated with the bars closed so far. */
interface Running {
  readonly key: string;
  readonly indicator: WindowedIndicator;
  readonly barMs: number;
  readonly openTime: (bar: number) => EpochMs | undefined;
  readonly close: (bar: number) => number;
  next: number;
  barOpenTime: EpochMs | null;
}

/**
 * Creates a view that returns the cut of each slot, as the live view would have shown it. It moves only forward.
 * @param halfSpreadBps half spreads by instrument, in the order of the history
 */
export function createAsOfView(history: History, needs: readonly IndicatorNeed[], halfSpreadBps: readonly number[]) {
  const views = history.instruments.map((columns, index) => ({
    columns,
    halfSpreadBps: halfSpreadBps[index] as number,
    running: needs.filter((need) => need.instrument === columns.key).map((need) => createRunning(history, columns, need)),
    lastBar: -1,
  }));
  let at = -1;

  return {
    /** Returns the cut at slot `i`. @throws RangeError if `i` is before the last one */
    cutAt(i: number): Cut {
      if (i <= at || i >= history.length) throw new RangeError(`slot ${i} must be after slot ${at} and below ${history.length}`);
      const slot = history.firstSlot + i * history.barMs;
      const observations = new Map<InstrumentKey, Observation>();
      for (const view of views) {
        for (let bar = at + 1; bar <= i; bar++) if (has(view.columns, bar, QUOTE_LIVE)) view.lastBar = bar;
        for (const running of view.running) takeClosed(running, slot);
        observations.set(view.columns.key, observationAt(history, view, i, slot));
      }
      at = i;
      return { slot, observations };
    },
  };
}

function has({ state }: InstrumentColumns, i: number, bit: number): boolean {
  return ((state[i] as number) & bit) !== 0;
}

function createRunning(history: History, columns: InstrumentColumns, need: IndicatorNeed): Running {
  const own = need.name !== 'funding_percentile' && need.timeframe === history.timeframe;
  const series = need.name === 'funding_percentile' ? columns.funding : columns.series[need.timeframe];
  return {
    key: indicatorKey(need),
    indicator: new WindowedIndicator(need),
    barMs: timeframeMs(need.timeframe) as number,
    openTime: own
      ? (bar) => (bar < history.length ? history.firstSlot + (bar - 1) * history.barMs : undefined)
      : (bar) => series?.openTime[bar],
    // A gap in the run's own bars is NaN, which indicators skip.
    close: own
      ? (bar) => (has(columns, bar, QUOTE_LIVE) ? (columns.close[bar] as number) : Number.NaN)
      : (bar) => series?.close[bar] as number,
    next: 0,
    barOpenTime: null,
  };
}

function takeClosed(running: Running, slot: EpochMs): void {
  for (
    let open = running.openTime(running.next);
    open !== undefined && open + running.barMs <= slot;
    open = running.openTime(running.next)
  ) {
    const close = running.close(running.next++);
    if (Number.isNaN(close)) continue;
    running.indicator.push(open, close);
    running.barOpenTime = open;
  }
}

interface InstrumentView {
  readonly columns: InstrumentColumns;
  readonly halfSpreadBps: number;
  readonly running: readonly Running[];
  readonly lastBar: number;
}

function observationAt(history: History, view: InstrumentView, i: number, slot: EpochMs): Observation {
  const { columns } = view;
  const quote = quoteAt(history, view, i, slot);
  const reference = referenceAt(columns, i, slot);
  const mid = quote?.mid ?? null;
  const indicators: Record<string, IndicatorValue> = {};
  for (const { key, indicator, barOpenTime } of view.running) indicators[key] = indicator.at(barOpenTime);
  const perp = textAt(columns.perpMark, i);
  const spot = textAt(columns.spotMid, i);
  const priced = mid === null || reference === null ? null : { mid, price: reference.referencePrice };
  return {
    slot,
    instrument: columns.key,
    session: sessionAt(slot),
    quote,
    reference,
    premiumPct: priced !== null && columns.benchmarkKind === 'reference_price' ? premiumPct(priced.mid, priced.price) : null,
    gapToMarkPct: priced !== null && columns.benchmarkKind === 'issuer_mark' ? gapToMarkPct(priced.mid, priced.price) : null,
    basisPct: perp === null || spot === null ? null : basisPct(perp, spot),
    hourlyFunding: null,
    markPrice: perp,
    liquidityUsd: textAt(columns.liquidity, i),
    indicators,
    events: has(columns, i, EVENTS_KNOWN) ? activeEvents(columns, slot) : null,
  };
}

/** Returns the events that a live cut would contain. */
function activeEvents({ events }: InstrumentColumns, slot: EpochMs): readonly ObservedEvent[] {
  return listActiveEvents(events?.events.filter(({ receivedAt }) => receivedAt <= slot) ?? [], slot);
}

function textAt(values: Float64Array | null, i: number): string | null {
  const value = values?.[i] ?? Number.NaN;
  return Number.isNaN(value) ? null : priceText(value);
}

function quoteAt(history: History, { columns, halfSpreadBps, lastBar }: InstrumentView, i: number, slot: EpochMs): Observation['quote'] {
  if (!has(columns, i, QUOTE_KNOWN)) return null;
  const live = has(columns, i, QUOTE_LIVE);
  const best = bestPrices(columns.close[i] as number, columns.decimals, halfSpreadBps);
  const [bid, ask] = [priceText(best.bid), priceText(best.ask)];
  const closedAt = history.firstSlot + lastBar * history.barMs;
  return {
    bid,
    ask,
    mid: midPrice(bid, ask),
    source: `history:${history.timeframe}`,
    observedAt: closedAt,
    receivedAt: closedAt,
    ageMs: slot - closedAt,
    quality: live ? 'live' : 'stale',
    flags: live ? [] : ['over_age'],
  };
}

function referenceAt(columns: InstrumentColumns, i: number, slot: EpochMs): Observation['reference'] {
  if (!has(columns, i, REFERENCE_KNOWN)) return null;
  const live = has(columns, i, REFERENCE_LIVE);
  const publishedAt = columns.referenceAt?.[i] as number;
  return {
    instrument: columns.benchmark === null ? '' : splitInstrumentKey(columns.benchmark).instrument,
    referencePrice: textAt(columns.reference, i) as string,
    confidence: '0',
    feedUpdatedAt: publishedAt,
    receivedAt: publishedAt,
    ageMs: slot - publishedAt,
    quality: live ? 'live' : 'stale',
    flags: live ? [] : has(columns, i, REFERENCE_CARRIED) ? ['carried_forward'] : ['over_age'],
  };
}
