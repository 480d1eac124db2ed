/**
 * Providers of the share price fallback: their requests and answers. Pure; `fallback.ts` decides when to request.
 * See docs/reference/outside/second-reference-source.md.
 */
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import { type DecimalString, isPositive, plainDecimal } from '../../../domain/values/decimal.ts';
import { NO_FLAGS, type QualityFlag, type ReferencePrice, type Rejection, type RejectionReason } from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { rejection } from '../feed-messages.ts';
import { knownFields, noteUnknown } from '../known-fields.ts';
import type { ReferenceYield } from './hermes-map.ts';
import type { ClientQuery } from './keyed-client.ts';
import type { ShareQuotesProvider } from './providers.ts';

/** Provider of share prices. Each answer format has its own implementation. */
export interface ShareQuotes {
  readonly source: string;
  /** Maximum stocks in one request. */
  readonly batch: number;
  /** Returns the headers that carry the key. */
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  readonly request: (symbols: readonly string[]) => { readonly path: string; readonly query: ClientQuery };
  /** Maps an answer. A stock that the provider does not know is rejected as `unknown_instrument`. `note` receives unknown fields. */
  readonly read: (body: unknown, symbols: readonly string[], receivedAt: EpochMs, note?: NoteUnknownField) => ReferenceYield;
}

export const FINNHUB_SOURCE = 'finnhub:quote';
const FINNHUB_FIELDS = knownFields(FINNHUB_SOURCE, 'c d dp h l o pc t');

/** Returns the rejection of an unusable answer. */
function refusal(source: string, receivedAt: EpochMs, body: unknown, reason: RejectionReason, detail: string): ReferenceYield {
  const sample = (JSON.stringify(body) ?? '').slice(0, 200).toWellFormed();
  const one: Rejection = rejection('reference', source, receivedAt, reason, detail, sample);
  return { prices: [], rejections: [one] };
}

/** Maximum fraction by which a price may lie outside of the day's range in the same answer. */
const MAX_STRAY = 0.2;
const STRAYS: readonly QualityFlag[] = Object.freeze(['price_jump'] as const);

/** True if a price lies too far outside of the day's low and high in the same answer. Unreadable bounds are ignored. */
function leavesItsDay(price: number, low: unknown, high: unknown): boolean {
  const below = typeof low === 'number' && low > 0 && price < low * (1 - MAX_STRAY);
  const above = typeof high === 'number' && high > 0 && price > high * (1 + MAX_STRAY);
  return below || above;
}

/**
 * Returns a price of the fallback. It is polled from another source, so it is `delayed` at any age, and `degraded` if it leaves the day's
 * range.
 */
function secondPrice(
  source: string,
  symbol: string,
  price: DecimalString,
  at: EpochMs,
  receivedAt: EpochMs,
  strays: boolean,
): ReferencePrice {
  return {
    kind: 'reference',
    venue: 'reference',
    instrument: symbol,
    source,
    observedAt: at,
    receivedAt,
    feedUpdatedAt: at,
    referencePrice: price,
    confidence: '0',
    publisherSession: null,
    quality: strays ? 'degraded' : 'delayed',
    flags: strays ? STRAYS : NO_FLAGS,
  };
}

/** True if a value is unix seconds between 2000 and 2100. */
function isUnixTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 946_684_800 && value < 4_102_444_800;
}

/**
 * Maps `/quote`: `c` is the last price, `t` its time in unix seconds, `l` and `h` are the day's bounds. The answer does not repeat the
 * symbol, and is all zeros for an unknown one.
 */
export function readFinnhubQuote(body: unknown, symbol: string, receivedAt: EpochMs, note?: NoteUnknownField): ReferenceYield {
  const refused = (reason: RejectionReason, detail: string): ReferenceYield =>
    refusal(FINNHUB_SOURCE, receivedAt, body, reason, `${symbol}: ${detail}`);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return refused('unknown_shape', 'the quote is not an object');
  noteUnknown(body, FINNHUB_FIELDS, note);
  const { c, t, l, h } = body as Record<string, unknown>;
  if (c === 0 && t === 0) return refused('unknown_instrument', 'the provider has no such share');
  if (typeof c !== 'number' || !Number.isFinite(c)) return refused('bad_number', '"c" is no price');
  if (c <= 0) return refused('non_positive_price', `the price is ${c}`);
  if (!isUnixTime(t)) return refused('bad_number', '"t" is no unix time in seconds');
  const referencePrice = plainDecimal(c);
  if (!isPositive(referencePrice)) return refused('non_positive_price', `the price is ${referencePrice}`);
  return { prices: [secondPrice(FINNHUB_SOURCE, symbol, referencePrice, t * 1000, receivedAt, leavesItsDay(c, l, h))], rejections: [] };
}

export const FINNHUB: ShareQuotes = {
  source: FINNHUB_SOURCE,
  batch: 1,
  headers: (key) => ({ 'x-finnhub-token': key }),
  request: ([symbol = '']) => ({ path: '/quote', query: [['symbol', symbol]] }),
  read: (body, [symbol = ''], receivedAt, note) => readFinnhubQuote(body, symbol, receivedAt, note),
};

const ALPACA_SOURCE = 'alpaca:snapshot';
const TRADE = 't x p s c i z u';
const QUOTE = 't ax ap as bx bp bs c z';
const BAR = 't o h l c v n vw';
const ALPACA_FIELDS = knownFields(ALPACA_SOURCE, [
  'symbol latestTrade latestQuote minuteBar dailyBar prevDailyBar',
  { latestTrade: TRADE, latestQuote: QUOTE, minuteBar: BAR, dailyBar: BAR, prevDailyBar: BAR },
]);

/** Parses RFC 3339 in UTC with up to nine decimals of a second, truncated to milliseconds. Null if it is invalid. */
function utcTime(value: unknown): EpochMs | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value)) return null;
  const at = Date.parse(value.replace(/(\.\d{3})\d+/, '$1'));
  return Number.isSafeInteger(at) && isUnixTime(Math.floor(at / 1000)) ? at : null;
}

/**
 * Maps `/v2/stocks/{symbol}/snapshot`: price and time are those of the latest trade. Bars and one exchange's quotes are not used as
 * prices; the day's bar bounds the price. A share that is unknown or was never traded on the feed has no latest trade.
 */
export function readAlpacaSnapshot(body: unknown, symbol: string, receivedAt: EpochMs, note?: NoteUnknownField): ReferenceYield {
  const refused = (reason: RejectionReason, detail: string): ReferenceYield =>
    refusal(ALPACA_SOURCE, receivedAt, body, reason, `${symbol}: ${detail}`);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return refused('unknown_shape', 'the snapshot is not an object');
  noteUnknown(body, ALPACA_FIELDS, note);
  const { symbol: named, latestTrade, dailyBar } = body as Record<string, unknown>;
  if (named !== undefined && named !== symbol) return refused('unknown_instrument', `the snapshot is of ${valueText(named, 20)}`);
  if (latestTrade === null) return refused('unknown_instrument', 'the provider has no trade of such a share');
  if (typeof latestTrade !== 'object') return refused('missing_field', 'the snapshot has no "latestTrade"');
  const { p, t } = latestTrade as Record<string, unknown>;
  if (typeof p !== 'number' || !Number.isFinite(p)) return refused('bad_number', '"latestTrade.p" is no price');
  const referencePrice = plainDecimal(p);
  if (!isPositive(referencePrice)) return refused('non_positive_price', `the price is ${referencePrice}`);
  const at = utcTime(t);
  if (at === null) return refused('bad_number', '"latestTrade.t" is not a time');
  const { l, h } = (dailyBar ?? {}) as Record<string, unknown>;
  return { prices: [secondPrice(ALPACA_SOURCE, symbol, referencePrice, at, receivedAt, leavesItsDay(p, l, h))], rejections: [] };
}

/** Quotes of Alpaca. The key is id and secret joined by a colon; each goes into its own header. */
const ALPACA: ShareQuotes = {
  source: ALPACA_SOURCE,
  batch: 1,
  headers(key) {
    const colon = key.indexOf(':');
    return colon < 0 ? { 'apca-api-key-id': key } : { 'apca-api-key-id': key.slice(0, colon), 'apca-api-secret-key': key.slice(colon + 1) };
  },
  // The feed that every plan includes. It covers one exchange, which is another reason why its prices are `delayed`.
  request: ([symbol = '']) => ({ path: `/v2/stocks/${encodeURIComponent(symbol)}/snapshot`, query: [['feed', 'iex']] }),
  read: (body, [symbol = ''], receivedAt, note) => readAlpacaSnapshot(body, symbol, receivedAt, note),
};

/** Providers by name. */
export const SHARE_QUOTES: Readonly<Record<ShareQuotesProvider, ShareQuotes>> = { finnhub: FINNHUB, alpaca: ALPACA };
