/** Quotes, reference prices and their quality. */
import type { DecimalString } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import type { ExecutableVenue, Venue } from './venue.ts';

/** Qualities of a quote. Only `live` may become an order. */
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

/** Flags of a clean quote: one shared frozen array, so that clean quotes allocate none. */
export const NO_FLAGS: readonly QualityFlag[] = Object.freeze([]);

declare const venueBrand: unique symbol;

/**
 * Top of an instrument's book on one venue, branded by the venue: a function that prices an order on venue A and takes `Quote<NoInfer<V>>`
 * does not compile with venue B's quote. Prices and sizes are plain decimal strings in the instrument's quote and base units.
 */
export interface Quote<V extends ExecutableVenue = ExecutableVenue> {
  readonly [venueBrand]?: V;
  readonly kind: 'quote';
  readonly venue: V;
  /** Instrument name at the venue, such as `BTCUSDT`, `AAPLx` or `BTC`. */
  readonly instrument: string;
  /** Provider and feed, such as `binance:bookTicker`. */
  readonly source: string;
  /** Event time of the venue, or `receivedAt` if the venue sends none (`sourceTime` is then false). */
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly sourceTime: boolean;
  readonly bid: DecimalString | null;
  readonly ask: DecimalString | null;
  readonly bidSize: DecimalString | null;
  readonly askSize: DecimalString | null;
  /** Sequence of events at the venue (update id, slot, block), or null if it has none. */
  readonly sequence: number | null;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** True for a quote of this venue. Restores the venue's type after it was lost in data. */
export function isFromVenue<V extends ExecutableVenue>(quote: Quote, venue: V): quote is Quote<V> {
  return quote.venue === venue;
}

/** US equity sessions. */
export const SESSIONS = ['PRE_MARKET', 'REGULAR', 'POST_MARKET', 'CLOSED'] as const;
export type Session = (typeof SESSIONS)[number];

/**
 * External price of an underlying share. A separate type, never a `Quote` and never executable. `feedUpdatedAt` is the provider's
 * `feedUpdateTimestamp`, from which freshness is measured.
 */
export interface ReferencePrice {
  readonly kind: 'reference';
  readonly venue: 'reference';
  /** Symbol of the share, such as `AAPL`. */
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly feedUpdatedAt: EpochMs;
  readonly referencePrice: DecimalString;
  /** Half-width of the provider's confidence interval, in the price's unit. */
  readonly confidence: DecimalString;
  /** Session reported by the publisher, or null. */
  readonly publisherSession: Session | null;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** Sources that are used if the first source of reference prices is silent. Their prices are `delayed` and trade nothing. */
export const SECOND_REFERENCE_SOURCES: ReadonlySet<string> = new Set(['finnhub:quote', 'alpaca:snapshot']);

/** Market-wide figures of a perpetual. Decimals are strings. `hourlyFunding` is a fraction per hour. */
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

/**
 * Number of UI units per whole token from an instant on: quotes and books of the instrument count in it (Token-2022 scaled UI amount). A
 * split or a reinvested dividend changes it, and no raw amount.
 */
export interface TokenMultiplier {
  readonly kind: 'token_multiplier';
  readonly venue: 'spotchain';
  readonly instrument: string;
  readonly source: string;
  /** Time from which it is in force. */
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly multiplier: DecimalString;
  /** The one before; null if none was known, which is no change. */
  readonly previous: DecimalString | null;
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

/** Returns half of a live quote's spread over its midpoint, in basis points to four decimals, or null if a side is missing. A ratio. */
export function halfSpreadBps(quote: Pick<Quote, 'bid' | 'ask' | 'quality'> | null): number | null {
  if (quote === null || quote.quality !== 'live' || quote.bid === null || quote.ask === null) return null;
  const [bid, ask] = [Number(quote.bid), Number(quote.ask)];
  return bid > 0 && ask >= bid ? Math.round(((ask - bid) / (ask + bid)) * 1e8) / 1e4 : null;
}
