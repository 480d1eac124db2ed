/** Stored series that a backtest of a manifest reads, and their conversion to its inputs. */
import type { Candle, CandleSeries } from '../../domain/candles/candle.ts';
import { isClosedThroughout } from '../../domain/candles/candle-gaps.ts';
import { CATALOG, type CatalogEntry } from '../../domain/catalog/catalog.ts';
import { findConditionDefinition } from '../../domain/conditions/index.ts';
import { guardrailExits } from '../../domain/agents/decide.ts';
import { LONGEST_EVENT_LOOKBACK_HOURS } from '../../domain/intelligence/listening.ts';
import { joinWholeCandles } from '../../domain/candles/joined-candles.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { type EpochMs, timeframeMs } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import type { Fact } from '../../domain/backtest/fact.ts';
import type { EventHistory, InstrumentInput } from './history.ts';
import type { Bars } from './kept-bars.ts';

/** Data needs of one instrument. Null if no rule needs the data or the asset has none. */
export interface InstrumentNeeds {
  readonly entry: CatalogEntry;
  readonly candles: CandleSeries;
  /** Bars of other timeframes that rules use. */
  readonly others: readonly CandleSeries[];
  readonly reference: CandleSeries | null;
  readonly perp: CandleSeries | null;
  readonly spot: CandleSeries | null;
  /** Perpetual whose hourly funding rules rank or the holder pays. */
  readonly funding: string | null;
  /** Token whose issuer marks are read. */
  readonly mark: string | null;
  /** Instrument whose pool depth is read. */
  readonly pool: InstrumentKey | null;
  /** Longest lookback of the rules on events, in hours. */
  readonly eventHours: number | null;
}

/** Returns the needs of a manifest's instruments. @throws RangeError if the catalog does not have an instrument */
export function backtestNeeds(manifest: Manifest, timeframe: string): readonly InstrumentNeeds[] {
  const conditions = [...manifest.entry, ...manifest.exit, ...guardrailExits(manifest)];
  // Outside code sees everything in a live cut, whatever its guardrails read.
  const isOutside = manifest.strategy !== undefined;
  const types = new Set(isOutside ? ['basis', 'premium'] : []);
  for (const { type } of conditions) types.add(type.replace(/_(below|above)$/, ''));
  const eventHours = conditions
    .filter(({ type }) => type === 'no_negative_event' || type === 'negative_event')
    .map((condition) => Number(condition['lookbackHours']));
  if (isOutside) eventHours.push(LONGEST_EVENT_LOOKBACK_HOURS);
  return manifest.universe.map(({ key }) => {
    const entry = CATALOG.byKey(key);
    if (entry === undefined) throw new RangeError(`${key} is not in the catalog`);
    const series = (of: InstrumentKey, bars = timeframe): CandleSeries => ({ ...splitInstrumentKey(of), timeframe: bars });
    const needs = conditions.flatMap((condition) => findConditionDefinition(condition).needs(condition, key));
    const others = new Set(
      needs.flatMap((need) => (need.name === 'funding_percentile' || need.timeframe === timeframe ? [] : [need.timeframe])),
    );
    const paired = (other: InstrumentKey | null): CandleSeries | null =>
      types.has('basis') && other !== null && other !== key ? series(other) : null;
    return {
      entry,
      candles: series(key),
      others: [...others].sort().map((bars) => series(key, bars)),
      reference:
        types.has('premium') && entry.benchmarkKind === 'reference_price' && entry.benchmark !== null ? series(entry.benchmark) : null,
      perp: paired(entry.pairedPerp),
      spot: paired(entry.pairedSpot),
      funding:
        (types.has('funding_percentile') || entry.kind === 'perp') && entry.pairedPerp !== null
          ? splitInstrumentKey(entry.pairedPerp).instrument
          : null,
      mark: entry.benchmarkKind === 'issuer_mark' ? entry.instrument : null,
      pool: entry.venue === 'spotchain' ? key : null,
      eventHours: eventHours.length === 0 ? null : Math.max(...eventHours),
    };
  });
}

/** Returns the distinct series of bars that are needed, the universe's own first. */
export function listBarSeries(needs: readonly InstrumentNeeds[]): readonly CandleSeries[] {
  const all = [
    ...needs.map(({ candles }) => candles),
    ...needs.flatMap(({ others, reference, perp, spot }) => [...others, reference, perp, spot]),
  ];
  const byName = new Map<string, CandleSeries>();
  for (const series of all) if (series !== null) byName.set(seriesName(series), series);
  return [...byName.values()];
}

/** Returns the key of a series. */
export function seriesName({ venue, instrument, timeframe }: CandleSeries): string {
  return `${venue}:${instrument} ${timeframe}`;
}

/** Series read for a run, by `seriesName`, with perpetuals and underlyings. */
interface ReadSeries {
  readonly bars: ReadonlyMap<string, Bars>;
  readonly funding: ReadonlyMap<string, readonly Fact[]>;
  readonly events: ReadonlyMap<string, EventHistory>;
  /** Marks by instrument, as the venue or issuer names it. */
  readonly marks: ReadonlyMap<string, readonly Fact[]>;
  readonly liquidity: ReadonlyMap<string, readonly Fact[]>;
  readonly halfSpreads: ReadonlyMap<string, readonly Fact[]>;
}

/**
 * Converts series from a file, the store or both to the input of a history. Missing longer bars are joined from the decision bars. A
 * series without any bars is unknown.
 */
export function toInstrumentInputs(
  needs: readonly InstrumentNeeds[],
  { bars, funding, events, marks, liquidity, halfSpreads }: ReadSeries,
): readonly InstrumentInput[] {
  const findBars = (series: CandleSeries | null): Bars | null => {
    const found = series === null ? undefined : bars.get(seriesName(series));
    return found === undefined || found.length === 0 ? null : found;
  };
  return needs.map((need) => {
    const [reference, perp, spot] = [findBars(need.reference), findBars(need.perp), findBars(need.spot)];
    const rates = need.funding === null ? undefined : funding.get(need.funding);
    const halfSpread = halfSpreads.get(need.entry.key);
    const received = need.eventHours === null ? undefined : events.get(need.entry.underlying);
    return {
      entry: need.entry,
      candles: findBars(need.candles) ?? [],
      series: Object.fromEntries(
        need.others
          .map((series) => [series.timeframe, withJoinedBars(findBars(series) ?? [], series, findBars(need.candles) ?? [], need)] as const)
          .filter(([, list]) => list.length > 0),
      ),
      ...(reference === null ? {} : { referenceCandles: reference }),
      ...(perp === null ? {} : { perpCandles: perp }),
      ...(spot === null ? {} : { spotCandles: spot }),
      ...(rates === undefined ? {} : { funding: rates }),
      ...(received === undefined ? {} : { events: received }),
      ...(need.mark === null || !marks.has(need.mark) ? {} : { marks: marks.get(need.mark) as readonly Fact[] }),
      ...(need.pool === null || !liquidity.has(need.pool) ? {} : { liquidity: liquidity.get(need.pool) as readonly Fact[] }),
      ...(halfSpread === undefined ? {} : { halfSpread }),
    };
  });
}

/** Adds joined bars to the bars of a longer timeframe, only where all parts are present. */
function withJoinedBars(
  read: Bars,
  { timeframe }: CandleSeries,
  shorter: Bars,
  { entry, candles }: Pick<InstrumentNeeds, 'entry' | 'candles'>,
): Bars {
  const [barMs, lengthMs] = [timeframeMs(candles.timeframe) as number, timeframeMs(timeframe) as number];
  if (lengthMs % barMs !== 0) return read;
  const known = new Set<EpochMs>();
  for (const { openTime } of read) known.add(openTime);
  const isClosed = (openTime: EpochMs): boolean => entry.kind === 'tokenized_equity' && isClosedThroughout(openTime, openTime + barMs);
  const joined: Candle[] = [];
  for (const [openTime, parts] of partsOfLonger(shorter, lengthMs)) {
    if (!known.has(openTime)) joined.push(...joinWholeCandles(parts, barMs, lengthMs, isClosed));
  }
  return joined.length === 0 ? read : [...read, ...joined].sort((a, b) => a.openTime - b.openTime);
}

/** Yields the bars of each longer bar with its open time. */
function* partsOfLonger(bars: Bars, lengthMs: number): Iterable<readonly [openTime: EpochMs, parts: readonly Candle[]]> {
  let parts: Candle[] = [];
  let openTime = Number.NaN;
  for (const bar of bars) {
    const longer = Math.floor(bar.openTime / lengthMs) * lengthMs;
    if (longer !== openTime && parts.length > 0) {
      yield [openTime, parts];
      parts = [];
    }
    openTime = longer;
    parts.push(bar);
  }
  if (parts.length > 0) yield [openTime, parts];
}
