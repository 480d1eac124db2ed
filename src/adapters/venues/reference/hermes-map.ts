/**
 * Mapping of Pyth's messages (Hermes updates and Pyth Pro pushes) to reference prices or counted rejections. Pure.
 * See docs/reference/outside/reference-prices.md.
 */
import { isCount } from '../wire-decimal.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { DecimalString } from '../../../domain/values/decimal.ts';
import { isPositive } from '../../../domain/values/decimal.ts';
import {
  NO_FLAGS,
  type QualityFlag,
  type ReferencePrice,
  type Rejection,
  type RejectionReason,
  type Session,
} from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { rejection } from '../feed-messages.ts';
import { knownFields, noteUnknown } from '../known-fields.ts';

export const HERMES_SOURCE = 'pyth:hermes';
const PRO_SOURCE = 'pyth:pro';

export interface ReferenceInstrument {
  /** Symbol of the share, e.g. `AAPL`: the `instrument` of its prices. */
  readonly symbol: string;
  /** Feed id: 64 hexadecimal digits, with or without 0x. */
  readonly feedId: string;
  /** Symbol of the feed for history, e.g. `Equity.US.AAPL/USD`. */
  readonly feedSymbol?: string;
  /** Numeric id of Pyth Pro, if that is used. */
  readonly proId?: number;
}

/** Normalizes a feed id to Hermes' form: lower case, no 0x. @throws RangeError if it is not a feed id */
export function bareFeedId(feedId: string): string {
  const bare = feedId.toLowerCase().replace(/^0x/, '');
  if (!/^[0-9a-f]{64}$/.test(bare)) throw new RangeError(`"${feedId}" is no Pyth feed id; 64 hexadecimal digits are`);
  return bare;
}

const PRICE = 'price conf expo publish_time';
/** Fields that Hermes documents or was seen to send, used or not. */
const UPDATE_FIELDS = knownFields(HERMES_SOURCE, [
  'binary parsed',
  {
    binary: 'encoding data',
    parsed: [
      'id price ema_price metadata',
      { price: PRICE, ema_price: PRICE, metadata: 'slot proof_available_time prev_publish_time emitter_chain price_service_receive_time' },
    ],
  },
]);
/** Fields that Pyth Pro documents, including the names of its binary formats. */
const PUSH_FIELDS = knownFields(PRO_SOURCE, [
  'type subscriptionId parsed evm solana leEcdsa leUnsigned',
  {
    parsed: [
      'timestampUs priceFeeds',
      {
        priceFeeds:
          'priceFeedId price exponent confidence bestBidPrice bestAskPrice publisherCount marketSession feedUpdateTimestamp emaPrice ' +
          'emaConfidence fundingRate fundingTimestamp fundingRateInterval',
      },
    ],
  },
]);

/** Maximum deviation of a price from its own moving average (of about an hour), as a fraction. Beyond it the price is not trusted. */
const MAX_FROM_AVERAGE = 0.5;
const STRAYS: readonly QualityFlag[] = Object.freeze(['price_jump'] as const);

/** Maximum digits of a mantissa. */
const MAX_DIGITS = 20;

/**
 * Returns mantissa x 10^exponent as an exact plain decimal, or null if the mantissa is not an integer text or the exponent is out of
 * bounds.
 */
export function scaledDecimal(mantissa: unknown, exponent: unknown): DecimalString | null {
  if (typeof mantissa !== 'string' || typeof exponent !== 'number') return null;
  if (!Number.isInteger(exponent) || exponent < -18 || exponent > 18) return null;
  const begin = mantissa.charCodeAt(0) === 45 ? 1 : 0;
  const end = mantissa.length;
  if (end === begin || end - begin > MAX_DIGITS) return null;
  let from = end;
  for (let at = end - 1; at >= begin; at--) {
    const code = mantissa.charCodeAt(at);
    if (code < 48 || code > 57) return null;
    if (code !== 48) from = at;
  }
  // From here on `from` is the index of the first non-zero digit.
  if (from === end) return '0';
  const sign = begin === 1 ? '-' : '';
  const digits = from === 0 ? mantissa : mantissa.slice(from);
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent);
  let to = digits.length;
  const whole = to + exponent;
  while (to > Math.max(whole, 0) && digits.charCodeAt(to - 1) === 48) to--;
  if (whole <= 0) return `${sign}0.${'0'.repeat(-whole)}${digits.slice(0, to)}`;
  return to === whole ? sign + digits.slice(0, whole) : `${sign}${digits.slice(0, whole)}.${digits.slice(whole, to)}`;
}

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

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

/** Result of one message of Pyth. */
export interface ReferenceYield {
  readonly prices: readonly ReferencePrice[];
  readonly rejections: readonly Rejection[];
}

/** Returns the moving average beside a price. Null if it is missing or not above zero, undefined if it is unreadable. */
function readAverage(value: unknown): DecimalString | null | undefined {
  if (value === undefined || value === null) return null;
  const average = fields(value);
  const price = average === null ? null : scaledDecimal(average['price'], average['expo']);
  if (price === null) return undefined;
  return isPositive(price) ? price : null;
}

/**
 * Maps a Hermes update (`/v2/updates/price/latest`, or one streamed event). `symbols` maps bare feed ids to share symbols. `publish_time`
 * (seconds) is the last time at which publishers changed the price, so it becomes both `observedAt` and `feedUpdatedAt`. Hermes gives no
 * session. The streams assess whether a price is carried forward. `note` receives unknown fields.
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
  noteUnknown(message, UPDATE_FIELDS, note);
  for (const item of parsed as unknown[]) {
    const entry = fields(item);
    const price = fields(entry?.['price']);
    const id = entry?.['id'];
    if (entry === null || price === null || typeof id !== 'string') {
      found.reject('missing_field', 'an entry without "id" or "price"', item);
      continue;
    }
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
    const average = readAverage(entry['ema_price']);
    if (average === undefined) {
      found.reject('bad_number', `${symbol}: "ema_price" is no price`, item);
      continue;
    }
    const at = publishTime * 1000;
    found.price(symbol, price['price'], price['conf'], price['expo'], at, at, null, item, average);
  }
  return found;
}

/** Sessions by Pyth Pro's names. The product has no `overNight` session, so it maps to CLOSED. */
const PRO_SESSIONS: Readonly<Record<string, Session>> = {
  regular: 'REGULAR',
  preMarket: 'PRE_MARKET',
  postMarket: 'POST_MARKET',
  overNight: 'CLOSED',
  closed: 'CLOSED',
};

/** Parses a time in microseconds, which the provider sends as text, or returns null. */
function microseconds(value: unknown): number | null {
  const time = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return isCount(time) && time > 0 ? time : null;
}

/**
 * Maps a Pyth Pro push (`streamUpdated`). `symbols` maps numeric ids. `timestampUs` is the tick and `feedUpdateTimestamp` (microseconds)
 * the last price change. If they differ, the price is carried forward. `note` receives unknown fields.
 */
export function mapProUpdate(
  message: unknown,
  symbols: ReadonlyMap<number, string>,
  receivedAt: EpochMs,
  note?: NoteUnknownField,
): ReferenceYield {
  const found = new Yield(PRO_SOURCE, receivedAt);
  const body = fields(message);
  const parsed = fields(body?.['parsed']);
  const feeds = parsed?.['priceFeeds'];
  const tick = microseconds(parsed?.['timestampUs']);
  if (body?.['type'] !== 'streamUpdated' || !Array.isArray(feeds) || tick === null) {
    found.reject('unknown_shape', 'no "streamUpdated" with "timestampUs" and "priceFeeds"', message);
    return found;
  }
  noteUnknown(message, PUSH_FIELDS, note);
  for (const item of feeds as unknown[]) {
    const feed = fields(item);
    const symbol = typeof feed?.['priceFeedId'] === 'number' ? symbols.get(feed['priceFeedId']) : undefined;
    if (feed === null || symbol === undefined) {
      found.reject('unknown_instrument', `nobody asked for feed ${valueText(feed?.['priceFeedId'], 20)}`, item);
      continue;
    }
    const updated = feed['feedUpdateTimestamp'];
    if (!isCount(updated)) {
      found.reject('missing_field', `${symbol}: no "feedUpdateTimestamp" in microseconds`, item);
      continue;
    }
    const confidence = feed['confidence'];
    if (confidence === undefined || confidence === null) {
      found.reject('missing_field', `${symbol}: no "confidence"`, item);
      continue;
    }
    const word = feed['marketSession'];
    const session = typeof word === 'string' && Object.hasOwn(PRO_SESSIONS, word) ? (PRO_SESSIONS[word] ?? null) : null;
    const at = Math.floor(tick / 1000);
    found.price(
      symbol,
      feed['price'],
      typeof confidence === 'number' ? String(confidence) : confidence,
      feed['exponent'],
      at,
      Math.floor(updated / 1000),
      session,
      item,
    );
  }
  return found;
}
