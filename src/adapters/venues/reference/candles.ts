/**
 * Candles of reference prices from Pyth's history, in the format of TradingView's charting library.
 * See docs/reference/outside/reference-prices.md.
 */
import type { Candle } from '../../../domain/candles/candle.ts';
import { plainDecimal } from '../../../domain/values/decimal.ts';
import { timeframeMs } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { knownFields } from '../known-fields.ts';
import { type CandleSource, VenueError } from '../venue-feed.ts';
import type { ReferenceInstrument } from './hermes-map.ts';
import type { KeyedClient } from './keyed-client.ts';

/** Provider resolutions by the product's timeframes. */
const RESOLUTIONS: Readonly<Record<string, string>> = {
  '1m': '1',
  '2m': '2',
  '5m': '5',
  '15m': '15',
  '30m': '30',
  '60m': '60',
  '1h': '60',
  '2h': '120',
  '4h': '240',
  '6h': '360',
  '12h': '720',
  '24h': 'D',
};
/** Fields of the charting library's answers: columns, and the status of an answer without bars. */
const HISTORY_FIELDS = knownFields('pyth:history', 's t o h l c v errmsg nextTime');
const PAGE_SIZE = 5_000;

interface ReferenceCandlesOptions {
  readonly client: KeyedClient;
  readonly instruments: readonly ReferenceInstrument[];
  /** Channel of the history. Default `fixed_rate@200ms`. */
  readonly channel?: string;
}

function column(body: Record<string, unknown>, name: string, length: number): number[] {
  const values = body[name];
  if (!Array.isArray(values) || values.length !== length || !values.every((value) => typeof value === 'number' && Number.isFinite(value))) {
    throw new VenueError('reference', 200, 'unknown_shape', `the history's column "${name}" is no list of ${length} numbers`);
  }
  return values as number[];
}

function sound(open: number, high: number, low: number, close: number): boolean {
  return low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close);
}

/** Maps the bars with from <= openTime < to, ascending. Exported for tests. @throws VenueError if a bar is invalid */
export function mapHistory(body: unknown, from: number, to: number): Candle[] {
  const answer = body as Record<string, unknown> | null;
  if (typeof answer !== 'object' || answer === null)
    throw new VenueError('reference', 200, 'unknown_shape', 'the history is not an object');
  if (answer['s'] === 'no_data') return [];
  if (answer['s'] !== 'ok') {
    const detail = typeof answer['errmsg'] === 'string' ? answer['errmsg'].slice(0, 200) : `status ${valueText(answer['s'], 40)}`;
    throw new VenueError('reference', 200, 'history_refused', `the history was refused: ${detail}`);
  }
  const times = answer['t'];
  if (!Array.isArray(times)) throw new VenueError('reference', 200, 'unknown_shape', 'the history has no column "t"');
  const t = column(answer, 't', times.length);
  const [o, h, l, c] = ['o', 'h', 'l', 'c'].map((name) => column(answer, name, times.length)) as [number[], number[], number[], number[]];
  const v = answer['v'] === undefined ? null : column(answer, 'v', times.length);
  const candles: Candle[] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < t.length; i++) {
    const openTime = (t[i] as number) * 1000;
    const [open, high, low, close] = [o[i], h[i], l[i], c[i]] as [number, number, number, number];
    if (openTime < from || openTime >= to || openTime <= before) continue;
    if (!sound(open, high, low, close))
      throw new VenueError('reference', 200, 'unsound_bar', `the bar at ${t[i]} does not hold low <= open, close <= high`);
    before = openTime;
    // Prices are JSON numbers, whose shortest form is the provider's own.
    candles.push({
      openTime,
      open: plainDecimal(open),
      high: plainDecimal(high),
      low: plainDecimal(low),
      close: plainDecimal(close),
      volume: v === null ? '0' : plainDecimal(Math.max(0, v[i] as number)),
    });
  }
  return candles;
}

/** Creates the history of the reference venue. `instrument` is the share's symbol. */
export function createReferenceCandles(options: ReferenceCandlesOptions): CandleSource {
  const names = new Map(options.instruments.map((entry) => [entry.symbol, entry.feedSymbol ?? `Equity.US.${entry.symbol}/USD`]));
  const path = `/v1/${options.channel ?? 'fixed_rate@200ms'}/history`;
  return {
    venue: 'reference',
    pageSize: PAGE_SIZE,
    async fetchCandles(instrument, timeframe, from, to) {
      const symbol = names.get(instrument);
      if (symbol === undefined)
        throw new VenueError(
          'reference',
          0,
          'unknown_instrument',
          `the reference feed has no "${instrument}"; it has ${[...names.keys()].join(', ')}`,
        );
      const resolution = RESOLUTIONS[timeframe];
      const length = timeframeMs(timeframe);
      if (resolution === undefined || length === null) {
        throw new VenueError(
          'reference',
          0,
          'unsupported_timeframe',
          `the history has no bars of ${timeframe}; it has ${Object.keys(RESOLUTIONS).join(', ')}`,
        );
      }
      const all: Candle[] = [];
      for (let start = from; start < to; start += PAGE_SIZE * length) {
        const end = Math.min(to, start + PAGE_SIZE * length);
        const body = await options.client.get(
          path,
          [
            ['symbol', symbol],
            ['resolution', resolution],
            ['from', String(Math.ceil(start / 1000))],
            ['to', String(Math.ceil(end / 1000) - 1)],
          ],
          HISTORY_FIELDS,
        );
        for (const candle of mapHistory(body, start, end)) all.push(candle);
      }
      return all;
    },
  };
}
