/** Pyth's messages (Hermes updates and Pyth Pro pushes) as reference prices or counted rejections. Pure. */
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { DecimalString } from '../../../domain/decimal.ts';
import { isPositive } from '../../../domain/decimal.ts';
import {
  NO_FLAGS,
  type QualityFlag,
  type ReferencePrice,
  type Rejection,
  type RejectionReason,
  type Session,
} from '../../../domain/quote.ts';
import type { EpochMs } from '../../../domain/time.ts';
import { knownFields, noteUnknown } from '../known-fields.ts';
import { rejection } from '../venue-socket.ts';

export const HERMES_SOURCE = 'pyth:hermes';
export const PRO_SOURCE = 'pyth:pro';

/** One feed that is listened to. */
export interface ReferenceInstrument {
  /** The share's symbol, e.g. `AAPL`: the `instrument` of its prices. */
  readonly symbol: string;
  /** 64 hexadecimal digits, with or without 0x. */
  readonly feedId: string;
  /** The name of the feed for history, e.g. `Equity.US.AAPL/USD`. */
  readonly feedSymbol?: string;
  /** The numeric id of Pyth Pro, where that is used. */
  readonly proId?: number;
}

/** Feed ids as Hermes answers them: lower case, no 0x. @throws RangeError where an id is none. */
export function bareFeedId(feedId: string): string {
  const bare = feedId.toLowerCase().replace(/^0x/, '');
  if (!/^[0-9a-f]{64}$/.test(bare)) throw new RangeError(`"${feedId}" is no Pyth feed id; 64 hexadecimal digits are`);
  return bare;
}

const UPDATE_FIELDS = knownFields(HERMES_SOURCE, 'binary parsed');
const ENTRY_FIELDS = knownFields(HERMES_SOURCE, 'id price ema_price metadata');
const PRICE_FIELDS = knownFields(HERMES_SOURCE, 'price conf expo publish_time');

/** A price that strays from its own moving average (of about an hour) by more than this share of it is not believed. */
const MAX_FROM_AVERAGE = 0.5;
const STRAYS: readonly QualityFlag[] = Object.freeze(['price_jump'] as const);

const MANTISSA = /^-?\d{1,20}$/;

/** mantissa x 10^exponent as an exact plain decimal; null where the mantissa is no integer text or the exponent out of bounds. */
export function scaledDecimal(mantissa: unknown, exponent: unknown): DecimalString | null {
  if (typeof mantissa !== 'string' || !MANTISSA.test(mantissa)) return null;
  if (typeof exponent !== 'number' || !Number.isInteger(exponent) || exponent < -18 || exponent > 18) return null;
  const negative = mantissa.charCodeAt(0) === 45;
  const digits = (negative ? mantissa.slice(1) : mantissa).replace(/^0+(?=\d)/, '');
  if (digits === '0') return '0';
  const sign = negative ? '-' : '';
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent);
  const padded = digits.padStart(1 - exponent, '0');
  const whole = padded.slice(0, exponent);
  const fraction = padded.slice(exponent).replace(/0+$/, '');
  return sign + (fraction === '' ? whole : `${whole}.${fraction}`);
}

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Collects what one message yields. */
class Yield {
  readonly prices: ReferencePrice[] = [];
  readonly rejections: Rejection[] = [];
  readonly #source: string;
  readonly #receivedAt: EpochMs;

  constructor(source: string, receivedAt: EpochMs) {
    this.#source = source;
    this.#receivedAt = receivedAt;
  }

  reject(reason: RejectionReason, detail: string, sample: unknown): void {
    const text = typeof sample === 'string' ? sample : (JSON.stringify(sample) ?? '');
    this.rejections.push(rejection('reference', this.#source, this.#receivedAt, reason, detail, text.slice(0, 200).toWellFormed()));
  }

  price(
    instrument: string,
    price: unknown,
    confidence: unknown,
    exponent: unknown,
    observedAt: EpochMs,
    feedUpdatedAt: EpochMs,
    publisherSession: Session | null,
    sample: unknown,
    average: DecimalString | null = null,
  ): void {
    const referencePrice = scaledDecimal(price, exponent);
    if (referencePrice === null)
      return this.reject('bad_number', `${instrument}: price and exponent are no integer text and small integer`, sample);
    if (!isPositive(referencePrice)) return this.reject('non_positive_price', `${instrument}: the price is ${referencePrice}`, sample);
    const width = scaledDecimal(confidence, exponent);
    if (width === null || width.charCodeAt(0) === 45)
      return this.reject('bad_number', `${instrument}: the confidence is no integer text of at least 0`, sample);
    const strays = average !== null && !(Math.abs(Number(referencePrice) / Number(average) - 1) <= MAX_FROM_AVERAGE);
    this.prices.push({
      kind: 'reference',
      venue: 'reference',
      instrument,
      source: this.#source,
      observedAt,
      receivedAt: this.#receivedAt,
      feedUpdatedAt,
      referencePrice,
      confidence: width,
      publisherSession,
      quality: strays ? 'degraded' : 'live',
      flags: strays ? STRAYS : NO_FLAGS,
    });
  }
}

/** What one message of Pyth yielded. */
export interface ReferenceYield {
  readonly prices: readonly ReferencePrice[];
  readonly rejections: readonly Rejection[];
}

/** The moving average that comes beside a price; null where it is missing or none. */
function averageOf(value: unknown): DecimalString | null {
  const average = fields(value);
  const price = average === null ? null : scaledDecimal(average['price'], average['expo']);
  return price !== null && isPositive(price) ? price : null;
}

/**
 * Maps a Hermes update (`/v2/updates/price/latest`, or the data of one streamed event). `symbols` maps bare feed ids to
 * share symbols. `publish_time` (seconds) is when the price last changed hands among publishers, so it becomes both
 * `observedAt` and `feedUpdatedAt`; Hermes names no session. Whether a price is carried forward is judged by the streams.
 * `note` hears of members that nobody knows.
 */
export function mapHermesUpdate(
  message: unknown,
  symbols: ReadonlyMap<string, string>,
  receivedAt: EpochMs,
  note?: NoteUnknownField,
): ReferenceYield {
  const found = new Yield(HERMES_SOURCE, receivedAt);
  const parsed = fields(message)?.['parsed'];
  if (!Array.isArray(parsed)) {
    found.reject('unknown_shape', 'an update without a list "parsed"', message);
    return found;
  }
  noteUnknown(message as object, UPDATE_FIELDS, note);
  for (const item of parsed as unknown[]) {
    const entry = fields(item);
    const price = fields(entry?.['price']);
    const id = entry?.['id'];
    if (entry === null || price === null || typeof id !== 'string') {
      found.reject('missing_field', 'an entry without "id" or "price"', item);
      continue;
    }
    noteUnknown(entry, ENTRY_FIELDS, note);
    noteUnknown(price, PRICE_FIELDS, note);
    const symbol = symbols.get(id.toLowerCase().replace(/^0x/, ''));
    if (symbol === undefined) {
      found.reject('unknown_instrument', `nobody asked for feed ${id.slice(0, 66)}`, item);
      continue;
    }
    const publishTime = price['publish_time'];
    if (!isCount(publishTime) || publishTime === 0 || publishTime > 4_102_444_800) {
      found.reject(
        publishTime === undefined ? 'missing_field' : 'bad_number',
        `${symbol}: "publish_time" is no unix time in seconds`,
        item,
      );
      continue;
    }
    const at = publishTime * 1000;
    found.price(symbol, price['price'], price['conf'], price['expo'], at, at, null, item, averageOf(entry['ema_price']));
  }
  return found;
}

/** Pyth Pro's words for the session; `overNight` trading has no place in the product's sessions and reads CLOSED. */
const PRO_SESSIONS: Readonly<Record<string, Session>> = {
  regular: 'REGULAR',
  preMarket: 'PRE_MARKET',
  postMarket: 'POST_MARKET',
  overNight: 'CLOSED',
  closed: 'CLOSED',
};

/**
 * Maps a Pyth Pro push (`streamUpdated`). `symbols` maps numeric ids. `timestampUs` is the tick, `feedUpdateTimestamp`
 * (microseconds) when the price last changed: where they differ the price is carried forward.
 */
export function mapProUpdate(message: unknown, symbols: ReadonlyMap<number, string>, receivedAt: EpochMs): ReferenceYield {
  const found = new Yield(PRO_SOURCE, receivedAt);
  const body = fields(message);
  const parsed = fields(body?.['parsed']);
  const feeds = parsed?.['priceFeeds'];
  const tick = Number(parsed?.['timestampUs']);
  if (body?.['type'] !== 'streamUpdated' || !Array.isArray(feeds) || !Number.isSafeInteger(tick) || tick <= 0) {
    found.reject('unknown_shape', 'no "streamUpdated" with "timestampUs" and "priceFeeds"', message);
    return found;
  }
  for (const item of feeds as unknown[]) {
    const feed = fields(item);
    const symbol = typeof feed?.['priceFeedId'] === 'number' ? symbols.get(feed['priceFeedId']) : undefined;
    if (feed === null || symbol === undefined) {
      found.reject('unknown_instrument', `nobody asked for feed ${String(feed?.['priceFeedId']).slice(0, 20)}`, item);
      continue;
    }
    const updated = feed['feedUpdateTimestamp'];
    if (!isCount(updated)) {
      found.reject('missing_field', `${symbol}: no "feedUpdateTimestamp" in microseconds`, item);
      continue;
    }
    const word = feed['marketSession'];
    const session = typeof word === 'string' && Object.hasOwn(PRO_SESSIONS, word) ? (PRO_SESSIONS[word] ?? null) : null;
    const at = Math.floor(tick / 1000);
    found.price(symbol, feed['price'], String(feed['confidence'] ?? '0'), feed['exponent'], at, Math.floor(updated / 1000), session, item);
  }
  return found;
}
