/** Messages of the venues through a stress scenario: raw quotes, references, funding, pool liquidity and bars, seeded. */
import type { Candle } from '../../domain/candles/candle.ts';
import { CATALOG, type CatalogEntry, type InstrumentKind } from '../../domain/catalog/catalog.ts';
import type { IndicatorNeed } from '../../domain/market/cut.ts';
import { listEventSources } from '../../domain/intelligence/listening.ts';
import type { MarketEvent } from '../../domain/market/market-event.ts';
import { NO_FLAGS } from '../../domain/market/quote.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, startOfSlot, timeframeMs } from '../../domain/values/time.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey, type Venue } from '../../domain/market/venue.ts';
import type { ScenarioCourse } from './scenario.ts';
import { type SeededDraws, seededDraws } from './seeded-draws.ts';

/** Calm state of one instrument of the agent's universe, from its recent history. Simulated numbers: statistics, not money. */
export interface StressMarket {
  readonly key: InstrumentKey;
  readonly kind: InstrumentKind;
  /** Price level in US dollars per unit. */
  readonly level: number;
  /** Standard deviation of one-minute relative returns. */
  readonly minuteVolatility: number;
  /** Spread in basis points of the mid price. */
  readonly spreadBps: number;
  /** Depth at the best price of each side, in US dollars. */
  readonly depthUsd: number;
  /** Liquidity of its pools in US dollars, or null if it trades on a book. */
  readonly liquidityUsd: number | null;
  /** Stock price or issuer's mark, or null if the instrument has no benchmark. */
  readonly benchmarkLevel: number | null;
  /** Hourly funding rate of its perpetual, as a fraction. */
  readonly hourlyFunding: number;
  /** Closed bars by timeframe, latest last, which warm the indicators. Seeded bars precede too short a series. */
  readonly bars: Readonly<Record<string, readonly Candle[]>>;
  /** Source of the values: `history` if level and volatility were measured, `assumed` if they follow from the kind of instrument. */
  readonly basis: 'history' | 'assumed';
}

/** Interval of quotes. In quiet hours only the steps around a slot have quotes. */
const STEP_MS = 2_500;
/** First step of a minute, after the slot's cut and orders. */
const STEP_OFFSET_MS = 1_000;
/** Last step before the next slot. */
const LAST_STEP_MS = 58_500;
/** Memory of a premium in milliseconds, and its calm amplitude. */
const PREMIUM_MEMORY_MS = 20 * MINUTE_MS;
const PREMIUM_SD: Readonly<Record<InstrumentKind, number>> = {
  tokenized_equity: 0.004,
  pre_ipo: 0.006,
  agent_token: 0.006,
  spot: 0.0002,
  perp: 0.0003,
};
/** Share of variance that all instruments have in common. */
const COMMON_SHARE = 0.5;
/** Factor on volatility in the half hour after the shock. */
const SHOCKED_VOLATILITY = 3;
/** Factor on volatility while the stock exchanges are closed. */
const QUIET_VOLATILITY = 0.35;
const CALM_CONFIDENCE = 0.0003;
const WIDE_CONFIDENCE = 0.02;
/** Age of an issuer's mark when the scenario begins, in milliseconds. */
const MARK_AGE_MS = 5 * DAY_MS;
/** Bars beyond an indicator's period, after which smoothing has forgotten its seed. */
const EXTRA_BARS = 50;

/** Underlying that moves, with its tokens, marks and perpetuals. */
interface Underlying {
  readonly draws: SeededDraws;
  readonly minuteVolatility: number;
  value: number;
}

interface Face {
  readonly entry: CatalogEntry;
  readonly market: StressMarket;
  readonly underlying: Underlying;
  readonly draws: SeededDraws;
  /** Share of the shock that it takes. */
  readonly share: number;
  readonly bars: BarMaker[];
  premium: number;
  mid: number;
}

interface BarMaker {
  readonly timeframe: string;
  readonly barMs: number;
  openTime: EpochMs;
  open: number;
  high: number;
  low: number;
  close: number;
  closed: Candle[];
}

/** Formats a price with as many decimals as venues use. */
function priced(value: number, level: number): string {
  return value.toFixed(level >= 1_000 ? 2 : level >= 1 ? 4 : 8);
}

/** Returns the catalog entry of an instrument, or an entry of its own if the catalog lacks it. */
function findEntry(key: InstrumentKey, kind: InstrumentKind): CatalogEntry {
  const known = CATALOG.byKey(key);
  if (known !== undefined) return known;
  const { venue, instrument } = splitInstrumentKey(key);
  return {
    key,
    venue: venue as ExecutableVenue,
    instrument,
    kind,
    name: instrument,
    sector: 'unknown',
    classification: null,
    underlying: instrument,
    quoteCurrency: 'USD',
    pairs: [],
    token: null,
    benchmark: null,
    benchmarkKind: null,
    pairedPerp: null,
    pairedSpot: null,
    pairedStock: null,
  };
}

function calm(at: EpochMs): number {
  // Evening to morning in New York in winter: shares do not trade, and tokens hardly.
  const hour = Math.floor(at / HOUR_MS) % 24;
  return hour >= 14 && hour < 21 ? 1 : QUIET_VOLATILITY;
}

/**
 * Yields the events of one run in order of receipt, the same for equal course, markets, needs and seed. Nothing is assessed here: the
 * receiving quality rules set qualities and flags.
 * @param isWorking returns true while an order works between slots, when quiet hours need all quotes
 */
export function* scenarioTape(
  course: ScenarioCourse,
  markets: readonly StressMarket[],
  needs: readonly IndicatorNeed[],
  seed: string,
  isWorking: () => boolean = () => false,
): Generator<MarketEvent, void, undefined> {
  const { startsAt, endsAt, shockAt, frozen } = course;
  const common = seededDraws(`${seed}/common`);
  const referenceShare = course.referenceShare(seededDraws(`${seed}/reference`).uniform());
  const underlyings = new Map<string, Underlying>();
  const faces = new Map<InstrumentKey, Face>();

  function findUnderlying(entry: CatalogEntry, minuteVolatility: number): Underlying {
    let known = underlyings.get(entry.underlying);
    if (known === undefined) {
      known = { draws: seededDraws(`${seed}/${entry.underlying}`), minuteVolatility, value: 1 };
      underlyings.set(entry.underlying, known);
    }
    return known;
  }
  function face(market: StressMarket, share: number): Face {
    const entry = findEntry(market.key, market.kind);
    const bars = [
      ...new Set(
        needs.filter((need) => need.instrument === market.key && need.name !== 'funding_percentile').map((need) => need.timeframe),
      ),
    ];
    return {
      entry,
      market,
      underlying: findUnderlying(entry, market.minuteVolatility),
      draws: seededDraws(`${seed}/${market.key}`),
      share,
      bars: bars.map((timeframe) => barMaker(timeframe, startsAt, market.level)),
      premium: 0,
      mid: market.level,
    };
  }
  for (const market of markets) faces.set(market.key, face(market, 1));
  // The spot market of a perpetual is quoted too, because the basis needs both.
  const traded = [...faces.values()];
  for (const { entry, market } of traded) {
    const spot = entry.pairedSpot === null ? undefined : CATALOG.byKey(entry.pairedSpot);
    if (spot !== undefined && !faces.has(spot.key))
      faces.set(spot.key, face({ ...market, key: spot.key, kind: spot.kind }, referenceShare));
  }

  yield* opening([...faces.values()], needs, startsAt, seed);

  let before = startsAt - STEP_MS;
  let listenedAt = Number.NEGATIVE_INFINITY;
  const frozenReference = new Map<string, { price: number; at: EpochMs }>();
  for (let at = startsAt - MINUTE_MS + STEP_OFFSET_MS; at <= endsAt; at = nextStep(at, course, isWorking)) {
    const elapsed = Math.max(at - before, 1);
    before = at;
    const wild = at >= shockAt && at < shockAt + 30 * MINUTE_MS ? SHOCKED_VOLATILITY : calm(at);
    const scale = wild * Math.sqrt(elapsed / MINUTE_MS);
    const shared = common.normal();
    for (const underlying of underlyings.values()) {
      const own = underlying.draws.normal();
      const mixed = Math.sqrt(COMMON_SHARE) * shared + Math.sqrt(1 - COMMON_SHARE) * own;
      underlying.value *= Math.max(0.5, 1 + underlying.minuteVolatility * scale * mixed);
    }
    const shocked = course.shocked(at);
    for (const one of faces.values()) move(one, elapsed, course.shock(one.market.kind) * one.share * shocked, at);
    if (at - listenedAt >= MINUTE_MS) {
      listenedAt = at;
      yield* quietNews([...underlyings.keys()], at);
    }
    // A frozen venue sends nothing, and the quality rules must detect its silence.
    if (frozen !== null && at >= frozen.from && at < frozen.until) continue;
    yield* references(faces, course, shocked * referenceShare, at, frozenReference);
    const perps = new Set<InstrumentKey>();
    for (const one of faces.values()) {
      const perp = one.entry.pairedPerp;
      if (perp !== null && !perps.has(perp)) {
        perps.add(perp);
        yield context(perp, faces.get(perp), one, course.shock('perp') * referenceShare * shocked, at);
      }
    }
    for (const one of faces.values()) {
      yield quote(one, course, at);
      if (one.market.liquidityUsd !== null && at % MINUTE_MS < STEP_MS + STEP_OFFSET_MS) {
        yield {
          kind: 'pool_liquidity',
          venue: 'spotchain',
          instrument: one.entry.instrument,
          source: 'stress:pools',
          observedAt: at,
          receivedAt: at,
          liquidityUsd: (one.market.liquidityUsd * course.depth(at)).toFixed(0),
        };
      }
      yield* closedBars(one, at);
    }
  }
}

/** Returns the next step of the grid. Quiet hours have only those around a slot, unless an order works. */
function nextStep(at: EpochMs, course: ScenarioCourse, isWorking: () => boolean): EpochMs {
  const next = at + STEP_MS;
  if (course.dense(next) || isWorking())
    return next % MINUTE_MS > LAST_STEP_MS ? startOfSlot(next, MINUTE_MS) + MINUTE_MS + STEP_OFFSET_MS : next;
  const minute = startOfSlot(at, MINUTE_MS);
  return at - minute < LAST_STEP_MS ? minute + LAST_STEP_MS : minute + MINUTE_MS + STEP_OFFSET_MS;
}

/** Yields quiet event sources: scenarios have no news, but every source is alive. */
function* quietNews(underlyings: readonly string[], at: EpochMs): Generator<MarketEvent> {
  for (const source of new Set(underlyings.flatMap(listEventSources))) {
    yield { kind: 'heartbeat', venue: 'reference', source, receivedAt: at };
  }
}

/** Yields the initial events: connections, bars up to the start, hours of funding, and marks. */
function* opening(faces: readonly Face[], needs: readonly IndicatorNeed[], startsAt: EpochMs, seed: string): Generator<MarketEvent> {
  const at = startsAt - MINUTE_MS;
  const venues = new Set<Venue>(faces.map(({ entry }) => entry.venue));
  for (const { entry } of faces) {
    if (entry.benchmark !== null) venues.add('reference');
    if (entry.pairedPerp !== null) venues.add('evmvenue');
  }
  for (const venue of venues) {
    yield { kind: 'feed_status', venue, source: 'stress', receivedAt: at, status: 'connected', epoch: 1, detail: '' };
  }
  for (const one of faces) {
    const { entry, market } = one;
    for (const maker of one.bars) {
      const asked = needs.filter(
        (need) => need.instrument === entry.key && need.timeframe === maker.timeframe && need.name !== 'funding_percentile',
      );
      const count = Math.max(...asked.map((need) => need.period)) * 3 + EXTRA_BARS;
      const candles = warmBars(market, maker, count, seededDraws(`${seed}/${entry.key}/${maker.timeframe}/warm`));
      const from = maker.openTime - count * maker.barMs;
      yield {
        kind: 'candles',
        venue: entry.venue,
        instrument: entry.instrument,
        timeframe: maker.timeframe,
        source: 'stress:candles',
        receivedAt: at,
        candles,
        covers: { from, to: maker.openTime },
      };
    }
    if (entry.benchmarkKind === 'issuer_mark') yield mark(one, at);
  }
  const funded = new Set<InstrumentKey>();
  for (const need of needs) {
    const one = need.name === 'funding_percentile' ? faces.find(({ entry }) => entry.key === need.instrument) : undefined;
    const perp = one?.entry.pairedPerp ?? null;
    if (one === undefined || perp === null || funded.has(perp)) continue;
    funded.add(perp);
    const most = Math.max(...needs.filter(({ name }) => name === 'funding_percentile').map(({ period }) => period));
    const draws = seededDraws(`${seed}/${perp}/funding`);
    const last = startOfSlot(at, HOUR_MS);
    const candles = Array.from({ length: most * 24 + 2 }, (_, index): Candle => {
      const rate = (one.market.hourlyFunding * (1 + 0.5 * draws.normal())).toFixed(10);
      return { openTime: last - (most * 24 + 2 - index) * HOUR_MS, open: rate, high: rate, low: rate, close: rate, volume: '0' };
    });
    yield {
      kind: 'candles',
      venue: 'evmvenue',
      instrument: splitInstrumentKey(perp).instrument,
      timeframe: '1h',
      source: 'stress:fundingHistory',
      receivedAt: at,
      candles,
      covers: { from: candles[0]?.openTime ?? last, to: last },
    };
  }
}

function barMaker(timeframe: string, startsAt: EpochMs, level: number): BarMaker {
  const barMs = timeframeMs(timeframe);
  if (barMs === null) throw new RangeError(`an indicator needs a timeframe such as 1h, got ${timeframe}`);
  return {
    timeframe,
    barMs,
    openTime: startOfSlot(startsAt - MINUTE_MS, barMs),
    open: level,
    high: level,
    low: level,
    close: level,
    closed: [],
  };
}

/** Returns the bars before the start: known relative moves of the instrument as far as there are any, ending at its level. */
function warmBars(market: StressMarket, maker: BarMaker, count: number, draws: SeededDraws): Candle[] {
  const known = market.bars[maker.timeframe] ?? [];
  const candles: Candle[] = [];
  const sd = market.minuteVolatility * Math.sqrt(maker.barMs / MINUTE_MS);
  let close = market.level;
  for (let back = 1; back <= count; back++) {
    const own = known[known.length - back];
    const prior = known[known.length - back - 1];
    const measured = own === undefined || prior === undefined ? Number.NaN : Number(own.close) / Number(prior.close);
    const ratio = Number.isFinite(measured) && measured > 0 ? measured : Math.max(0.5, 1 + sd * draws.normal());
    const open = close / ratio;
    const spelled = (value: number): string => priced(value, market.level);
    candles.push({
      openTime: maker.openTime - back * maker.barMs,
      open: spelled(open),
      high: spelled(Math.max(open, close)),
      low: spelled(Math.min(open, close)),
      close: spelled(close),
      volume: own?.volume ?? '1',
    });
    close = open;
  }
  return candles.reverse();
}

function move(one: Face, elapsed: number, fall: number, at: EpochMs): void {
  const memory = Math.max(0, 1 - elapsed / PREMIUM_MEMORY_MS);
  one.premium = one.premium * memory + Math.sqrt(1 - memory * memory) * PREMIUM_SD[one.market.kind] * one.draws.normal();
  one.mid = one.market.level * one.underlying.value * (1 + one.premium) * (1 - fall);
  for (const maker of one.bars) {
    while (at >= maker.openTime + maker.barMs) {
      const spelled = (value: number): string => priced(value, one.market.level);
      const { openTime, open, high, low, close } = maker;
      maker.closed.push({ openTime, open: spelled(open), high: spelled(high), low: spelled(low), close: spelled(close), volume: '1' });
      maker.openTime += maker.barMs;
      maker.open = maker.high = maker.low = maker.close;
    }
    maker.close = one.mid;
    if (one.mid > maker.high) maker.high = one.mid;
    if (one.mid < maker.low) maker.low = one.mid;
  }
}

function* closedBars(one: Face, at: EpochMs): Generator<MarketEvent> {
  for (const maker of one.bars) {
    if (maker.closed.length === 0) continue;
    const candles = maker.closed;
    maker.closed = [];
    yield {
      kind: 'candles',
      venue: one.entry.venue,
      instrument: one.entry.instrument,
      timeframe: maker.timeframe,
      source: 'stress:candles',
      receivedAt: at,
      candles,
    };
  }
}

function quote(one: Face, course: ScenarioCourse, at: EpochMs): MarketEvent {
  const { market, mid } = one;
  const half = (market.spreadBps / 20_000) * course.spread(at);
  const size = ((market.depthUsd * course.depth(at)) / mid).toFixed(8);
  return {
    kind: 'quote',
    venue: one.entry.venue,
    instrument: one.entry.instrument,
    source: 'stress:top',
    observedAt: at,
    receivedAt: at,
    sourceTime: true,
    bid: priced(mid * (1 - half), market.level),
    ask: priced(mid * (1 + half) + 2 / 10 ** (market.level >= 1_000 ? 2 : market.level >= 1 ? 4 : 8), market.level),
    bidSize: size,
    askSize: size,
    sequence: null,
    quality: 'live',
    flags: NO_FLAGS,
  };
}

function context(perp: InstrumentKey, own: Face | undefined, one: Face, fall: number, at: EpochMs): MarketEvent {
  const value = one.market.level * one.underlying.value;
  const markPrice = own === undefined ? value * (1 - fall) : own.mid;
  return {
    kind: 'perp_context',
    venue: 'evmvenue',
    instrument: splitInstrumentKey(perp).instrument,
    source: 'stress:contexts',
    observedAt: at,
    receivedAt: at,
    markPrice: priced(markPrice, one.market.level),
    oraclePrice: priced(value * (1 - fall), one.market.level),
    hourlyFunding: one.market.hourlyFunding.toFixed(10),
    openInterest: '1000',
    dayNotional: '100000000',
  };
}

function* references(
  faces: ReadonlyMap<InstrumentKey, Face>,
  course: ScenarioCourse,
  shocked: number,
  at: EpochMs,
  frozen: Map<string, { price: number; at: EpochMs }>,
): Generator<MarketEvent> {
  const said = new Set<InstrumentKey>();
  const feed = course.referenceFace(at);
  for (const one of faces.values()) {
    const { benchmark, benchmarkKind } = one.entry;
    if (benchmark === null || benchmarkKind !== 'reference_price' || said.has(benchmark)) continue;
    said.add(benchmark);
    const level = one.market.benchmarkLevel ?? one.market.level;
    const { instrument } = splitInstrumentKey(benchmark);
    const now = { price: level * one.underlying.value * (1 - course.shock(one.market.kind) * shocked), at };
    const last = feed === 'frozen' ? (frozen.get(instrument) ?? now) : now;
    frozen.set(instrument, last);
    yield {
      kind: 'reference',
      venue: 'reference',
      instrument,
      source: 'stress:prices',
      observedAt: last.at,
      receivedAt: at,
      feedUpdatedAt: last.at,
      referencePrice: priced(last.price, level),
      confidence: priced(last.price * (feed === 'wide' ? WIDE_CONFIDENCE : CALM_CONFIDENCE), 1e-6),
      publisherSession: null,
      quality: 'live',
      flags: NO_FLAGS,
    };
  }
}

function mark(one: Face, at: EpochMs): MarketEvent {
  const level = one.market.benchmarkLevel ?? one.market.level;
  return {
    kind: 'reference',
    venue: 'reference',
    instrument: splitInstrumentKey(one.entry.benchmark as InstrumentKey).instrument,
    source: 'prestocks:marks',
    observedAt: at - MARK_AGE_MS,
    receivedAt: at,
    feedUpdatedAt: at - MARK_AGE_MS,
    referencePrice: priced(level, level),
    confidence: '0',
    publisherSession: null,
    quality: 'live',
    flags: NO_FLAGS,
  };
}
