/** The seeded market process: every price of the sandbox as a function of (seed, time). */
import type { Candle } from '../../domain/candle.ts';
import type { EpochMs } from '../../domain/time.ts';
import { type AssetTraits, pricedAssets } from './listed-assets.ts';
import type { Market, MarketAsset } from './market.ts';
import { lastPrintMinute, shareClock, shareMinuteVariance, sharePrints, wallClock } from './market-hours.ts';
import { BridgeNoise, bell, mixed, SmoothNoise, seedOf, uniform } from './seeded-noise.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const YEAR_MINUTES = 525_960;
/** Prices are known on a grid of minutes; between two of them the path runs through three more points. */
const POINTS = 4;

/** The instant at which the prices are those of `listed-assets.ts`. */
const DEFAULT_ANCHOR = Date.UTC(2026, 10, 20, 21);
const WALL_MINUTE_VARIANCE = 1 / YEAR_MINUTES;
/** Days between an issuer's rounds, and how many more a round may come late. */
const ROUND_DAYS = 120;
const ROUND_LATE_DAYS = 60;
/** Marks are published again every Monday 14:00 UTC (1970-01-05 was a Monday). */
const PUBLICATION = 4 * DAY + 14 * 3_600_000;
const WEEK = 7 * DAY;
/** Interest of the funding formula per eight hours, and how far the premium may stray before it shows. */
const INTEREST = 0.0001;
const FUNDING_CLAMP = 0.0005;
const FUNDING_CAP = 0.04;

type PathName = 'value' | 'token' | 'perp' | 'spot';
type CandleFace = Parameters<Market['candles']>[0];

/** Prices carry as many decimals as venues give them. */
function decimalsOf(level: number): number {
  return level >= 1_000 ? 2 : level >= 1 ? 4 : 8;
}

/** One minute of one path: its five points (open, three between, close), rounded, and their extremes. */
interface MinutePath {
  minute: number;
  readonly points: Float64Array;
  low: number;
  high: number;
  /** Relative size of what moves inside of a quarter minute. */
  amplitude: number;
}

class SeededAsset {
  readonly traits: AssetTraits;
  readonly #share: boolean;
  readonly #seed: number;
  readonly #common: BridgeNoise;
  readonly #own: BridgeNoise;
  readonly #anchorMinute: number;
  readonly #origin: number;
  readonly #scale: number;
  readonly #premium: readonly { readonly size: number; readonly noise: SmoothNoise }[];
  readonly #basis: readonly { readonly size: number; readonly noise: SmoothNoise }[];
  readonly #spotDrift: SmoothNoise;
  readonly #depth: SmoothNoise;
  readonly #interest: SmoothNoise;
  readonly #turnover: SmoothNoise;
  readonly #confidence: SmoothNoise;
  readonly #paths: Record<PathName, MinutePath>;

  constructor(traits: AssetTraits, seed: string, anchor: EpochMs) {
    this.traits = traits;
    this.#share = traits.kind === 'equity';
    const clock = this.#share ? shareClock : wallClock;
    const named = (purpose: string): number => seedOf(`${seed}/${traits.symbol}/${purpose}`);
    this.#seed = named('minutes');
    this.#common = new BridgeNoise(seedOf(`${seed}/${traits.kind}`), clock);
    this.#own = new BridgeNoise(named('own'), clock);
    this.#anchorMinute = Math.floor(anchor / MINUTE);
    this.#scale = 10 ** decimalsOf(traits.level);
    this.#origin = this.#path(this.#anchorMinute);
    const layers = (purpose: string, parts: readonly (readonly [number, number])[]) =>
      parts.map(([size, period]) => ({ size, noise: new SmoothNoise(named(`${purpose}/${period}`), period) }));
    // A token's premium swings through about 1.5 % either way several times in an hour or two, and always comes back.
    this.#premium = layers(
      'premium',
      traits.kind === 'crypto'
        ? [[0.0003, 15]]
        : [
            [0.0035, 2880],
            [0.0085, 170],
            [0.0135, 24],
            [0.0015, 3],
          ],
    );
    this.#basis = layers('basis', [
      [0.00025, 480],
      [0.00015, 30],
    ]);
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
    return volatility * (shared * this.#common.at(minute) + Math.sqrt(1 - shared * shared) * this.#own.at(minute));
  }

  #grid(face: PathName, minute: number): number {
    const { traits } = this;
    const years = (minute - this.#anchorMinute) / YEAR_MINUTES;
    const value = traits.level * Math.exp(this.#path(minute) - this.#origin + traits.drift * years);
    switch (face) {
      case 'value':
        return value;
      case 'token': {
        let premium = 0;
        for (const layer of this.#premium) premium += layer.size * layer.noise.at(minute);
        return value * (1 + premium);
      }
      case 'perp':
        return value * (1 + this.basis(minute));
      case 'spot':
        return value * (1 + 0.00005 * this.#spotDrift.at(minute));
    }
  }

  /** Returns the premium of the perpetual's mark over the asset's value, as a fraction, at a whole minute. */
  basis(minute: number): number {
    let basis = INTEREST;
    for (const layer of this.#basis) basis += layer.size * layer.noise.at(minute);
    return basis;
  }

  rounded(price: number): number {
    return Math.round(price * this.#scale) / this.#scale;
  }

  /** The path of one face through one minute. */
  minutePath(face: PathName, minute: number): MinutePath {
    const path = this.#paths[face];
    if (path.minute === minute) return path;
    const { points } = path;
    const open = path.minute === minute - 1 ? (points[POINTS] as number) : this.rounded(this.#grid(face, minute));
    const close = this.rounded(this.#grid(face, minute + 1));
    const variance = this.#share ? shareMinuteVariance(minute) : WALL_MINUTE_VARIANCE;
    const amplitude = 0.5 * this.traits.volatility * Math.sqrt(variance);
    // The same hash for every face: perpetual, spot and token move together inside of a minute.
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

  /** The price of one face at an instant. Always inside of its minute's low and high, and on the points at whole quarters. */
  priceAt(face: PathName, at: EpochMs): number {
    const minute = Math.floor(at / MINUTE);
    const path = this.minutePath(face, minute);
    const position = ((at - minute * MINUTE) / MINUTE) * POINTS;
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
    const minute = Math.floor(at / MINUTE);
    let updatedAt = at - (at % 1000);
    if (this.#share && !sharePrints(minute)) {
      const last = lastPrintMinute(minute);
      if (last === null) throw new RangeError(`no share has printed before ${new Date(at).toISOString()}: the calendar begins later`);
      updatedAt = last * MINUTE;
    }
    const price = this.priceAt('value', updatedAt);
    const printed = Math.floor(updatedAt / MINUTE);
    const calm = this.#share && shareMinuteVariance(printed) < 1 / 200_000 ? 0.0007 : 0.00025;
    const confidence = price * calm * (1 + 0.3 * Math.abs(this.#confidence.at(printed)));
    return { price, confidence: Math.max(1 / this.#scale, this.rounded(confidence)), updatedAt };
  }

  /** An issuer's mark: what the asset was worth at its last round, give or take; published again every week. */
  #mark(at: EpochMs): { price: number; confidence: number; updatedAt: EpochMs } {
    const period = ROUND_DAYS * DAY;
    const seed = this.#seed ^ 0x68e31da4;
    const roundAt = (index: number): EpochMs => {
      const late = index * period + Math.floor(uniform(seed, index) * ROUND_LATE_DAYS * 1440) * MINUTE;
      return late;
    };
    let index = Math.floor(at / period);
    if (index > 0 && roundAt(index) > at) index--;
    const at0 = index === 0 ? 0 : roundAt(index);
    const price = this.rounded(this.#grid('value', Math.floor(at0 / MINUTE)) * (1 + 0.07 * bell(mixed(seed, index + 1_000_000))));
    const published = at >= PUBLICATION ? at - ((at - PUBLICATION) % WEEK) : 0;
    return { price, confidence: 0, updatedAt: Math.max(at0, published) };
  }

  token(at: EpochMs): { price: number; liquidityUsd: number } {
    const liquidityUsd = Math.round(this.traits.poolUsd * Math.exp(0.18 * this.#depth.at(Math.floor(at / MINUTE))));
    return { price: this.priceAt('token', at), liquidityUsd };
  }

  perp(at: EpochMs): { mark: number; oracle: number; hourlyFunding: number; openInterest: number; dayNotional: number } {
    const minute = Math.floor(at / MINUTE);
    const oracle = this.priceAt('value', at);
    const premium = this.basis(minute - (minute % 60));
    const stray = premium - INTEREST;
    // Exactly the interest share while the premium is calm, as the venue publishes it.
    const perEightHours = Math.abs(stray) <= FUNDING_CLAMP ? INTEREST : premium - Math.sign(stray) * FUNDING_CLAMP;
    const hourly = Math.round(Math.max(-FUNDING_CAP, Math.min(FUNDING_CAP, perEightHours / 8)) * 1e10) / 1e10;
    const openInterest = Math.round(this.traits.openInterest * Math.exp(0.1 * this.#interest.at(minute)) * 1000) / 1000;
    const dayNotional = Math.round(this.traits.dayVolume * oracle * Math.exp(0.35 * this.#turnover.at(minute)));
    return { mark: this.priceAt('perp', at), oracle, hourlyFunding: hourly, openInterest, dayNotional };
  }

  /** Hundredths of a base unit that change hands in one minute. */
  minuteVolume(face: PathName, minute: number): number {
    const share = this.#share && face === 'value';
    const busy = share ? (shareMinuteVariance(minute) > 1 / 200_000 ? 1 / 410 : 1 / 30_000) : face === 'token' ? 1 / 400_000 : 1 / 1440;
    return Math.floor(this.traits.dayVolume * 100 * busy * (0.25 + 1.5 * uniform(this.#seed ^ 0x165667b1, minute)));
  }

  candles(face: CandleFace, timeframeMs: number, from: EpochMs, to: EpochMs): Candle[] {
    const path: PathName = face === 'reference' ? 'value' : face;
    const mark = face === 'reference' && this.traits.kind === 'pre_ipo';
    const hoursOnly = face === 'reference' && this.#share;
    const candles: Candle[] = [];
    const minutes = timeframeMs / MINUTE;
    for (let openTime = Math.ceil(from / timeframeMs) * timeframeMs; openTime < to; openTime += timeframeMs) {
      const first = openTime / MINUTE;
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

export interface SeededMarketOptions {
  /** The same seed gives the same world. */
  readonly seed: number | string;
  /** Time at which the prices are those of `listed-assets.ts`. Default 2026-11-20 21:00 UTC. */
  readonly anchor?: EpochMs;
  readonly assets?: readonly AssetTraits[];
}

/**
 * A market that is a pure function of (seed, time): any instant from 1970 on, in any order, in any process. Shares follow
 * US sessions (their reference is frozen outside), tokens swing around their value, marks step at funding rounds, perpetuals
 * carry basis and funding. Bars are sampled on a grid of minutes, so bars of any timeframe add up, and their closes
 * are the live prices at those instants.
 * @throws RangeError for unknown symbols, times before 1970 and timeframes that are no whole minutes.
 */
export function createSeededMarket(options: SeededMarketOptions): Market {
  const anchor = options.anchor ?? DEFAULT_ANCHOR;
  const traitsOf = options.assets ?? pricedAssets();
  const assets = new Map(traitsOf.map((traits) => [traits.symbol, new SeededAsset(traits, String(options.seed), anchor)]));

  function asset(symbol: string, at: EpochMs): SeededAsset {
    const found = assets.get(symbol);
    if (found === undefined) throw new RangeError(`the sandbox's market has no "${symbol}"; it has ${[...assets.keys()].join(', ')}`);
    if (!Number.isInteger(at) || at < 0) throw new RangeError(`${at} is no time in milliseconds since 1970`);
    return found;
  }

  return {
    assets: traitsOf.map((traits): MarketAsset => ({ symbol: traits.symbol, kind: traits.kind })),
    value: (symbol, at) => asset(symbol, at).priceAt('value', at),
    reference: (symbol, at) => asset(symbol, at).reference(at),
    token: (symbol, at) => asset(symbol, at).token(at),
    perp: (symbol, at) => asset(symbol, at).perp(at),
    spot: (symbol, at) => asset(symbol, at).priceAt('spot', at),
    candles(face, symbol, timeframeMs, from, to) {
      if (!Number.isInteger(timeframeMs) || timeframeMs < MINUTE || timeframeMs > DAY || timeframeMs % MINUTE !== 0) {
        throw new RangeError(`${timeframeMs} ms is no timeframe; whole minutes from 1m to 1d are`);
      }
      return asset(symbol, from).candles(face, timeframeMs, from, to);
    },
  };
}
