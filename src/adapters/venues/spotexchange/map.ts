/** Mapping of the spot exchange's frames to engine messages. Pure. See docs/reference/outside/spot-exchange.md. */
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { Candle } from '../../../domain/candles/candle.ts';
import { compareDecimals, type DecimalString } from '../../../domain/values/decimal.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { DayTicker } from '../../../domain/market/market-state.ts';
import { NO_FLAGS, type QualityFlag, type Quote, type Rejection, type RejectionReason } from '../../../domain/market/quote.ts';
import type { VenueTrade } from '../../../domain/shadow/flow.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { frameSample, rejection } from '../feed-messages.ts';
import { knownFields, noteUnknown } from '../known-fields.ts';
import type { BookLevel } from '../order-book.ts';
import { isCount, isZero, wireDecimal } from '../wire-decimal.ts';
import { BOOK_TICKER_SOURCE, type DepthDiff, scanSpotFrame } from './scan-frames.ts';

export type { DepthDiff } from './scan-frames.ts';

/** Provider name in `source`. */
export const PROVIDER = 'binance';
export const DEPTH_SOURCE = 'binance:depth';
const KLINE_SOURCE = 'binance:kline';
const TICKER_SOURCE = 'binance:24hrTicker';
const TRADE_SOURCE = 'binance:aggTrade';

/** Fields that the venue documents, used or not. */
const BOOK_TICKER_FIELDS = knownFields(BOOK_TICKER_SOURCE, 'u s b B a A');
const DEPTH_FIELDS = knownFields(DEPTH_SOURCE, 'e E s U u b a');
const TICKER_FIELDS = knownFields(TICKER_SOURCE, 'e E s p P w x c Q b B a A o h l v q O C F L n');
const TRADE_FIELDS = knownFields(TRADE_SOURCE, 'e E s a p q f l T m M nq');
const ENVELOPE_FIELDS = knownFields(PROVIDER, 'stream data');
const KLINE_FIELDS = knownFields(KLINE_SOURCE, ['e E s k', { k: 't T s i f L o c h l v n x q V Q B' }]);

/** Announcement that the venue will close the connection for maintenance. */
interface ServerShutdown {
  readonly kind: 'server_shutdown';
}

type SpotMessage = FeedMessage | DepthDiff | DayTicker | VenueTrade | ServerShutdown;

const NOTHING: readonly SpotMessage[] = Object.freeze([]);
const SHUTDOWN: readonly SpotMessage[] = Object.freeze([Object.freeze({ kind: 'server_shutdown' as const })]);
const ONE_SIDED: readonly QualityFlag[] = Object.freeze(['one_sided'] as const);

/** Well-formed events of the venue that are ignored. */
const UNUSED_EVENTS = new Set(['trade', '24hrMiniTicker', '1hTicker', '4hTicker', '1dTicker', 'avgPrice']);

/** Returns the product's timeframe of a venue interval (`1d` is `24h`), or null if there is none. */
function timeframeOfInterval(interval: unknown): string | null {
  if (interval === '1d') return '24h';
  return typeof interval === 'string' && /^([1-9]\d?)[mh]$/.test(interval) ? interval : null;
}

/** Returns the stream symbols (lower case) of the followed instruments. */
export function streamSymbols(instruments: readonly string[]): ReadonlyMap<string, string> {
  return new Map(instruments.map((instrument) => [instrument.toLowerCase(), instrument]));
}

/** Fields of a bookTicker message as the venue wrote them. */
interface BookTicker {
  readonly instrument: string;
  readonly sequence: number;
  readonly bid: DecimalString;
  readonly bidSize: DecimalString;
  readonly ask: DecimalString;
  readonly askSize: DecimalString;
}

/**
 * Maps a bookTicker to a quote. The stream has no event time, so `observedAt` is `receivedAt` and `sourceTime` is false. An empty side
 * has price 0 and size 0, and any price with size 0 means no order. Any other price that is not above zero is refused.
 */
function bookTickerQuote(ticker: BookTicker, receivedAt: EpochMs): Quote<'spotexchange'> | string {
  const { bid, ask, bidSize, askSize } = ticker;
  const noBid = isZero(bidSize);
  const noAsk = isZero(askSize);
  if (bid.charCodeAt(0) === 45 || (isZero(bid) && !noBid)) return `bid price is ${bid}, must be above zero`;
  if (ask.charCodeAt(0) === 45 || (isZero(ask) && !noAsk)) return `ask price is ${ask}, must be above zero`;
  if (bidSize.charCodeAt(0) === 45 || askSize.charCodeAt(0) === 45) return `sizes are ${bidSize} and ${askSize}, must not be negative`;
  const oneSided = noBid || noAsk;
  return {
    kind: 'quote',
    venue: 'spotexchange',
    instrument: ticker.instrument,
    source: BOOK_TICKER_SOURCE,
    observedAt: receivedAt,
    receivedAt,
    sourceTime: false,
    bid: noBid ? null : bid,
    ask: noAsk ? null : ask,
    bidSize: noBid ? null : bidSize,
    askSize: noAsk ? null : askSize,
    sequence: ticker.sequence,
    quality: oneSided ? 'degraded' : 'live',
    flags: oneSided ? ONE_SIDED : NO_FLAGS,
  };
}

/**
 * Maps one frame of the combined stream. Well-formed frames without relevant content yield nothing, an unusable one yields one rejection
 * with its reason. `note` receives unknown fields. Never throws.
 */
export function mapSpotFrame(
  frame: Buffer,
  receivedAt: EpochMs,
  instruments: ReadonlyMap<string, string>,
  note?: NoteUnknownField,
): readonly SpotMessage[] {
  const scanned = scanSpotFrame(frame, receivedAt, instruments);
  return scanned === null ? mapParsedSpotFrame(frame, receivedAt, instruments, note) : [scanned];
}

/** Maps a frame like `mapSpotFrame` without the scan. The scan must agree with it. */
export function mapParsedSpotFrame(
  frame: Buffer,
  receivedAt: EpochMs,
  instruments: ReadonlyMap<string, string>,
  note?: NoteUnknownField,
): readonly SpotMessage[] {
  const refuse = createRefusal(frame, receivedAt);
  let message: unknown;
  try {
    message = JSON.parse(frame.toString('utf8'));
  } catch (error) {
    return refuse('not_json', (error as Error).message);
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return refuse('unknown_shape', 'not an object');
  const envelope = message as Record<string, unknown>;
  if ('stream' in envelope || 'data' in envelope) {
    const { stream, data } = envelope;
    if (typeof stream !== 'string') return refuse('missing_field', 'stream is missing');
    if (typeof data !== 'object' || data === null) return refuse('missing_field', 'data is missing');
    noteUnknown(envelope, ENVELOPE_FIELDS, note);
    return mapData(stream, data as Record<string, unknown>, receivedAt, instruments, refuse, note);
  }
  if (envelope['e'] === 'serverShutdown') return SHUTDOWN;
  if ('error' in envelope || ('code' in envelope && 'msg' in envelope)) {
    return refuse('venue_error', JSON.stringify(envelope['error'] ?? { code: envelope['code'], msg: envelope['msg'] }));
  }
  // Acknowledgement of a control message.
  if ('result' in envelope && 'id' in envelope) return NOTHING;
  return refuse('unknown_shape', 'neither a stream message nor an answer');
}

type Refuse = (reason: RejectionReason, detail: string, source?: string) => readonly Rejection[];

/** Creates the refusal of a frame. The function is anonymous, because loaders that preserve names would create one per frame. */
function createRefusal(frame: Buffer, receivedAt: EpochMs): Refuse {
  return (reason, detail, source = PROVIDER) => [rejection('spotexchange', source, receivedAt, reason, detail, frameSample(frame))];
}

function mapData(
  stream: string,
  data: Record<string, unknown>,
  receivedAt: EpochMs,
  instruments: ReadonlyMap<string, string>,
  refuse: Refuse,
  note: NoteUnknownField | undefined,
): readonly SpotMessage[] {
  const event = data['e'];
  if (event === 'serverShutdown' || stream === '!serverShutdown') return SHUTDOWN;
  if (typeof event === 'string' && UNUSED_EVENTS.has(event)) return NOTHING;
  const at = stream.indexOf('@');
  const instrument = at < 0 ? undefined : instruments.get(stream.slice(0, at));
  if (instrument === undefined) return refuse('unknown_instrument', `stream ${stream} was not asked for`);
  const channel = stream.slice(at + 1);
  if ('s' in data && data['s'] !== instrument) return refuse('unknown_instrument', `stream ${stream} carries ${valueText(data['s'])}`);
  if (channel === 'bookTicker') {
    noteUnknown(data, BOOK_TICKER_FIELDS, note);
    return mapBookTicker(instrument, data, receivedAt, refuse);
  }
  if (channel === 'depth' || channel === 'depth@100ms') {
    noteUnknown(data, DEPTH_FIELDS, note);
    return mapDepth(instrument, data, receivedAt, refuse);
  }
  if (channel === 'ticker') {
    noteUnknown(data, TICKER_FIELDS, note);
    return mapDayTicker(instrument, data, receivedAt, refuse);
  }
  if (channel === 'aggTrade') {
    noteUnknown(data, TRADE_FIELDS, note);
    return mapTrade(instrument, data, receivedAt, refuse);
  }
  if (channel.startsWith('kline_')) {
    noteUnknown(data, KLINE_FIELDS, note);
    return mapKline(instrument, data, receivedAt, refuse);
  }
  return refuse('unknown_shape', `no such channel: ${channel}`);
}

function mapBookTicker(instrument: string, data: Record<string, unknown>, receivedAt: EpochMs, refuse: Refuse): readonly SpotMessage[] {
  for (const name of ['u', 's', 'b', 'B', 'a', 'A']) {
    if (!(name in data)) return refuse('missing_field', `bookTicker without ${name}`, BOOK_TICKER_SOURCE);
  }
  const sequence = data['u'];
  if (!isCount(sequence)) return refuse('bad_number', `update id ${valueText(sequence)}`, BOOK_TICKER_SOURCE);
  const bid = wireDecimal(data['b']);
  const bidSize = wireDecimal(data['B']);
  const ask = wireDecimal(data['a']);
  const askSize = wireDecimal(data['A']);
  if (bid === null || bidSize === null || ask === null || askSize === null) {
    return refuse('bad_number', 'a price or size is not a plain decimal', BOOK_TICKER_SOURCE);
  }
  const quote = bookTickerQuote({ instrument, sequence, bid, bidSize, ask, askSize }, receivedAt);
  return typeof quote === 'string' ? refuse('non_positive_price', quote, BOOK_TICKER_SOURCE) : [quote];
}

/** Returns the levels of a book as `[price, size]` texts, or null if one is not a price above zero with a size of at least zero. */
export function bookLevels(value: unknown): readonly BookLevel[] | null {
  if (!Array.isArray(value)) return null;
  const levels: BookLevel[] = [];
  for (const level of value as unknown[]) {
    if (!Array.isArray(level)) return null;
    const price = wireDecimal(level[0]);
    const size = wireDecimal(level[1]);
    if (price === null || size === null || price.startsWith('-') || size.startsWith('-') || isZero(price)) return null;
    levels.push([price, size]);
  }
  return levels;
}

function mapDepth(instrument: string, data: Record<string, unknown>, receivedAt: EpochMs, refuse: Refuse): readonly SpotMessage[] {
  const { E: observedAt, U: firstId, u: lastId } = data;
  if (!isCount(observedAt) || !isCount(firstId) || !isCount(lastId) || firstId > lastId) {
    return refuse('bad_number', 'depth without a time or an ordered pair of update ids', DEPTH_SOURCE);
  }
  const bids = bookLevels(data['b']);
  const asks = bookLevels(data['a']);
  if (bids === null || asks === null) return refuse('bad_number', 'a level of the book is no pair of plain decimals', DEPTH_SOURCE);
  return [{ kind: 'depth_diff', instrument, observedAt, receivedAt, firstId, lastId, bids, asks }];
}

/** Number fields of a 24hrTicker. */
const TICKER_MEMBERS = {
  p: 'change',
  P: 'changePct',
  w: 'average',
  o: 'open',
  h: 'high',
  l: 'low',
  c: 'last',
  v: 'volume',
  q: 'quoteVolume',
};

function mapDayTicker(instrument: string, data: Record<string, unknown>, receivedAt: EpochMs, refuse: Refuse): readonly SpotMessage[] {
  const { E: observedAt, O: openTime, C: closeTime, n: trades } = data;
  if (!isCount(observedAt) || !isCount(openTime) || !isCount(closeTime) || !isCount(trades))
    return refuse('missing_field', 'a day ticker without its times or its number of trades', TICKER_SOURCE);
  const texts: Record<string, string> = {};
  for (const [member, name] of Object.entries(TICKER_MEMBERS)) {
    const text = wireDecimal(data[member]);
    if (text === null) return refuse('bad_number', `${member} of a day ticker is not a plain decimal`, TICKER_SOURCE);
    texts[name] = text;
  }
  return [
    {
      kind: 'day_ticker',
      venue: 'spotexchange',
      instrument,
      source: TICKER_SOURCE,
      observedAt,
      receivedAt,
      openTime,
      closeTime,
      openPrice: texts['open'] as string,
      highPrice: texts['high'] as string,
      lowPrice: texts['low'] as string,
      lastPrice: texts['last'] as string,
      priceChange: texts['change'] as string,
      priceChangePct: texts['changePct'] as string,
      weightedAveragePrice: texts['average'] as string,
      volume: texts['volume'] as string,
      quoteVolume: texts['quoteVolume'] as string,
      trades,
    },
  ];
}

function mapTrade(instrument: string, data: Record<string, unknown>, receivedAt: EpochMs, refuse: Refuse): readonly SpotMessage[] {
  const { a: sequence, T: observedAt } = data;
  if (!isCount(sequence) || !isCount(observedAt)) return refuse('missing_field', 'a trade without its id or its time', TRADE_SOURCE);
  const price = wireDecimal(data['p']);
  const quantity = wireDecimal(data['q']);
  if (price === null || quantity === null) return refuse('bad_number', 'a price or size is not a plain decimal', TRADE_SOURCE);
  if (price.startsWith('-') || isZero(price) || quantity.startsWith('-'))
    return refuse('non_positive_price', `${quantity} traded at ${price}`, TRADE_SOURCE);
  return [{ kind: 'trade', venue: 'spotexchange', instrument, source: TRADE_SOURCE, observedAt, receivedAt, sequence, price, quantity }];
}

/**
 * Maps a candle from the venue's texts, or returns null if a price is not above zero, the volume is negative, or high and low do not
 * enclose open and close.
 */
export function wireCandle(openTime: unknown, texts: readonly unknown[]): Candle | null {
  const [open, high, low, close, volume] = texts.map(wireDecimal);
  if (!isCount(openTime) || !open || !high || !low || !close || !volume) return null;
  if ([open, high, low, close].some((price) => price.startsWith('-') || isZero(price)) || volume.startsWith('-')) return null;
  const enclosed = [open, close].every((price) => compareDecimals(price, high) <= 0 && compareDecimals(price, low) >= 0);
  return enclosed ? { openTime, open, high, low, close, volume } : null;
}

function mapKline(instrument: string, data: Record<string, unknown>, receivedAt: EpochMs, refuse: Refuse): readonly SpotMessage[] {
  const k = data['k'];
  if (typeof k !== 'object' || k === null) return refuse('missing_field', 'kline without k', KLINE_SOURCE);
  const bar = k as Record<string, unknown>;
  const timeframe = timeframeOfInterval(bar['i']);
  if (timeframe === null) return refuse('unknown_shape', `interval ${valueText(bar['i'])} was not asked for`, KLINE_SOURCE);
  if (typeof bar['x'] !== 'boolean') return refuse('missing_field', 'kline without x (closed)', KLINE_SOURCE);
  // An open bar is ignored.
  if (!bar['x']) return NOTHING;
  const candle = wireCandle(bar['t'], [bar['o'], bar['h'], bar['l'], bar['c'], bar['v']]);
  if (candle === null) return refuse('bad_number', 'a closed bar with a price, volume or time that cannot be', KLINE_SOURCE);
  return [{ kind: 'candles', venue: 'spotexchange', instrument, timeframe, source: KLINE_SOURCE, receivedAt, candles: [candle] }];
}
