/** Bars of tokens from their pools, in the shape of GeckoTerminal's `ohlcv` route. See docs/reference/outside/pool-history.md. */
import type { Candle } from '../../../domain/candle.ts';
import { Decimal, plainDecimal } from '../../../domain/decimal.ts';
import { joinCandles } from '../../../domain/joined-candles.ts';
import { type EpochMs, timeframeMs } from '../../../domain/time.ts';
import { knownFields } from '../known-fields.ts';
import type { KeyedClient } from '../reference/keyed-client.ts';
import { type CandleSource, VenueError } from '../venue-feed.ts';
import { multiplierAt, type ScaledUi } from './multiplier.ts';

/** What the route documents, read or not: bars are lists of six and have no names. */
export const OHLCV_FIELDS = knownFields('geckoterminal:ohlcv', [
  'data meta',
  {
    data: ['id type attributes', { attributes: 'ohlcv_list' }],
    meta: ['base quote', { base: 'address name symbol coingecko_coin_id', quote: 'address name symbol coingecko_coin_id' }],
  },
]);
const PAGE_SIZE = 1_000;
/** What the route offers, longest first; other timeframes are formed of these. */
const OFFERED: readonly { readonly unit: 'day' | 'hour' | 'minute'; readonly aggregate: number; readonly ms: number }[] = [
  { unit: 'day', aggregate: 1, ms: 86_400_000 },
  { unit: 'hour', aggregate: 12, ms: 43_200_000 },
  { unit: 'hour', aggregate: 4, ms: 14_400_000 },
  { unit: 'hour', aggregate: 1, ms: 3_600_000 },
  { unit: 'minute', aggregate: 15, ms: 900_000 },
  { unit: 'minute', aggregate: 5, ms: 300_000 },
  { unit: 'minute', aggregate: 1, ms: 60_000 },
];

/** The pool whose bars stand for a token. */
export interface TokenPool {
  readonly symbol: string;
  /** Address of the pool. */
  readonly pool: string;
  /** Pool bars are of raw units, so they are divided by the multiplier of their time. */
  readonly scaledUi: ScaledUi;
}

export interface SpotchainCandlesOptions {
  /** `https://api.geckoterminal.com`. */
  readonly client: KeyedClient;
  /** Read at every question where they may change. */
  readonly pools: readonly TokenPool[] | (() => readonly TokenPool[]);
  /** The network's name in the route. Default `solana`. */
  readonly network?: string;
}

/** One page, ascending: the route answers newest first. @throws VenueError where it is not of that shape or a bar is unsound. */
export function mapOhlcv(body: unknown, scaledUi: ScaledUi): Candle[] {
  const list = (body as { data?: { attributes?: { ohlcv_list?: unknown } } } | null)?.data?.attributes?.ohlcv_list;
  if (!Array.isArray(list)) throw new VenueError('spotchain', 200, 'unknown_shape', 'the pool bars have no "data.attributes.ohlcv_list"');
  const candles: Candle[] = [];
  for (const row of list as unknown[]) {
    if (!Array.isArray(row) || row.length < 6 || !row.every((cell) => typeof cell === 'number' && Number.isFinite(cell))) {
      throw new VenueError('spotchain', 200, 'unknown_shape', 'a pool bar is no list of six numbers');
    }
    const [seconds, open, high, low, close, volumeUsd] = row as [number, number, number, number, number, number];
    // Rounding of the pool's own prices may leave an extreme a hair inside of open and close.
    const top = Math.max(open, high, low, close);
    const bottom = Math.min(open, high, low, close);
    if (!(bottom > 0) || volumeUsd < 0)
      throw new VenueError('spotchain', 200, 'unsound_bar', `the pool bar at ${seconds} has a price of zero or below`);
    const openTime = seconds * 1000;
    const multiplier = multiplierAt(scaledUi, openTime);
    const perUi = (price: number): string => plainDecimal(new Decimal(price).div(multiplier).toSignificantDigits(15));
    // The route's volume is in US dollars; base units are what a bar carries.
    const volume = plainDecimal(new Decimal(volumeUsd).div(new Decimal(close).div(multiplier)).toDecimalPlaces(6));
    candles.push({ openTime, open: perUi(open), high: perUi(top), low: perUi(bottom), close: perUi(close), volume });
  }
  candles.sort((a, b) => a.openTime - b.openTime);
  return candles.filter((candle, index) => index === 0 || candle.openTime !== (candles[index - 1] as Candle).openTime);
}

/** The history side of the aggregator venue. `instrument` is the token's symbol. Hours in which a pool did not trade have no bar. */
export function createSpotchainCandles(options: SpotchainCandlesOptions): CandleSource {
  const poolsNow = (): readonly TokenPool[] => (typeof options.pools === 'function' ? options.pools() : options.pools);
  const network = options.network ?? 'solana';

  async function offered(pool: TokenPool, step: (typeof OFFERED)[number], from: EpochMs, to: EpochMs): Promise<Candle[]> {
    const pages: Candle[][] = [];
    // The route walks backwards from `before_timestamp`, exclusive.
    let before = to;
    while (before > from) {
      const body = await options.client.get(
        `/api/v2/networks/${network}/pools/${pool.pool}/ohlcv/${step.unit}`,
        [
          ['aggregate', String(step.aggregate)],
          ['before_timestamp', String(Math.ceil(before / 1000))],
          ['limit', String(PAGE_SIZE)],
          ['currency', 'usd'],
          ['token', 'base'],
        ],
        OHLCV_FIELDS,
      );
      const page = mapOhlcv(body, pool.scaledUi).filter((candle) => candle.openTime < before);
      const first = page[0];
      if (first === undefined) break;
      pages.push(page);
      before = first.openTime;
    }
    return pages
      .reverse()
      .flat()
      .filter((candle) => candle.openTime >= from);
  }

  return {
    venue: 'spotchain',
    pageSize: PAGE_SIZE,
    async fetchCandles(instrument, timeframe, from, to) {
      const pools = poolsNow();
      const pool = pools.find(({ symbol }) => symbol === instrument);
      if (pool === undefined)
        throw new VenueError(
          'spotchain',
          0,
          'unknown_instrument',
          `no pool is known of "${instrument}"; pools are known of ${pools.map(({ symbol }) => symbol).join(', ')}`,
        );
      const length = timeframeMs(timeframe);
      const step = length === null ? undefined : OFFERED.find((candidate) => length % candidate.ms === 0);
      if (length === null || step === undefined)
        throw new VenueError('spotchain', 0, 'unsupported_timeframe', `"${timeframe}" is no timeframe of whole minutes, e.g. 15m or 1h`);
      // Whole bars only: shorter ones outside of [from, to) would make half a bar.
      const start = Math.ceil(from / length) * length;
      const end = Math.ceil(to / length) * length;
      const candles = await offered(pool, step, start, end);
      return (step.ms === length ? candles : joinCandles(candles, length)).filter(
        (candle) => candle.openTime >= from && candle.openTime < to,
      );
    },
  };
}
