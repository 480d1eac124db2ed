/** Newest states of a venue besides quotes: day statistics, books, perpetual figures and the venue's own state. */
import type { DecimalString } from '../values/decimal.ts';
import type { IssuerMarkState } from '../catalog/issuer-mark.ts';
import type { BookEdge, OrderBook } from './order-book.ts';
import type { PerpContext, Quality, QualityFlag } from './quote.ts';
import type { EpochMs } from '../values/time.ts';
import type { Venue } from './venue.ts';

/** Last 24 hours of an instrument on the spot exchange, rolling rather than the UTC day. Prices in quote units. */
export interface DayTicker {
  readonly kind: 'day_ticker';
  readonly venue: 'spotexchange';
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  /** Window of the figures. */
  readonly openTime: EpochMs;
  readonly closeTime: EpochMs;
  readonly openPrice: DecimalString;
  readonly highPrice: DecimalString;
  readonly lowPrice: DecimalString;
  readonly lastPrice: DecimalString;
  readonly priceChange: DecimalString;
  readonly priceChangePct: DecimalString;
  readonly weightedAveragePrice: DecimalString;
  /** Amount in base units. */
  readonly volume: DecimalString;
  readonly quoteVolume: DecimalString;
  readonly trades: number;
}

export type StateLevel = readonly [price: DecimalString, size: DecimalString];

/** Top levels of a book, best first. The newest snapshot replaces the previous one. */
export interface OrderBookSnapshot {
  readonly kind: 'order_book';
  readonly venue: Venue;
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly sequence: number | null;
  readonly bids: readonly StateLevel[];
  readonly asks: readonly StateLevel[];
  /** Missing in messages of an older process. */
  readonly edge?: BookEdge;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** A process's lease on a book until this time. The feed publishes leased books. */
export interface BookWant {
  readonly kind: 'book_want';
  readonly venue: Venue;
  readonly instrument: string;
  readonly receivedAt: EpochMs;
  readonly until: EpochMs;
}

/** A venue's answer to a requested book, shared with every process. Null if it refused. */
export interface AskedBook {
  readonly kind: 'asked_book';
  readonly venue: Venue;
  readonly instrument: string;
  readonly depth: number;
  readonly receivedAt: EpochMs;
  readonly book: OrderBook | null;
}

/** Offset of a venue's clock from ours, positive if it is ahead. */
export interface ClockOffset {
  readonly offsetMs: number;
  /** `server_time`: requested from the venue, minus half the round trip. `event_time`: from its events, including their latency. */
  readonly method: 'server_time' | 'event_time';
  readonly samples: number;
  readonly measuredAt: EpochMs;
}

/** Request budget of a provider's address, in its own units per minute. */
export interface BudgetState {
  readonly venue: Venue;
  readonly name: string;
  /** Limit in the provider's own units within any window of `windowMs`. */
  readonly limit: number;
  readonly windowMs: number;
  readonly left: number;
  /** End of a block on requests, or null. */
  readonly blockedUntil: EpochMs | null;
}

export interface ProviderState {
  readonly provider: string;
  /** Null until the venue reports it. */
  readonly connected: boolean | null;
  /** Number of connections since the start. */
  readonly epoch: number | null;
  readonly heardAt: EpochMs | null;
  readonly detail: string;
}

/** Present reception of a venue by the process on duty. */
export interface VenueState {
  readonly kind: 'venue_state';
  readonly venue: Venue;
  readonly receivedAt: EpochMs;
  readonly hearing: string;
  readonly detail: string;
  readonly degradedSince: EpochMs | null;
  readonly heardAt: EpochMs | null;
  readonly providers: readonly ProviderState[];
  readonly clockOffset: ClockOffset | null;
  /** Number of times that updates of a book were lost since the start. */
  readonly gaps: number;
  readonly messages: number;
  readonly rejected: number;
  /** Unknown, ignored fields of its messages. Missing in messages of an older process. */
  readonly unknownFields?: readonly { readonly source: string; readonly field: string; readonly count: number }[];
  readonly budgets: readonly BudgetState[];
}

export type MarketState = PerpContext | DayTicker | OrderBookSnapshot | VenueState | IssuerMarkState | BookWant | AskedBook;
export type MarketStateKind = MarketState['kind'];

/** Fields of a state that identify the newest state it replaces. */
type StatePlace =
  | Pick<VenueState, 'kind' | 'venue'>
  | Pick<AskedBook, 'kind' | 'venue' | 'instrument' | 'depth'>
  | { readonly [Field in 'kind' | 'venue' | 'instrument']: Exclude<MarketState, VenueState | AskedBook>[Field] };

/** Returns the key of a state: one per kind, venue and instrument, and per depth of a requested book. */
export function marketStateKey(state: StatePlace): string {
  if (state.kind === 'venue_state') return `${state.kind} ${state.venue}`;
  const key = `${state.kind} ${state.venue}:${state.instrument}`;
  return state.kind === 'asked_book' ? `${key} ${state.depth}` : key;
}
