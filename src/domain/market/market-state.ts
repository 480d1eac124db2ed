/** Newest states of a venue besides its quotes: day statistics, books, perpetuals' numbers and the venue's own state. */
import type { DecimalString } from '../values/decimal.ts';
import type { IssuerMarkState } from '../catalog/issuer-mark.ts';
import type { BookEdge, OrderBook } from './order-book.ts';
import type { PerpContext, Quality, QualityFlag } from './quote.ts';
import type { EpochMs } from '../values/time.ts';
import type { Venue } from './venue.ts';

/** The last 24 hours of one instrument of the spot exchange, rolling: not the UTC day. Prices in quote units. */
export interface DayTicker {
  readonly kind: 'day_ticker';
  readonly venue: 'spotexchange';
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  /** The window that the numbers are of. */
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

/** The top of one book as it stood; the newest replaces the one before. Best first. */
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

/** Lease of a process on a book until this time. The feed passes on leased books. */
export interface BookWant {
  readonly kind: 'book_want';
  readonly venue: Venue;
  readonly instrument: string;
  readonly receivedAt: EpochMs;
  readonly until: EpochMs;
}

/** A venue's answer to a request for a book, shared with every process; null if it refused. */
export interface AskedBook {
  readonly kind: 'asked_book';
  readonly venue: Venue;
  readonly instrument: string;
  readonly depth: number;
  readonly receivedAt: EpochMs;
  readonly book: OrderBook | null;
}

/** Offset of a venue's clock from ours: positive if it is ahead. */
export interface ClockOffset {
  readonly offsetMs: number;
  /** `server_time`: asked of the venue, half the round trip taken off. `event_time`: of its events, their way to us included. */
  readonly method: 'server_time' | 'event_time';
  readonly samples: number;
  readonly measuredAt: EpochMs;
}

/** Request budget of a provider's address, in its own units per minute. */
export interface BudgetState {
  readonly venue: Venue;
  readonly name: string;
  /** Limit in the provider's own units, within any window of `windowMs`. */
  readonly limit: number;
  readonly windowMs: number;
  readonly left: number;
  /** End of a block on requests, or null. */
  readonly blockedUntil: EpochMs | null;
}

export interface ProviderState {
  readonly provider: string;
  /** Null until it said so. */
  readonly connected: boolean | null;
  /** Counts connections since the start. */
  readonly epoch: number | null;
  readonly heardAt: EpochMs | null;
  readonly detail: string;
}

/** Reception of a venue at the moment by the process on duty. */
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
  /** Times that updates of a book were lost, since the start. */
  readonly gaps: number;
  readonly messages: number;
  readonly rejected: number;
  /** Unknown members of its messages, which were ignored; missing in messages of an older process. */
  readonly unknownFields?: readonly { readonly source: string; readonly field: string; readonly count: number }[];
  readonly budgets: readonly BudgetState[];
}

export type MarketState = PerpContext | DayTicker | OrderBookSnapshot | VenueState | IssuerMarkState | BookWant | AskedBook;
export type MarketStateKind = MarketState['kind'];

/** The fields of a state that say which newest state it replaces. */
type StatePlace =
  | Pick<VenueState, 'kind' | 'venue'>
  | Pick<AskedBook, 'kind' | 'venue' | 'instrument' | 'depth'>
  | { readonly [Field in 'kind' | 'venue' | 'instrument']: Exclude<MarketState, VenueState | AskedBook>[Field] };

/** One place per kind, venue and instrument, and per depth of a book that was asked for. */
export function marketStateKey(state: StatePlace): string {
  if (state.kind === 'venue_state') return `${state.kind} ${state.venue}`;
  const key = `${state.kind} ${state.venue}:${state.instrument}`;
  return state.kind === 'asked_book' ? `${key} ${state.depth}` : key;
}
