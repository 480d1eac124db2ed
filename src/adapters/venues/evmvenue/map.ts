/** Mapping of the perpetuals venue's frames to engine messages. Pure. See docs/reference/outside/perpetuals-venue.md. */
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { Candle } from '../../../domain/candles/candle.ts';
import { compareDecimals, isPositive } from '../../../domain/values/decimal.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import { NO_FLAGS, type PerpContext, type QualityFlag, type Quote, type RejectionReason } from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { frameSample, rejection } from '../feed-messages.ts';
import { knownFields, noteUnknown } from '../known-fields.ts';
import type { BookLevel, OrderBook } from '../order-book.ts';
import { isCount, isZero, wireDecimal } from '../wire-decimal.ts';
import { scannedLevels, scanPerpFrame } from './scan-frames.ts';

/** Provider name in `source`. */
export const PROVIDER = 'hyperliquid';
export const BBO_SOURCE = 'hyperliquid:bbo';
export const BOOK_SOURCE = 'hyperliquid:l2Book';
export const CONTEXT_SOURCE = 'hyperliquid:activeAssetCtx';
export const CANDLE_SOURCE = 'hyperliquid:candle';

/** Fields that the venue documents or was seen to send, used or not. */
const FRAME_FIELDS = knownFields(PROVIDER, 'channel data');
const BODY_FIELDS = {
  bbo: knownFields(BBO_SOURCE, ['coin time bbo', { bbo: 'px sz n' }]),
  l2Book: knownFields(BOOK_SOURCE, ['coin time levels fast', { levels: 'px sz n' }]),
  activeAssetCtx: knownFields(CONTEXT_SOURCE, [
    'coin ctx',
    { ctx: 'funding openInterest prevDayPx dayNtlVlm premium oraclePx markPx midPx impactPxs dayBaseVlm' },
  ]),
};
/** Fields of a candle, pushed or requested. */
export const BAR = 't T s i o c h l v n';
const CANDLE_FIELDS = knownFields(CANDLE_SOURCE, BAR);

/** Whole book. The venue never sends differences. */
export interface PerpBook {
  readonly kind: 'perp_book';
  readonly book: OrderBook;
  /** Quote of its best prices, which confirms or replaces the last `bbo`. */
  readonly top: Quote<'evmvenue'>;
}

/** Book of which only the best prices were read from the frame, because most books are replaced before anybody reads their levels. */
class ScannedBook implements PerpBook {
  readonly kind = 'perp_book';
  readonly top: Quote<'evmvenue'>;
  readonly #frame: Buffer;
  readonly #coins: ReadonlySet<string>;
  #book: OrderBook | null = null;

  constructor(frame: Buffer, coins: ReadonlySet<string>, top: Quote<'evmvenue'>) {
    this.top = top;
    this.#frame = frame;
    this.#coins = coins;
  }

  get book(): OrderBook {
    const { instrument, observedAt, receivedAt } = this.top;
    if (this.#book === null) {
      const { bids, asks } = scannedLevels(this.#frame, this.#coins);
      this.#book = toBook(instrument, observedAt, receivedAt, bids, asks);
    }
    return this.#book;
  }
}

/** Current state of a bar. The venue does not mark it as closed. */
export interface FormingCandle {
  readonly kind: 'forming_candle';
  readonly instrument: string;
  readonly timeframe: string;
  readonly receivedAt: EpochMs;
  readonly candle: Candle;
}

type PerpMessage = FeedMessage | PerpBook | FormingCandle;

type Refuse = (reason: RejectionReason, detail: string, source?: string) => readonly PerpMessage[];

const NOTHING: readonly PerpMessage[] = Object.freeze([]);
const ONE_SIDED: readonly QualityFlag[] = Object.freeze(['one_sided'] as const);
const UNUSED_CHANNELS = new Set(['subscriptionResponse', 'trades', 'allMids', 'activeSpotAssetCtx', 'notification', 'post']);

/** Returns the product's timeframe of a venue interval (`1d` is `24h`), or null if there is none. */
function timeframeOfInterval(interval: unknown): string | null {
  if (interval === '1d') return '24h';
  return typeof interval === 'string' && /^([1-9]\d?)[mh]$/.test(interval) ? interval : null;
}

/** Converts a level `{px, sz, n}` to `[price, size]`, or returns null if one is not a plain decimal. */
function wireLevel(value: unknown): BookLevel | null {
  if (typeof value !== 'object' || value === null) return null;
  const { px, sz } = value as Record<string, unknown>;
  const price = wireDecimal(px);
  const size = wireDecimal(sz);
  return price === null || size === null ? null : [price, size];
}

/** True if price and size are above zero. A size of zero means no order. */
function possible(level: BookLevel): boolean {
  return isPositive(level[0]) && isPositive(level[1]);
}

function topQuote(
  instrument: string,
  source: string,
  observedAt: EpochMs,
  receivedAt: EpochMs,
  bid: BookLevel | null,
  ask: BookLevel | null,
): Quote<'evmvenue'> {
  const oneSided = bid === null || ask === null;
  return {
    kind: 'quote',
    venue: 'evmvenue',
    instrument,
    source,
    observedAt,
    receivedAt,
    sourceTime: true,
    bid: bid === null ? null : bid[0],
    ask: ask === null ? null : ask[0],
    bidSize: bid === null ? null : bid[1],
    askSize: ask === null ? null : ask[1],
    // The venue has no sequence numbers; time gives the order.
    sequence: null,
    quality: oneSided ? 'degraded' : 'live',
    flags: oneSided ? ONE_SIDED : NO_FLAGS,
  };
}

/** Creates the refusal of a frame. The function is anonymous, because loaders that preserve names would create one per frame. */
function createRefusal(frame: Buffer, receivedAt: EpochMs): Refuse {
  return (reason, detail, source = PROVIDER) => [rejection('evmvenue', source, receivedAt, reason, detail, frameSample(frame))];
}

/**
 * Maps one frame. Well-formed frames without relevant content yield nothing, an unusable one yields one rejection with its reason. The
 * greeting of a new connection is ignored. `note` receives unknown fields. Never throws.
 */
export function mapPerpFrame(
  frame: Buffer,
  receivedAt: EpochMs,
  coins: ReadonlySet<string>,
  note?: NoteUnknownField,
): readonly PerpMessage[] {
  const scanned = scanPerpFrame(frame, coins);
  if (scanned === null) return mapParsedPerpFrame(frame, receivedAt, coins, note);
  const { channel, coin, time, bid, ask } = scanned;
  return channel === 'bbo'
    ? [topQuote(coin, BBO_SOURCE, time, receivedAt, bid, ask)]
    : [new ScannedBook(frame, coins, topQuote(coin, BOOK_SOURCE, time, receivedAt, bid, ask))];
}

/** Maps a frame like `mapPerpFrame` without the scan. The scan must agree with it. */
export function mapParsedPerpFrame(
  frame: Buffer,
  receivedAt: EpochMs,
  coins: ReadonlySet<string>,
  note?: NoteUnknownField,
): readonly PerpMessage[] {
  const refuse = createRefusal(frame, receivedAt);
  const text = frame.toString('utf8');
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (error) {
    return text.startsWith('Websocket connection established') ? NOTHING : refuse('not_json', (error as Error).message);
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return refuse('unknown_shape', 'not an object');
  const { channel, data } = message as Record<string, unknown>;
  if (typeof channel !== 'string') return refuse('missing_field', 'channel is missing');
  if (channel === 'pong') return [{ kind: 'heartbeat', venue: 'evmvenue', source: PROVIDER, receivedAt }];
  if (channel === 'error') return refuse('venue_error', typeof data === 'string' ? data : JSON.stringify(data ?? null));
  if (UNUSED_CHANNELS.has(channel)) return NOTHING;
  noteUnknown(message, FRAME_FIELDS, note);
  if (channel === 'candle') return mapCandles(data, receivedAt, coins, refuse, note);
  if (channel !== 'bbo' && channel !== 'l2Book' && channel !== 'activeAssetCtx')
    return refuse('unknown_shape', `no such channel: ${channel}`);
  if (typeof data !== 'object' || data === null) return refuse('missing_field', `${channel} without data`);
  const body = data as Record<string, unknown>;
  noteUnknown(body, BODY_FIELDS[channel], note);
  const { coin } = body;
  if (typeof coin !== 'string') return refuse('missing_field', `${channel} without coin`);
  if (!coins.has(coin)) return refuse('unknown_instrument', `${coin} was not asked for`);
  if (channel === 'bbo') return mapBbo(coin, body, receivedAt, refuse);
  if (channel === 'l2Book') return mapBook(coin, body, receivedAt, refuse);
  return mapContext(coin, body, receivedAt, refuse);
}

function mapBbo(coin: string, body: Record<string, unknown>, receivedAt: EpochMs, refuse: Refuse): readonly PerpMessage[] {
  const { time, bbo } = body;
  if (!isCount(time)) return refuse('bad_number', `time ${valueText(time)}`, BBO_SOURCE);
  if (!Array.isArray(bbo)) return refuse('missing_field', 'bbo is missing', BBO_SOURCE);
  // Either side is null or absent if it has no orders.
  const sides: (BookLevel | null)[] = [];
  for (const side of [bbo[0] as unknown, bbo[1] as unknown]) {
    if (side === null || side === undefined) {
      sides.push(null);
      continue;
    }
    const level = wireLevel(side);
    if (level === null) return refuse('bad_number', 'a price or size is not a plain decimal', BBO_SOURCE);
    if (!possible(level)) return refuse('non_positive_price', `price ${level[0]} with size ${level[1]}`, BBO_SOURCE);
    sides.push(level);
  }
  return [topQuote(coin, BBO_SOURCE, time, receivedAt, sides[0] ?? null, sides[1] ?? null)];
}

/** Returns both sides of a book, or the reason if they cannot be read. */
export function perpLevels(value: unknown): readonly [readonly BookLevel[], readonly BookLevel[]] | RejectionReason {
  if (!Array.isArray(value) || !Array.isArray(value[0]) || !Array.isArray(value[1])) return 'missing_field';
  const sides: BookLevel[][] = [];
  for (const side of [value[0] as unknown[], value[1] as unknown[]]) {
    const levels: BookLevel[] = [];
    for (const entry of side) {
      const level = wireLevel(entry);
      if (level === null) return 'bad_number';
      if (!possible(level)) return 'non_positive_price';
      levels.push(level);
    }
    sides.push(levels);
  }
  return [sides[0] as BookLevel[], sides[1] as BookLevel[]];
}

function toBook(coin: string, time: EpochMs, receivedAt: EpochMs, bids: readonly BookLevel[], asks: readonly BookLevel[]): OrderBook {
  return {
    venue: 'evmvenue',
    instrument: coin,
    source: BOOK_SOURCE,
    observedAt: time,
    receivedAt,
    sourceTime: true,
    sequence: null,
    bids,
    asks,
    quality: 'live',
    flags: NO_FLAGS,
  };
}

function mapBook(coin: string, body: Record<string, unknown>, receivedAt: EpochMs, refuse: Refuse): readonly PerpMessage[] {
  const { time, levels } = body;
  if (!isCount(time)) return refuse('bad_number', `time ${valueText(time)}`, BOOK_SOURCE);
  const sides = perpLevels(levels);
  if (typeof sides === 'string') return refuse(sides, 'the levels of the book cannot be read', BOOK_SOURCE);
  const [bids, asks] = sides;
  const top = topQuote(coin, BOOK_SOURCE, time, receivedAt, bids[0] ?? null, asks[0] ?? null);
  return [{ kind: 'perp_book', book: toBook(coin, time, receivedAt, bids, asks), top }];
}

/** Maps an asset context, or returns null if a number is missing or invalid. Contexts have no time, so `observedAt` is `receivedAt`. */
export function perpContext(coin: string, ctx: unknown, receivedAt: EpochMs, source: string): PerpContext | null {
  if (typeof ctx !== 'object' || ctx === null) return null;
  const { markPx, oraclePx, funding, openInterest, dayNtlVlm } = ctx as Record<string, unknown>;
  const markPrice = wireDecimal(markPx);
  const oraclePrice = wireDecimal(oraclePx);
  const hourlyFunding = wireDecimal(funding);
  const interest = wireDecimal(openInterest);
  const dayNotional = wireDecimal(dayNtlVlm);
  if (markPrice === null || oraclePrice === null || hourlyFunding === null || interest === null || dayNotional === null) return null;
  for (const price of [markPrice, oraclePrice]) if (price.startsWith('-') || isZero(price)) return null;
  return {
    kind: 'perp_context',
    venue: 'evmvenue',
    instrument: coin,
    source,
    observedAt: receivedAt,
    receivedAt,
    markPrice,
    oraclePrice,
    hourlyFunding,
    openInterest: interest,
    dayNotional,
  };
}

function mapContext(coin: string, body: Record<string, unknown>, receivedAt: EpochMs, refuse: Refuse): readonly PerpMessage[] {
  const context = perpContext(coin, body['ctx'], receivedAt, CONTEXT_SOURCE);
  return context === null ? refuse('bad_number', 'a number of the context is missing or cannot be', CONTEXT_SOURCE) : [context];
}

/** Maps a bar `{t,T,s,i,o,c,h,l,v,n}`, or returns null if a price is not above zero or high and low do not enclose open and close. */
export function perpCandle(value: unknown): Candle | null {
  if (typeof value !== 'object' || value === null) return null;
  const { t, o, h, l, c, v } = value as Record<string, unknown>;
  const [open, high, low, close, volume] = [o, h, l, c, v].map(wireDecimal);
  if (!isCount(t) || !open || !high || !low || !close || !volume || volume.startsWith('-')) return null;
  if ([open, high, low, close].some((price) => price.startsWith('-') || isZero(price))) return null;
  const enclosed = [open, close].every((price) => compareDecimals(price, high) <= 0 && compareDecimals(price, low) >= 0);
  return enclosed ? { openTime: t, open, high, low, close, volume } : null;
}

function mapCandles(
  data: unknown,
  receivedAt: EpochMs,
  coins: ReadonlySet<string>,
  refuse: Refuse,
  note: NoteUnknownField | undefined,
): readonly PerpMessage[] {
  // The venue's documentation says an array, its libraries a single bar. Both are accepted.
  const bars = Array.isArray(data) ? (data as unknown[]) : [data];
  const messages: PerpMessage[] = [];
  for (const bar of bars) {
    const { s, i } = (bar ?? {}) as Record<string, unknown>;
    const timeframe = timeframeOfInterval(i);
    const candle = perpCandle(bar);
    noteUnknown(bar, CANDLE_FIELDS, note);
    if (typeof s !== 'string' || timeframe === null)
      return refuse('missing_field', 'a bar without a coin or a known interval', CANDLE_SOURCE);
    if (!coins.has(s)) return refuse('unknown_instrument', `${s} was not asked for`, CANDLE_SOURCE);
    if (candle === null) return refuse('bad_number', 'a bar with a price, volume or time that cannot be', CANDLE_SOURCE);
    messages.push({ kind: 'forming_candle', instrument: s, timeframe, receivedAt, candle });
  }
  return messages;
}
