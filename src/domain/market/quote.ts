/** Quotes, reference prices and their quality. */
import type { DecimalString } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import type { ExecutableVenue, Venue } from './venue.ts';

/** Quality words. Only `live` may become an order. */
export const QUALITIES = ['live', 'delayed', 'stale', 'degraded', 'halted'] as const;
export type Quality = (typeof QUALITIES)[number];

/** Reasons of a quality. */
export const QUALITY_FLAGS = [
  'gap',
  'out_of_order',
  'crossed',
  'clock_skew',
  'one_sided',
  'wide_confidence',
  'over_age',
  'session_closed',
  'carried_forward',
  'resyncing',
  'feed_down',
  'price_jump',
] as const;
export type QualityFlag = (typeof QUALITY_FLAGS)[number];

/** The flag list of a clean quote: one shared frozen array, so that clean quotes allocate none. */
export const NO_FLAGS: readonly QualityFlag[] = Object.freeze([]);

declare const venueBrand: unique symbol;

/**
 * The top of one instrument's book on one venue, branded by that venue: a function that prices an order on
 * venue A and takes `Quote<NoInfer<V>>` cannot be handed venue B's quote.
 * Prices and sizes are plain decimal strings in the instrument's quote and base units.
 */
export interface Quote<V extends ExecutableVenue = ExecutableVenue> {
  readonly [venueBrand]?: V;
  readonly kind: 'quote';
  readonly venue: V;
  /** The venue's instrument as the product writes it, e.g. `BTCUSDT`, `AAPLx`, `BTC`. */
  readonly instrument: string;
  /** Feed and provider, e.g. `binance:bookTicker`. */
  readonly source: string;
  /** Venue event time; equal to `receivedAt` if the venue sends none (then `sourceTime` is false). */
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly sourceTime: boolean;
  readonly bid: DecimalString | null;
  readonly ask: DecimalString | null;
  readonly bidSize: DecimalString | null;
  readonly askSize: DecimalString | null;
  /** The venue's own order of events (update id, slot, block); null if the venue numbers nothing. */
  readonly sequence: number | null;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** True for a quote of this venue: what lost its venue's type on a way through data has it again. */
export function isQuoteOf<V extends ExecutableVenue>(quote: Quote, venue: V): quote is Quote<V> {
  return quote.venue === venue;
}

/** US equity sessions. */
export const SESSIONS = ['PRE_MARKET', 'REGULAR', 'POST_MARKET', 'CLOSED'] as const;
export type Session = (typeof SESSIONS)[number];

/**
 * The external price of an underlying share: its own type, never a `Quote`, never executable.
 * `feedUpdatedAt` is the provider's `feedUpdateTimestamp`; freshness is measured from it.
 */
export interface ReferencePrice {
  readonly kind: 'reference';
  readonly venue: 'reference';
  /** The share's symbol, e.g. `AAPL`. */
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly feedUpdatedAt: EpochMs;
  readonly referencePrice: DecimalString;
  /** Half-width of the provider's confidence interval, in the price's unit. */
  readonly confidence: DecimalString;
  /** The session that the publisher reports, if it reports one. */
  readonly publisherSession: Session | null;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** Sources that speak if the first source of reference prices is silent. Their prices are `delayed` and trade nothing. */
export const SECOND_REFERENCE_SOURCES: ReadonlySet<string> = new Set(['finnhub:quote', 'alpaca:snapshot']);

/** Market-wide numbers of a perpetual. All decimals are strings; `hourlyFunding` is a fraction per hour. */
export interface PerpContext {
  readonly kind: 'perp_context';
  readonly venue: 'evmvenue';
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly markPrice: DecimalString;
  readonly oraclePrice: DecimalString;
  readonly hourlyFunding: DecimalString;
  readonly openInterest: DecimalString;
  readonly dayNotional: DecimalString;
}

/** Liquidity of a token's pools on the primary chain, in US dollars of both sides together. */
export interface PoolLiquidity {
  readonly kind: 'pool_liquidity';
  readonly venue: 'spotchain';
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly liquidityUsd: DecimalString;
}

/** A message of a feed that yielded nothing, counted by reason. `sample` is at most 200 characters of it. */
export interface Rejection {
  readonly kind: 'rejection';
  readonly venue: Venue;
  readonly source: string;
  readonly receivedAt: EpochMs;
  readonly reason: RejectionReason;
  readonly detail: string;
  readonly sample: string;
}

export const REJECTION_REASONS = [
  'not_json',
  'too_large',
  'unknown_shape',
  'missing_field',
  'bad_number',
  'non_positive_price',
  'unknown_instrument',
  'venue_error',
  'unknown_word',
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Half of a live quote's spread over its middle, in basis points to four decimals. A ratio. Null if the quote has not both sides. */
export function halfSpreadBps(quote: Pick<Quote, 'bid' | 'ask' | 'quality'> | null): number | null {
  if (quote === null || quote.quality !== 'live' || quote.bid === null || quote.ask === null) return null;
  const [bid, ask] = [Number(quote.bid), Number(quote.ask)];
  return bid > 0 && ask >= bid ? Math.round(((ask - bid) / (ask + bid)) * 1e8) / 1e4 : null;
}
