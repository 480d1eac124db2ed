/** Seeded market process: every price of the sandbox as a function of (seed, time). */
import type { Candle } from '../../domain/candles/candle.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../domain/values/time.ts';
import { sandboxCompanies } from '../intelligence/sandbox-stories.ts';
import { storySeed } from '../intelligence/story-plan.ts';
import { type AssetTraits, pricedAssets } from './listed-assets.ts';
import type { Market, MarketAsset } from './market.ts';
import { lastPrintMinute, shareClock, shareMinuteVariance, sharePrints, wallClock } from './market-hours.ts';
import { NewsShocks } from './news-shocks.ts';
import { Regimes } from './regimes.ts';
import { BridgeNoise, bell, mixed, RevertingNoise, SmoothNoise, deriveSeed, uniform } from './seeded-noise.ts';
import { TokenPremium } from './token-premium.ts';

const DAY_MINUTES = 1440;
const YEAR_MINUTES = 525_960;
/** Path points per minute. Prices are drawn per minute, with three more points in between. */
const POINTS = 4;

/** Time at which prices equal those of `listed-assets.ts`. */
const DEFAULT_ANCHOR = Date.UTC(2026, 10, 20, 21);
const WALL_MINUTE_VARIANCE = 1 / YEAR_MINUTES;
/** Days between an issuer's rounds, and the maximum delay of a round. */
const ROUND_DAYS = 120;
const ROUND_LATE_DAYS = 60;
/** Marks are published every Monday 14:00 UTC (1970-01-05 was a Monday). */
const PUBLICATION = 4 * DAY_MS + 14 * HOUR_MS;
/** Interest rate of the funding formula per eight hours, the premium beyond which funding departs from it, and its cap. */
const INTEREST = 0.0001;
const FUNDING_CLAMP = 0.0005;
const FUNDING_CAP = 0.04;
/** Standard deviation of a perpetual's premium, its fall in full stress, and its part that reverts within minutes. */
const BASIS_SD = 0.00042;
const BASIS_STRESS = 0.0004;
const BASIS_QUICK = 0.0001;
/** Half-life of the premium, in minutes. */
const BASIS_HALF_LIFE = 3 * 1440;
/** Share of an asset's variance that is not caused by news. */
const WITHOUT_NEWS = 0.8;
/** Minutes with less variance lie outside of the regular session. Years of the share clock. */
const REGULAR_VARIANCE = 1 / 200_000;
/** Weekday hours in which pools of shares are deep. UTC, aligned to the history's readings of depths and spreads. */
const BUSY_HOURS = { from: 12, to: 20 } as const;
/** Logarithmic fall of a pool's depth in full stress and outside of busy hours. */
const STRESS_THINNER = 0.35;
const QUIET_THINNER = 0.15;
/** Pool fee as a fraction of a swap: calm, addition in full stress, addition outside of busy hours. */
const POOL_FEE = 0.0022;
const STRESS_FEE = 0.0014;
const QUIET_FEE = 0.0006;
/** Half of a book's spread in calm times, and its factors in full stress and in the quietest hours. */
const HALF_SPREAD = 0.000_04;
const STRESS_SPREAD = 2.5;
const QUIET_SPREAD = 0.5;

type PathName = 'value' | 'token' | 'perp' | 'spot';
type CandleFace = Parameters<Market['candles']>[0];

/** Returns the decimals that venues give a price of this level. */
function chooseDecimals(level: number): number {
  return level >= 1_000 ? 2 : level >= 1 ? 4 : 8;
}

/** Path of one minute: its five points (open, three between, close), rounded, with their extremes. */
interface MinutePath {
  minute: number;
  readonly points: Float64Array;
  low: number;
  high: number;
  /** Relative size of moves within a quarter minute. */
  amplitude: number;
}

/** Processes shared by the assets of one seeded market. */
interface SeededWorld {
  readonly seed: string;
  readonly anchor: EpochMs;
  readonly regimes: Regimes;
  readonly shareClock: (minute: number) => number;
  readonly wallClock: (minute: number) => number;
  /** Assets whose issuers file with the regulator, or null in a market without news. */
  readonly filers: ReadonlySet<string> | null;
}

class SeededAsset {
  readonly traits: AssetTraits;
  readonly #share: boolean;
  readonly #seed: number;
  readonly #common: BridgeNoise;
  readonly #own: BridgeNoise;
  readonly #anchorMinute: number;
  /** Path at the anchor, or null before the first price is requested. */
  #origin: number | null = null;
  readonly #scale: number;
  readonly #regimes: Regimes;
  readonly #news: NewsShocks | null;
  readonly #newsSize: number;
  readonly #premium: TokenPremium;
  readonly #basis: RevertingNoise;
  readonly #basisQuick: SmoothNoise;
  readonly #spotDrift: SmoothNoise;
  readonly #depth: SmoothNoise;
  readonly #interest: SmoothNoise;
  readonly #turnover: SmoothNoise;
  readonly #confidence: SmoothNoise;
  readonly #paths: Record<PathName, MinutePath>;

  constructor(traits: AssetTraits, world: SeededWorld) {
    const { seed, regimes } = world;
    this.traits = traits;
    this.#share = traits.kind === 'equity';
    const clock = this.#share ? world.shareClock : world.wallClock;
    const named = (purpose: string): number => deriveSeed(`${seed}/${traits.symbol}/${purpose}`);
    this.#seed = named('minutes');
    this.#regimes = regimes;
    this.#common = new BridgeNoise(deriveSeed(`${seed}/${traits.kind}`), clock);
    this.#own = new BridgeNoise(named('own'), clock);
    this.#news = world.filers === null ? null : new NewsShocks(storySeed(seed, traits.symbol), world.filers.has(traits.symbol));
    // News is idiosyncratic: an index hardly reacts to it.
    this.#newsSize = 1.3 * Math.sqrt(1 - traits.shared * traits.shared) * (traits.volatility / Math.sqrt(this.#share ? 252 : 365));
    this.#anchorMinute = Math.floor(world.anchor / MINUTE_MS);
    this.#scale = 10 ** chooseDecimals(traits.level);
    this.#premium = new TokenPremium(traits, seed, regimes);
    this.#basis = new RevertingNoise(named('basis'), BASIS_HALF_LIFE, 60);
    this.#basisQuick = new SmoothNoise(named('basis/quick'), 30);
    this.#spotDrift = new SmoothNoise(named('spot'), 20);
    this.#depth = new SmoothNoise(named('depth'), 720);
    this.#interest = new SmoothNoise(named('interest'), 1440);
    this.#turnover = new SmoothNoise(named('turnover'), 1440);
    this.#confidence = new SmoothNoise(named('confidence'), 45);
    const path = (): MinutePath => ({ minute: -1, points: new Float64Array(POINTS + 1), low: 0, high: 0, amplitude: 0 });
    this.#paths = { value: path(), token: path(), perp: path(), spot: path() };
  }

  #path(minute: number): number {
    const { shared, volatility } = this.traits;
    const moved = shared * this.#common.at(minute) + Math.sqrt(1 - shared * shared) * this.#own.at(minute);
    const told = this.#news === null ? 0 : this.#newsSize * this.#news.at(minute);
    return Math.sqrt(WITHOUT_NEWS) * volatility * moved + told;
  }

  #grid(face: PathName, minute: number): number {
    const { traits } = this;
    const years = (minute - this.#anchorMinute) / YEAR_MINUTES;
    this.#origin ??= this.#path(this.#anchorMinute);
    const value = traits.level * Math.exp(this.#path(minute) - this.#origin + traits.drift * years);
    switch (face) {
      case 'value':
        return value;
      case 'token':
        return value * (1 + this.#premium.at(minute));
      case 'perp':
        return value * (1 + this.basis(minute));
      case 'spot':
        return value * (1 + 0.00005 * this.#spotDrift.at(minute));
    }
  }

  /** Returns the premium of the perpetual's mark over the asset's value, as a fraction, at a whole minute. */
  basis(minute: number): number {
    const strayed = BASIS_SD * this.#basis.at(minute) + BASIS_QUICK * this.#basisQuick.at(minute);
    return INTEREST + strayed - BASIS_STRESS * this.#regimes.stress(minute);
  }

  rounded(price: number): number {
    return Math.round(price * this.#scale) / this.#scale;
  }

  /** Returns the path of a price through one minute. */
  minutePath(face: PathName, minute: number): MinutePath {
    const path = this.#paths[face];
    if (path.minute === minute) return path;
    const { points } = path;
    const open = path.minute === minute - 1 ? (points[POINTS] as number) : this.rounded(this.#grid(face, minute));
    const close = this.rounded(this.#grid(face, minute + 1));
    const variance = this.#regimes.variance(minute) * (this.#share ? shareMinuteVariance(minute) : WALL_MINUTE_VARIANCE);
    const amplitude = 0.5 * this.traits.volatility * Math.sqrt(variance);
    // All prices share this hash: perpetual, spot and token move together within a minute.
    const hash = mixed(this.#seed, minute);
    let low = Math.min(open, close);
    let high = Math.max(open, close);
    points[0] = open;
    points[POINTS] = close;
    for (let k = 1; k < POINTS; k++) {
      const shake = (((hash >>> (10 * (k - 1))) & 1023) / 511.5 - 1) * 1.7 * amplitude;
      const point = this.rounded((open + ((close - open) * k) / POINTS) * (1 + shake));
      points[k] = point;
      if (point < low) low = point;
      else if (point > high) high = point;
    }
    path.minute = minute;
    path.low = low;
    path.high = high;
    path.amplitude = amplitude;
    return path;
  }

  /** Returns a price at an instant. It lies within its minute's low and high, and equals the path's points at whole quarters. */
  priceAt(face: PathName, at: EpochMs): number {
    const minute = Math.floor(at / MINUTE_MS);
    const path = this.minutePath(face, minute);
    const position = ((at - minute * MINUTE_MS) / MINUTE_MS) * POINTS;
    const quarter = Math.floor(position);
    const part = position - quarter;
    const from = path.points[quarter] as number;
    if (part === 0) return from;
    const to = path.points[quarter + 1] as number;
    const wobble = 0.4 * path.amplitude * bell(mixed(this.#seed ^ 0x2545f491, minute * POINTS + quarter)) * Math.sin(part * Math.PI * 6);
    const price = (from + (to - from) * part) * (1 + wobble);
    return this.rounded(price < path.low ? path.low : price > path.high ? path.high : price);
  }

  reference(at: EpochMs): { price: number; confidence: number; updatedAt: EpochMs } {
    if (this.traits.kind === 'pre_ipo') return this.#mark(at);
    const minute = Math.floor(at / MINUTE_MS);
    let updatedAt = at - (at % 1000);
    if (this.#share && !sharePrints(minute)) {
      const last = lastPrintMinute(minute);
      if (last === null) throw new RangeError(`no share has printed before ${new Date(at).toISOString()}: the calendar begins later`);
      updatedAt = last * MINUTE_MS;
    }
    const price = this.priceAt('value', updatedAt);
    const printed = Math.floor(updatedAt / MINUTE_MS);
    const calm = this.#share && shareMinuteVariance(printed) < REGULAR_VARIANCE ? 0.0007 : 0.00025;
    const confidence = price * calm * (1 + 0.3 * Math.abs(this.#confidence.at(printed)));
    return { price, confidence: Math.max(1 / this.#scale, this.rounded(confidence)), updatedAt };
  }

  /** Returns an issuer's mark: roughly the asset's value at the last round, republished every week. */
  #mark(at: EpochMs): { price: number; confidence: number; updatedAt: EpochMs } {
    const period = ROUND_DAYS * DAY_MS;
    const seed = this.#seed ^ 0x68e31da4;
    const roundAt = (index: number): EpochMs => {
      const late = index * period + Math.floor(uniform(seed, index) * ROUND_LATE_DAYS * 1440) * MINUTE_MS;
      return late;
    };
    let index = Math.floor(at / period);
    if (index > 0 && roundAt(index) > at) index--;
    const at0 = index === 0 ? 0 : roundAt(index);
    const price = this.rounded(this.#grid('value', Math.floor(at0 / MINUTE_MS)) * (1 + 0.07 * bell(mixed(seed, index + 1_000_000))));
    const published = at >= PUBLICATION ? at - ((at - PUBLICATION) % WEEK_MS) : 0;
    return { price, confidence: 0, updatedAt: Math.max(at0, published) };
  }

  token(at: EpochMs): { price: number; liquidityUsd: number } {
    const minute = Math.floor(at / MINUTE_MS);
    const thinner = STRESS_THINNER * this.#regimes.stress(minute) + (this.#isQuiet(minute) ? QUIET_THINNER : 0);
    const liquidityUsd = Math.round(this.traits.poolUsd * Math.exp(0.18 * this.#depth.at(minute) - thinner));
    return { price: this.priceAt('token', at), liquidityUsd };
  }

  /** Returns half of the spread as a fraction of the price: a book's, or the fee of a token's pool. */
  halfSpread(face: 'token' | 'perp' | 'spot', at: EpochMs): number {
    const minute = Math.floor(at / MINUTE_MS);
    const stress = this.#regimes.stress(minute);
    if (face === 'token') return POOL_FEE + STRESS_FEE * stress + (this.#isQuiet(minute) ? QUIET_FEE : 0);
    // Books of coins are thinnest at 05:00 UTC.
    const quiet = (1 + Math.cos(((minute - 300) / DAY_MINUTES) * 2 * Math.PI)) / 2;
    return HALF_SPREAD * (1 + STRESS_SPREAD * stress + QUIET_SPREAD * quiet);
  }

  /** True if the market makers of a share token are away: at night and on weekends in the United States. */
  #isQuiet(minute: number): boolean {
    if (!this.#share) return false;
    const hour = Math.floor(minute / 60) % 24;
    // 1970-01-01 was a Thursday.
    const weekday = (Math.floor(minute / DAY_MINUTES) + 4) % 7;
    return weekday === 0 || weekday === 6 || hour < BUSY_HOURS.from || hour >= BUSY_HOURS.to;
  }

  perp(at: EpochMs): { mark: number; oracle: number; hourlyFunding: number; openInterest: number; dayNotional: number } {
    const minute = Math.floor(at / MINUTE_MS);
    const oracle = this.priceAt('value', at);
    const premium = this.basis(minute - (minute % 60));
    const stray = premium - INTEREST;
    // Funding equals the interest rate while the premium is small, as on the venue.
    const perEightHours = Math.abs(stray) <= FUNDING_CLAMP ? INTEREST : premium - Math.sign(stray) * FUNDING_CLAMP;
    const hourly = Math.round(Math.max(-FUNDING_CAP, Math.min(FUNDING_CAP, perEightHours / 8)) * 1e10) / 1e10;
    const openInterest = Math.round(this.traits.openInterest * Math.exp(0.1 * this.#interest.at(minute)) * 1000) / 1000;
    const dayNotional = Math.round(this.traits.dayVolume * oracle * Math.exp(0.35 * this.#turnover.at(minute)));
    return { mark: this.priceAt('perp', at), oracle, hourlyFunding: hourly, openInterest, dayNotional };
  }

  /** Returns the volume of one minute, in hundredths of a base unit. */
  minuteVolume(face: PathName, minute: number): number {
    const share = this.#share && face === 'value';
    const busy = share
      ? shareMinuteVariance(minute) > REGULAR_VARIANCE
        ? 1 / 410
        : 1 / 30_000
      : face === 'token'
        ? 1 / 400_000
        : 1 / 1440;
    return Math.floor(this.traits.dayVolume * 100 * busy * (0.25 + 1.5 * uniform(this.#seed ^ 0x165667b1, minute)));
  }

  candles(face: CandleFace, timeframeMs: number, from: EpochMs, to: EpochMs): Candle[] {
    const path: PathName = face === 'reference' ? 'value' : face;
    const mark = face === 'reference' && this.traits.kind === 'pre_ipo';
    const hoursOnly = face === 'reference' && this.#share;
    const candles: Candle[] = [];
    const minutes = timeframeMs / MINUTE_MS;
    for (let openTime = Math.ceil(from / timeframeMs) * timeframeMs; openTime < to; openTime += timeframeMs) {
      const first = openTime / MINUTE_MS;
      if (mark) {
        candles.push(this.#markCandle(openTime, timeframeMs));
        continue;
      }
      let open = 0;
      let close = 0;
      let low = Number.POSITIVE_INFINITY;
      let high = 0;
      let volume = 0;
      for (let minute = first; minute < first + minutes; minute++) {
        if (hoursOnly && !sharePrints(minute)) continue;
        const { points, low: minuteLow, high: minuteHigh } = this.minutePath(path, minute);
        if (open === 0) open = points[0] as number;
        close = points[POINTS] as number;
        if (minuteLow < low) low = minuteLow;
        if (minuteHigh > high) high = minuteHigh;
        volume += this.minuteVolume(path, minute);
      }
      if (open === 0) continue;
      candles.push({
        openTime,
        open: String(open),
        high: String(high),
        low: String(low),
        close: String(close),
        volume: String(volume / 100),
      });
    }
    return candles;
  }

  #markCandle(openTime: EpochMs, timeframeMs: number): Candle {
    const open = this.#mark(openTime).price;
    const close = this.#mark(openTime + timeframeMs).price;
    const [low, high] = open < close ? [open, close] : [close, open];
    return { openTime, open: String(open), high: String(high), low: String(low), close: String(close), volume: '0' };
  }
}

interface SeededMarketOptions {
  /** Seed; equal seeds give equal markets. */
  readonly seed: number | string;
  /** Time at which the prices are those of `listed-assets.ts`. Default 2026-11-20 21:00 UTC. */
  readonly anchor?: EpochMs;
  readonly assets?: readonly AssetTraits[];
  /** False if assets have no news. */
  readonly hasNews?: boolean;
}

/**
 * Creates a market that is a pure function of (seed, time): any instant from 1970 on, in any order and process. Shares follow US sessions
 * with a frozen reference outside of them. Tokens fluctuate around their value, marks step at funding rounds, perpetuals have basis and
 * funding. Bars are sampled per minute, so bars of all timeframes agree, and their closes equal the live prices.
 * @throws RangeError for unknown symbols, times before 1970 and timeframes that are not whole minutes
 */
export function createSeededMarket(options: SeededMarketOptions): Market {
  const anchor = options.anchor ?? DEFAULT_ANCHOR;
  const traitsOf = options.assets ?? pricedAssets();
  const seed = String(options.seed);
  const regimes = new Regimes(seed);
  const filers = options.hasNews === false ? null : new Set(sandboxCompanies().listed.map(({ symbol }) => symbol));
  const world = { seed, anchor, regimes, shareClock: regimes.paced(shareClock), wallClock: regimes.paced(wallClock), filers };
  const assets = new Map(traitsOf.map((traits) => [traits.symbol, new SeededAsset(traits, world)]));

  function asset(symbol: string, at: EpochMs): SeededAsset {
    const found = assets.get(symbol);
    if (found === undefined) throw new RangeError(`the sandbox's market has no "${symbol}"; it has ${[...assets.keys()].join(', ')}`);
    if (!Number.isInteger(at) || at < 0) throw new RangeError(`${at} is not a time in milliseconds since 1970`);
    return found;
  }

  return {
    assets: traitsOf.map((traits): MarketAsset => ({ symbol: traits.symbol, kind: traits.kind })),
    value: (symbol, at) => asset(symbol, at).priceAt('value', at),
    reference: (symbol, at) => asset(symbol, at).reference(at),
    token: (symbol, at) => asset(symbol, at).token(at),
    perp: (symbol, at) => asset(symbol, at).perp(at),
    spot: (symbol, at) => asset(symbol, at).priceAt('spot', at),
    halfSpread: (face, symbol, at) => asset(symbol, at).halfSpread(face, at),
    candles(face, symbol, timeframeMs, from, to) {
      if (!Number.isInteger(timeframeMs) || timeframeMs < MINUTE_MS || timeframeMs > DAY_MS || timeframeMs % MINUTE_MS !== 0) {
        throw new RangeError(`${timeframeMs} ms is not a timeframe; whole minutes from 1m to 1d are`);
      }
      return asset(symbol, from).candles(face, timeframeMs, from, to);
    },
  };
}
