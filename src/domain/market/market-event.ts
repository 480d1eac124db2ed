/** Union of all messages that the streams receive, for the market view, the tapes and the quote bus. */
import type { CandleBatch } from '../candles/candle.ts';
import type { PerpContext, PoolLiquidity, Quote, ReferencePrice, Rejection, TokenMultiplier } from './quote.ts';
import type { EpochMs } from '../values/time.ts';
import type { Venue } from './venue.ts';

/** A venue's connection went up or down. In band with the quotes, so that a tape replays outages too. */
export interface FeedStatus {
  readonly kind: 'feed_status';
  readonly venue: Venue;
  readonly source: string;
  readonly receivedAt: EpochMs;
  readonly status: 'connected' | 'disconnected';
  /** Number of the connection. A new epoch clears every book of that feed. */
  readonly epoch: number;
  readonly detail: string;
  /** Due time of the first missed answer. Present if a polled feed was lost. */
  readonly missedAt?: EpochMs;
}

/** Heartbeat without a price: a quiet market is not a dead feed. */
export interface FeedHeartbeat {
  readonly kind: 'heartbeat';
  readonly venue: Venue;
  readonly source: string;
  readonly receivedAt: EpochMs;
}

/** Severities of news and filings, ascending. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A filing, wire item or other event about an asset. `negative` is the direction for `no_negative_event`. */
export interface NewsEvent {
  readonly kind: 'news';
  readonly venue: 'reference';
  readonly source: string;
  readonly id: string;
  readonly receivedAt: EpochMs;
  readonly observedAt: EpochMs;
  /** Underlying symbols (`AAPL`, `BTC`) of the event. */
  readonly symbols: readonly string[];
  readonly severity: Severity;
  readonly negative: boolean;
  /** True until a primary source or two independent families confirm it. */
  readonly rumor: boolean;
  readonly headline: string;
}

/** Events that may enter the market view and a tape. */
export type MarketEvent =
  | Quote
  | ReferencePrice
  | PerpContext
  | PoolLiquidity
  | TokenMultiplier
  | CandleBatch
  | FeedStatus
  | FeedHeartbeat
  | NewsEvent;

/** Output of a venue's feed: market events and counted rejections, never an error. */
export type FeedMessage = MarketEvent | Rejection;
