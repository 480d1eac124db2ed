/** Second sources of share prices: how each is asked and what its answers mean. Pure; `fallback.ts` decides when. */
import { isPositive, plainDecimal } from '../../../domain/decimal.ts';
import { NO_FLAGS, type ReferencePrice, type Rejection, type RejectionReason } from '../../../domain/quote.ts';
import type { EpochMs } from '../../../domain/time.ts';
import { rejection } from '../venue-socket.ts';
import type { ReferenceYield } from './hermes-map.ts';
import type { DoorQuery } from './keyed-door.ts';

/** One provider of share prices. A provider with another shape is one more of these. */
export interface ShareQuotes {
  readonly source: string;
  /** How many shares one request may name. */
  readonly batch: number;
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  readonly request: (symbols: readonly string[]) => { readonly path: string; readonly query: DoorQuery };
  /** What an answer to such a request says. A share that the provider does not know is rejected as `unknown_instrument`. */
  readonly read: (body: unknown, symbols: readonly string[], receivedAt: EpochMs) => ReferenceYield;
}

export const FINNHUB_SOURCE = 'finnhub:quote';

/** Unix seconds between 2000 and 2100. */
function isUnixTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 946_684_800 && value < 4_102_444_800;
}

/**
 * Reads `/quote`: `c` is the last price, `t` its time in unix seconds. The answer does not repeat the symbol, and one
 * that is unknown is answered with zeros. The price is another source's and polled, so it is `delayed` however young.
 */
export function readFinnhubQuote(body: unknown, symbol: string, receivedAt: EpochMs): ReferenceYield {
  const refused = (reason: RejectionReason, detail: string): ReferenceYield => {
    const sample = (JSON.stringify(body) ?? '').slice(0, 200).toWellFormed();
    const one: Rejection = rejection('reference', FINNHUB_SOURCE, receivedAt, reason, `${symbol}: ${detail}`, sample);
    return { prices: [], rejections: [one] };
  };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return refused('unknown_shape', 'the quote is no object');
  const { c, t } = body as Record<string, unknown>;
  if (c === 0 && t === 0) return refused('unknown_instrument', 'the provider has no such share');
  if (typeof c !== 'number' || !Number.isFinite(c)) return refused('bad_number', '"c" is no price');
  if (c <= 0) return refused('non_positive_price', `the price is ${c}`);
  if (!isUnixTime(t)) return refused('bad_number', '"t" is no unix time in seconds');
  const referencePrice = plainDecimal(c);
  if (!isPositive(referencePrice)) return refused('non_positive_price', `the price is ${referencePrice}`);
  const price: ReferencePrice = {
    kind: 'reference',
    venue: 'reference',
    instrument: symbol,
    source: FINNHUB_SOURCE,
    observedAt: t * 1000,
    receivedAt,
    feedUpdatedAt: t * 1000,
    referencePrice,
    confidence: '0',
    publisherSession: null,
    quality: 'delayed',
    flags: NO_FLAGS,
  };
  return { prices: [price], rejections: [] };
}

export const FINNHUB: ShareQuotes = {
  source: FINNHUB_SOURCE,
  batch: 1,
  headers: (key) => ({ 'x-finnhub-token': key }),
  request: ([symbol = '']) => ({ path: '/quote', query: [['symbol', symbol]] }),
  read: (body, [symbol = ''], receivedAt) => readFinnhubQuote(body, symbol, receivedAt),
};
