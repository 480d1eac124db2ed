/** Stored series that a backtest of a manifest reads, and their conversion to its input. */
import type { Candle } from '../../domain/candles/candle.ts';
import { isClosedThroughout } from '../../domain/candles/candle-gaps.ts';
import { CATALOG, type CatalogEntry } from '../../domain/catalog/catalog.ts';
import { definitionOf } from '../../domain/conditions/index.ts';
import { guardrailExits } from '../../domain/agents/decide.ts';
import { LONGEST_EVENT_LOOKBACK_HOURS } from '../../domain/intelligence/listening.ts';
import { joinWholeCandles } from '../../domain/candles/joined-candles.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { type EpochMs, timeframeMs } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../../domain/market/venue.ts';
import type { EventHistory, Fact, InstrumentInput } from './history.ts';
import type { Bars } from './kept-bars.ts';

/** A series of closed bars. */
export interface BarSeries {
  readonly venue: Venue;
  readonly instrument: string;
  readonly timeframe: string;
}

/** Needs of one instrument of the universe. Null if no rule asks for it or the asset has none. */
export interface InstrumentNeeds {
  readonly entry: CatalogEntry;
  readonly candles: BarSeries;
  /** Bars of other timeframes that rules look at. */
  readonly others: readonly BarSeries[];
  readonly reference: BarSeries | null;
  readonly perp: BarSeries | null;
  readonly spot: BarSeries | null;
  /** The perpetual whose hourly funding is ranked, or paid by its holder. */
  readonly funding: string | null;
  /** The token whose issuer's marks are read. */
  readonly mark: string | null;
  /** The instrument whose pools have a depth. */
  readonly pool: InstrumentKey | null;
  /** The longest look-back of the rules on events, in hours. */
  readonly eventHours: number | null;
}

/** @throws RangeError for an instrument that the catalog does not have. */
export function backtestNeeds(manifest: Manifest, timeframe: string): readonly InstrumentNeeds[] {
  const conditions = [...manifest.entry, ...manifest.exit, ...guardrailExits(manifest)];
  // Outside code sees what a live cut shows, whatever its fence reads.
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
    const series = (of: InstrumentKey, bars = timeframe): BarSeries => ({ ...splitInstrumentKey(of), timeframe: bars });
    const needs = conditions.flatMap((condition) => definitionOf(condition).needs(condition, key));
    const others = new Set(
      needs.flatMap((need) => (need.name === 'funding_percentile' || need.timeframe === timeframe ? [] : [need.timeframe])),
    );
    const paired = (other: InstrumentKey | null): BarSeries | null =>
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

/** Every series of bars that is needed, each once; the universe's own first. */
export function barSeriesOf(needs: readonly InstrumentNeeds[]): readonly BarSeries[] {
  const all = [
    ...needs.map(({ candles }) => candles),
    ...needs.flatMap(({ others, reference, perp, spot }) => [...others, reference, perp, spot]),
  ];
  const byName = new Map<string, BarSeries>();
  for (const series of all) if (series !== null) byName.set(seriesName(series), series);
  return [...byName.values()];
}

/** A series in one word. */
export function seriesName({ venue, instrument, timeframe }: BarSeries): string {
  return `${venue}:${instrument} ${timeframe}`;
}

/** Series that a run reads, by `seriesName`, with perpetuals and underlyings. */
export interface ReadSeries {
  readonly bars: ReadonlyMap<string, Bars>;
  readonly funding: ReadonlyMap<string, readonly Fact[]>;
  readonly events: ReadonlyMap<string, EventHistory>;
  /** Marks by instrument, as the venue or the issuer names it. */
  readonly marks: ReadonlyMap<string, readonly Fact[]>;
  readonly liquidity: ReadonlyMap<string, readonly Fact[]>;
  readonly halfSpreads: ReadonlyMap<string, readonly Fact[]>;
}

/**
 * The input of a history, wherever its series were read: of a file, of the store or both. A longer bar that was not read is
 * joined from the bars that are decided on. A series of which nothing was read is unknown.
 */
export function inputsOf(
  needs: readonly InstrumentNeeds[],
  { bars, funding, events, marks, liquidity, halfSpreads }: ReadSeries,
): readonly InstrumentInput[] {
  const barsOf = (series: BarSeries | null): Bars | null => {
    const found = series === null ? undefined : bars.get(seriesName(series));
    return found === undefined || found.length === 0 ? null : found;
  };
  return needs.map((need) => {
    const [reference, perp, spot] = [barsOf(need.reference), barsOf(need.perp), barsOf(need.spot)];
    const rates = need.funding === null ? undefined : funding.get(need.funding);
    const halfSpread = halfSpreads.get(need.entry.key);
    const received = need.eventHours === null ? undefined : events.get(need.entry.underlying);
    return {
      entry: need.entry,
      candles: barsOf(need.candles) ?? [],
      series: Object.fromEntries(
        need.others
          .map((series) => [series.timeframe, withJoinedBars(barsOf(series) ?? [], series, barsOf(need.candles) ?? [], need)] as const)
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

/** The bars that were read of a longer timeframe, and of the others those of which every part was read. */
function withJoinedBars(
  read: Bars,
  { timeframe }: BarSeries,
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

/** The bars that open within the same longer bar, with its open time, one longer bar after the other. */
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
