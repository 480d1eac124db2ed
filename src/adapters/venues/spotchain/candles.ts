/** Candles of tokens from their pools, in the format of GeckoTerminal's `ohlcv` route. See docs/reference/outside/pool-history.md. */
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { Candle } from '../../../domain/candles/candle.ts';
import { Decimal, plainDecimal } from '../../../domain/values/decimal.ts';
import { joinWholeCandles } from '../../../domain/candles/joined-candles.ts';
import { type EpochMs, timeframeMs } from '../../../domain/values/time.ts';
import { findParts } from '../joined-bars.ts';
import { knownFields } from '../known-fields.ts';
import type { KeyedClient } from '../reference/keyed-client.ts';
import { type CandleSource, VenueError } from '../venue-feed.ts';
import { multiplierAt, type ScaledUi } from './multiplier.ts';

/** Fields that the route documents, used or not. Bars are unnamed lists of six. */
const OHLCV_FIELDS = knownFields('geckoterminal:ohlcv', [
  'data meta',
  {
    data: ['id type attributes', { attributes: 'ohlcv_list' }],
    meta: ['base quote', { base: 'address name symbol coingecko_coin_id', quote: 'address name symbol coingecko_coin_id' }],
  },
]);
const PAGE_SIZE = 1_000;
/** Timeframes of the route. Others are joined from them. */
const OFFERED: Readonly<Record<string, { readonly unit: 'day' | 'hour' | 'minute'; readonly aggregate: number }>> = {
  '1m': { unit: 'minute', aggregate: 1 },
  '5m': { unit: 'minute', aggregate: 5 },
  '15m': { unit: 'minute', aggregate: 15 },
  '1h': { unit: 'hour', aggregate: 1 },
  '4h': { unit: 'hour', aggregate: 4 },
  '12h': { unit: 'hour', aggregate: 12 },
  '24h': { unit: 'day', aggregate: 1 },
};

/** Pool whose bars represent a token. */
interface TokenPool {
  readonly symbol: string;
  readonly pool: string;
  /** Multiplier over time. Pool bars are in raw units, so prices are divided by it. */
  readonly scaledUi: ScaledUi;
}

interface SpotchainCandlesOptions {
  /** Client of `https://api.geckoterminal.com`. */
  readonly client: KeyedClient;
  readonly clock: Pick<Clock, 'now'>;
  /** Pools, or a function called at every request if they may change. */
  readonly pools: readonly TokenPool[] | (() => readonly TokenPool[]);
  /** Network name in the route. Default `solana`. */
  readonly network?: string;
}

/** Maps one page to ascending bars; the route returns newest first. @throws VenueError if the format or a bar is invalid */
export function mapOhlcv(body: unknown, scaledUi: ScaledUi): Candle[] {
  const list = (body as { data?: { attributes?: { ohlcv_list?: unknown } } } | null)?.data?.attributes?.ohlcv_list;
  if (!Array.isArray(list)) throw new VenueError('spotchain', 200, 'unknown_shape', 'the pool bars have no "data.attributes.ohlcv_list"');
  const candles: Candle[] = [];
  for (const row of list as unknown[]) {
    if (!Array.isArray(row) || row.length < 6 || !row.every((cell) => typeof cell === 'number' && Number.isFinite(cell))) {
      throw new VenueError('spotchain', 200, 'unknown_shape', 'a pool bar is no list of six numbers');
    }
    const [seconds, open, high, low, close, volumeUsd] = row as [number, number, number, number, number, number];
    // The pool's own rounding may put an extreme slightly inside of open and close.
    const top = Math.max(open, high, low, close);
    const bottom = Math.min(open, high, low, close);
    if (!(bottom > 0) || volumeUsd < 0)
      throw new VenueError('spotchain', 200, 'unsound_bar', `the pool bar at ${seconds} has a price of zero or below`);
    const openTime = seconds * 1000;
    const multiplier = multiplierAt(scaledUi, openTime);
    const perUi = (price: number): string => plainDecimal(new Decimal(price).div(multiplier).toSignificantDigits(15));
    // The route's volume is in US dollars, a bar's in base units.
    const volume = plainDecimal(new Decimal(volumeUsd).div(new Decimal(close).div(multiplier)).toDecimalPlaces(6));
    candles.push({ openTime, open: perUi(open), high: perUi(top), low: perUi(bottom), close: perUi(close), volume });
  }
  candles.sort((a, b) => a.openTime - b.openTime);
  return candles.filter((candle, index) => index === 0 || candle.openTime !== (candles[index - 1] as Candle).openTime);
}

/** Answer of the route for a range. */
interface Told {
  readonly candles: readonly Candle[];
  /** Time from which a missing bar means no trades. Before it nothing is known. */
  readonly knownFrom: EpochMs;
}

/** Requests bars of an offered timeframe with from <= openTime < to. */
async function offered(
  { client, network = 'solana' }: Pick<SpotchainCandlesOptions, 'client' | 'network'>,
  pool: TokenPool,
  timeframe: string,
  from: EpochMs,
  to: EpochMs,
): Promise<Told> {
  const { unit, aggregate } = OFFERED[timeframe] as (typeof OFFERED)[string];
  const barMs = timeframeMs(timeframe) as number;
  const pages: Candle[][] = [];
  // The route pages backwards from `before_timestamp`, exclusive.
  let before = to;
  while (before > from) {
    const body = await client.get(
      `/api/v2/networks/${network}/pools/${pool.pool}/ohlcv/${unit}`,
      [
        ['aggregate', String(aggregate)],
        ['before_timestamp', String(Math.ceil(before / 1000))],
        // At most the bars that fit into the rest. If some are missing, the page reaches further back.
        ['limit', String(Math.min(Math.ceil((before - from) / barMs), PAGE_SIZE))],
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
  const candles = pages.reverse().flat();
  return {
    candles: candles.filter((candle) => candle.openTime >= from),
    // A history that ends after `from` either began there or is truncated, which cannot be told apart.
    knownFrom: before <= from ? from : (candles[0]?.openTime ?? to),
  };
}

/** Creates the history of the aggregator venue. `instrument` is the token's symbol. Hours without trades have no bar. */
export function createSpotchainCandles(options: SpotchainCandlesOptions): CandleSource {
  const poolsNow = (): readonly TokenPool[] => (typeof options.pools === 'function' ? options.pools() : options.pools);

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
      const parts = findParts(timeframe, Object.keys(OFFERED));
      if (length === null || parts === null)
        throw new VenueError('spotchain', 0, 'unsupported_timeframe', `"${timeframe}" is not a timeframe of whole minutes, e.g. 15m or 1h`);
      // Shorter bars outside of [from, to) would give incomplete bars.
      const start = Math.ceil(from / length) * length;
      const end = Math.ceil(to / length) * length;
      const { candles, knownFrom } = await offered(options, pool, parts.timeframe, start, end);
      const barMs = length / parts.each;
      const now = options.clock.now();
      const isClosed = (openTime: EpochMs): boolean => openTime + barMs <= now;
      const closed = candles.filter(({ openTime }) => isClosed(openTime));
      const wasQuiet = (openTime: EpochMs): boolean => openTime >= knownFrom && isClosed(openTime);
      return joinWholeCandles(closed, barMs, length, wasQuiet).filter(({ openTime }) => openTime >= from && openTime < to);
    },
  };
}
