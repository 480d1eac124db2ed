/** Seeded questions about the market's assets, priced on both prediction venues: a pure function of (seed, time). */
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import type { Market } from '../market/market.ts';
import { mixed, SmoothNoise, deriveSeed, uniform } from '../market/seeded-noise.ts';

const SECOND = 1_000;
const YEAR = 365.25 * DAY_MS;
/** Time for which a question stays listed after its resolution. */
const LISTED_AFTER_MS = 6 * HOUR_MS;
const CRYPTO = ['BTC', 'ETH', 'SOL'] as const;
const SHARES = ['AAPL', 'NVDA', 'TSLA'] as const;
const VOLATILITY = { crypto: 0.55, equity: 0.35 } as const;
/** Levels per side. */
const LEVELS = 6;
const TRADE_BUCKET_MS = 15 * SECOND;
/** Time for which a book is kept. Recomputing it every second would cost five times as much. */
const BOOK_MS = 5 * SECOND;
/** Time after which the size at the best price changes, even if the price does not. */
const BREATH_MS = 30 * SECOND;

export type Venue = 'polymarket' | 'kalshi';

export interface SeededQuestion {
  /** Stable and unique key: `BTC-above-95000-2026112217`. */
  readonly key: string;
  readonly asset: string;
  readonly share: boolean;
  readonly comparator: 'above' | 'at_or_above' | 'below' | 'between';
  readonly threshold: number;
  readonly upper: number | null;
  readonly measure: 'at_time' | 'any_time';
  readonly createdAt: EpochMs;
  readonly resolvesAt: EpochMs;
  /** Event of the question. Questions of one group belong to one event. */
  readonly group: string;
  readonly exclusive: boolean;
  readonly venues: readonly Venue[];
}

/** Book level: price in thousandths of a dollar, size in contracts. */
export interface SeededLevel {
  readonly price: number;
  readonly size: number;
}

export interface SeededBook {
  readonly bids: readonly SeededLevel[];
  readonly asks: readonly SeededLevel[];
}

export interface SeededTrade {
  readonly id: string;
  readonly at: EpochMs;
  /** Price of yes, in thousandths of a dollar. */
  readonly price: number;
  readonly size: number;
  /** Outcome that the taker bought. */
  readonly side: 'yes' | 'no';
}

export type SeededQuestions = ReturnType<typeof createSeededQuestions>;

/** Returns the standard normal distribution function (Abramowitz and Stegun 26.2.17), to seven digits. */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * poly;
  return z >= 0 ? 1 - tail : tail;
}

/** Rounds to three significant digits, like thresholds that people use. */
function round(value: number, figures = 3): number {
  const scale = 10 ** Math.max(0, Math.floor(Math.log10(value)) + 1 - figures);
  return Math.round(value / scale) * scale;
}

const stamp = (at: EpochMs): string => new Date(at).toISOString().slice(0, 13).replace(/[-T]/g, '');

type Terms = Omit<SeededQuestion, 'key' | 'share' | 'upper' | 'measure' | 'venues' | 'exclusive'> &
  Partial<Pick<SeededQuestion, 'upper' | 'measure' | 'venues' | 'exclusive'>>;

/** Dependencies and caches of the questions. */
interface World {
  readonly seed: number | string;
  readonly market: Market;
  /** Assets with questions. */
  readonly crypto: readonly string[];
  readonly shares: readonly string[];
  /** Kind of each asset, by symbol. */
  readonly known: ReadonlyMap<string, string>;
  /** Pricing error of each venue, by question. */
  readonly noises: Map<string, SmoothNoise>;
  /** Last book of each question, with the values that it was computed from. */
  readonly books: Map<string, { at: EpochMs; cause: string; book: SeededBook }>;
}

export function createSeededQuestions(options: { readonly seed: number | string; readonly market: Market }) {
  const { market } = options;
  const known = new Map(market.assets.map(({ symbol, kind }) => [symbol, kind]));
  const crypto = CRYPTO.filter((symbol) => known.has(symbol));
  const shares = SHARES.filter((symbol) => known.has(symbol));
  const cells = new Map<string, readonly SeededQuestion[]>();
  const outcomes = new Map<string, boolean>();
  const world: World = { ...options, known, crypto, shares, noises: new Map(), books: new Map() };

  return {
    book: (asked: SeededQuestion, venue: Venue, at: EpochMs): SeededBook => book(world, asked, venue, at),
    /** Returns the price step at a price, in thousandths. */
    step: (asked: SeededQuestion, venue: Venue, price: number, at: EpochMs): number => step(world, asked, venue, price, at),
    /** Returns the questions that a venue lists at an instant: from creation until some hours after the end. */
    listed(venue: Venue, at: EpochMs): readonly SeededQuestion[] {
      const found: SeededQuestion[] = [];
      const today = Math.floor(at / DAY_MS) * DAY_MS;
      for (let day = today - DAY_MS; day <= today + 3 * DAY_MS; day += DAY_MS) {
        found.push(...remembered(cells, `day ${day}`, 64, () => ofDay(world, day)));
      }
      const hour = Math.floor(at / HOUR_MS) * HOUR_MS;
      for (let end = hour - LISTED_AFTER_MS; end <= hour + 3 * HOUR_MS; end += HOUR_MS) {
        found.push(...remembered(cells, `hour ${end}`, 64, () => ofHour(world, end)));
      }
      return found.filter((one) => one.venues.includes(venue) && one.createdAt <= at && at < one.resolvesAt + LISTED_AFTER_MS);
    },
    /** Returns trades with from <= at < to, ascending. */
    trades(asked: SeededQuestion, venue: Venue, from: EpochMs, to: EpochMs): readonly SeededTrade[] {
      const trades: SeededTrade[] = [];
      const seed = deriveSeed(`${world.seed}/${venue}/${asked.key}/trades`);
      const begin = Math.max(from, asked.createdAt);
      const end = Math.min(to, asked.resolvesAt);
      for (let bucket = Math.floor(begin / TRADE_BUCKET_MS); bucket * TRADE_BUCKET_MS < end; bucket++) {
        if (uniform(seed, bucket) >= 0.5) continue;
        const at = bucket * TRADE_BUCKET_MS + Math.floor(uniform(seed ^ 1, bucket) * TRADE_BUCKET_MS);
        if (at < begin || at >= end) continue;
        const { bids, asks } = book(world, asked, venue, at);
        const side = uniform(seed ^ 2, bucket) < 0.5 ? 'yes' : 'no';
        const level = side === 'yes' ? asks[0] : bids[0];
        if (level === undefined) continue;
        trades.push({
          id: mixed(seed, bucket).toString(16),
          at,
          price: level.price,
          size: 1 + Math.floor(99 * uniform(seed ^ 3, bucket)),
          side,
        });
      }
      return trades;
    },
    /** Returns the outcome. Call only after the question's end. */
    outcome: (asked: SeededQuestion): boolean =>
      remembered(outcomes, asked.key, 1_000, () => {
        const { asset, comparator, threshold, upper } = asked;
        if (asked.measure === 'any_time') {
          for (let at = asked.createdAt; at <= asked.resolvesAt; at += HOUR_MS) if (market.value(asset, at) >= threshold) return true;
          return false;
        }
        const value = market.value(asset, asked.resolvesAt);
        if (comparator === 'below') return value < threshold;
        if (comparator === 'between') return value >= threshold && value <= (upper ?? threshold);
        return comparator === 'above' ? value > threshold : value >= threshold;
      }),
    /** Returns a number 0 <= n < 1 derived from the question and purpose. */
    fate: (asked: SeededQuestion, purpose: string): number => uniform(deriveSeed(`${world.seed}/${asked.key}/${purpose}`), 1),
  };
}

function question(world: World, terms: Terms): SeededQuestion {
  const measure = terms.measure ?? 'at_time';
  const range = terms.upper === undefined || terms.upper === null ? String(terms.threshold) : `${terms.threshold}-${terms.upper}`;
  return {
    key: `${terms.asset}-${measure === 'any_time' ? 'reach' : terms.comparator}-${range}-${stamp(terms.resolvesAt)}`,
    share: world.known.get(terms.asset) === 'equity',
    upper: null,
    measure,
    venues: ['polymarket', 'kalshi'],
    exclusive: false,
    ...terms,
  };
}

/** Returns the questions that end on a day. */
function ofDay(world: World, day: EpochMs): readonly SeededQuestion[] {
  const { market, crypto, shares } = world;
  const made: SeededQuestion[] = [];
  const resolvesAt = day + 17 * HOUR_MS;
  const createdAt = day - 2 * DAY_MS;
  for (const asset of crypto) {
    const value = market.value(asset, createdAt);
    const group = `${asset}-daily-${stamp(resolvesAt)}`;
    for (const shift of [-0.02, 0, 0.02]) {
      const threshold = round(value * (1 + shift));
      if (asset !== 'SOL') made.push(question(world, { asset, comparator: 'above', threshold, createdAt, resolvesAt, group }));
      else {
        // Same levels but not the same question: one venue includes the level itself, the other does not.
        made.push(question(world, { asset, comparator: 'above', threshold, createdAt, resolvesAt, group, venues: ['polymarket'] }));
        made.push(question(world, { asset, comparator: 'at_or_above', threshold, createdAt, resolvesAt, group, venues: ['kalshi'] }));
      }
    }
  }
  if (world.known.has('ETH')) made.push(...ranges(world, createdAt, resolvesAt));
  if (world.known.has('BTC')) {
    const threshold = round(market.value('BTC', createdAt) * 1.03);
    const group = `BTC-reach-${stamp(resolvesAt)}`;
    made.push(
      question(world, {
        asset: 'BTC',
        comparator: 'at_or_above',
        threshold,
        measure: 'any_time',
        createdAt,
        resolvesAt,
        group,
        venues: ['polymarket'],
      }),
    );
  }
  const weekday = new Date(day).getUTCDay();
  if (weekday !== 0 && weekday !== 6) {
    for (const asset of shares) {
      const value = market.value(asset, day - DAY_MS);
      const closes = day + 21 * HOUR_MS;
      for (const shift of [-0.01, 0.01]) {
        const threshold = round(value * (1 + shift));
        const group = `${asset}-close-${stamp(closes)}`;
        made.push(question(world, { asset, comparator: 'above', threshold, createdAt: day - DAY_MS, resolvesAt: closes, group }));
      }
    }
  }
  return made;
}

/** Creates the questions about the final price: three ranges, one of which comes true. */
function ranges(world: World, createdAt: EpochMs, resolvesAt: EpochMs): SeededQuestion[] {
  const { market } = world;
  const value = market.value('ETH', createdAt);
  const [low, high] = [round(value * 0.99), round(value * 1.01)];
  const shared = { asset: 'ETH', createdAt, resolvesAt, group: `ETH-range-${stamp(resolvesAt)}`, exclusive: true } as const;
  return [
    question(world, { ...shared, comparator: 'below', threshold: low }),
    question(world, { ...shared, comparator: 'between', threshold: low, upper: high }),
    question(world, { ...shared, comparator: 'above', threshold: high }),
  ];
}

/** Returns the questions that end at a full hour. */
function ofHour(world: World, resolvesAt: EpochMs): readonly SeededQuestion[] {
  const { market, crypto } = world;
  const createdAt = resolvesAt - 2 * HOUR_MS;
  return crypto
    .filter((asset) => asset !== 'SOL')
    .map((asset) => {
      const threshold = round(market.value(asset, createdAt), 4);
      return question(world, {
        asset,
        comparator: 'above',
        threshold,
        createdAt,
        resolvesAt,
        group: `${asset}-hourly-${stamp(resolvesAt)}`,
      });
    });
}

function probability(world: World, asked: SeededQuestion, venue: Venue, at: EpochMs): number {
  const { market, noises } = world;
  const left = Math.max(asked.resolvesAt - at, SECOND) / YEAR;
  const spread = VOLATILITY[asked.share ? 'equity' : 'crypto'] * Math.sqrt(left);
  const value = market.value(asked.asset, at);
  const over = (level: number): number => normal(Math.log(value / level) / spread);
  const { comparator, threshold, upper } = asked;
  const plain =
    asked.measure === 'any_time'
      ? Math.min(1, 2 * over(threshold))
      : comparator === 'below'
        ? 1 - over(threshold)
        : comparator === 'between'
          ? over(threshold) - over(upper ?? threshold)
          : over(threshold);
  // Each venue errs independently, by about half a cent, and slowly.
  const noise = remembered(
    noises,
    `${venue}/${asked.key}`,
    1_000,
    () => new SmoothNoise(deriveSeed(`${world.seed}/${venue}/${asked.key}`), 300),
  );
  return Math.min(0.985, Math.max(0.015, plain + 0.004 * noise.at(Math.floor(at / SECOND))));
}

function step(world: World, asked: SeededQuestion, venue: Venue, price: number, at: EpochMs): number {
  if (venue === 'kalshi') return price < 100 || price >= 900 ? 1 : 10;
  const minute = probability(world, asked, venue, at - (at % MINUTE_MS));
  return minute < 0.04 || minute > 0.96 ? 1 : 10;
}

/** Returns the book. An unchanged book is the same object, so that senders can compare by identity. */
function book(world: World, asked: SeededQuestion, venue: Venue, asOf: EpochMs): SeededBook {
  const at = asOf - (asOf % BOOK_MS);
  const last = remembered(world.books, `${venue}/${asked.key}`, 1_000, () => ({ at: Number.NaN, cause: '', book: { bids: [], asks: [] } }));
  if (last.at === at) return last.book;
  last.at = at;
  const middle = probability(world, asked, venue, at) * 1_000;
  const plain = step(world, asked, venue, 500, at);
  const tickAt = (price: number): number => (venue === 'kalshi' ? step(world, asked, venue, price, at) : plain);
  // The step at the best price may differ from the step at the middle.
  const [underMiddle, overMiddle] = [middle - 4, middle + 4];
  const bid = Math.floor(underMiddle / tickAt(underMiddle)) * tickAt(underMiddle);
  const ask = Math.ceil(overMiddle / tickAt(overMiddle)) * tickAt(overMiddle);
  // The best level changes its size over time, the levels behind it do not.
  const moment = Math.floor(at / BREATH_MS);
  const cause = `${bid} ${ask} ${plain} ${moment}`;
  if (last.cause === cause) return last.book;
  const seed = deriveSeed(`${world.seed}/${venue}/${asked.key}/sizes`);
  const side = (sign: 1 | -1, best: number): SeededLevel[] => {
    const levels: SeededLevel[] = [];
    for (let price = best; levels.length < LEVELS && price >= 1 && price <= 999; price += sign * tickAt(sign < 0 ? price - 1 : price)) {
      const size = uniform(seed ^ (sign < 0 ? 1 : 2), mixed(price, levels.length === 0 ? moment : 0) >>> 8);
      levels.push({ price, size: 20 + Math.floor(480 * size) });
    }
    return levels;
  };
  last.cause = cause;
  last.book = { bids: side(-1, bid), asks: side(1, ask) };
  return last.book;
}

function remembered<Value>(map: Map<string, Value>, key: string, most: number, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
    if (map.size > most) map.delete(map.keys().next().value as string);
  }
  return value;
}
