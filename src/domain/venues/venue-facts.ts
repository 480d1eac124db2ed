/** Facts about a venue that the engine needs before it has received anything: one file per venue beside this one. */
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { Venue } from '../market/venue.ts';

/**
 * Degraded data that lasts longer than this trips the breaker, regardless of the venue's age limits. It counts from the last good message
 * if a venue streams, and from the first missed scheduled answer if it is polled. Milliseconds.
 */
export const DATA_DEGRADATION_MS = 5_000;

/**
 * Cadence of a feed. `continuous`: it keeps sending, so silence and frozen times are faults. `change_only`: it sends on change, so
 * heartbeats prove a quiet market. `polled`: we request it, and an unchanged answer is a new proof of the price.
 */
export type Cadence = 'continuous' | 'change_only' | 'polled';

/** Limits of age, clock skew and silence for a venue's data (docs/decisions/0008). */
export interface FeedLimits {
  /** A quote older than this is stale. Milliseconds. */
  readonly maxAgeMs: number;
  readonly cadence: Cadence;
  /** `contiguous`: every number is sent, a missing one is a gap. `ascending`: numbers only order. */
  readonly sequence: 'ascending' | 'contiguous';
  /** A feed that brought nothing for longer than this is degraded: at most `DATA_DEGRADATION_MS` if it streams. Milliseconds. */
  readonly silentAfterMs: number;
  /** An event time further than this in the future is a fault of the venue's clock. Milliseconds. */
  readonly maxSkewMs: number;
  /** The widest confidence interval of a reference price, as half-width / price. */
  readonly maxConfidence: number;
  /**
   * Maximum distance of a price from the last accepted one before it must be confirmed: a share of that price; on prediction markets, whose
   * prices lie between 0 and 1, dollars.
   */
  readonly maxJump: number;
}

/** Configurable limits. Everything left out keeps its default. Milliseconds. */
export interface LimitOverrides {
  readonly venues?: Readonly<Partial<Record<Venue, Partial<FeedLimits>>>>;
  /** Cells that differ for one source of a venue, e.g. `kalshi:orderbook`. */
  readonly sources?: Readonly<Record<string, Partial<FeedLimits>>>;
  readonly perpContextMaxAgeMs?: number;
  readonly eventsMaxSilenceMs?: number;
  readonly issuerMarkMaxAgeMs?: number;
}

/** The costs of trading on one venue. Named, so that a fill and an evaluation say which assumptions they were made under. */
export interface CostModel {
  readonly name: string;
  /** Taker fee of the venue. */
  readonly takerFeeBps: number;
  /** Maker fee of the venue. Used only if orders rest there. */
  readonly makerFeeBps: number;
  /** Assumed distance of the best price from the middle, where only one price is known (a bar of candles). */
  readonly halfSpreadBps: number;
  /** Assumed notional of one side within one percent of the middle, in US dollars, where neither a book nor a pool is known. */
  readonly depthUsd: DecimalString;
  /**
   * Time from the decision to the venue. An order is priced on a quote that is at least so much younger than its decision. Milliseconds.
   */
  readonly latencyMs: number;
}

/** An asset that venues list by names of their own. */
export interface CryptoAsset {
  readonly symbol: string;
  readonly name: string;
}

/** A share behind a token of the primary chain, by its own symbol (`AAPL`) and name. */
export interface Share {
  readonly symbol: string;
  readonly name: string;
}

/** An instrument as its venue lists it; what it relates to follows from the asset. */
export type VenueListing = Pick<CatalogEntry, 'instrument' | 'kind' | 'name' | 'quoteCurrency' | 'pairs'>;

/**
 * Rules that fill a shadow order from what its venue sent. `book_and_trades`: takers meet the book on arrival, resting orders are filled by
 * trades. `book`: only takers can be measured. `pool_state`: it meets the worse of the two pool states around its arrival.
 */
export const FLOW_RULES = ['book_and_trades', 'book', 'pool_state'] as const;
export type FlowRule = (typeof FLOW_RULES)[number];

export interface VenueFacts {
  /** True if its quotes may become orders. */
  readonly executable: boolean;
  /** True if live orders can reach it at all, regardless of what is enabled. */
  readonly liveOrders: boolean;
  /** True if its order books are read at the moment of a fill, and shown. */
  readonly hasBooks: boolean;
  /** True if our orders may rest there, post-only. */
  readonly restingOrders: boolean;
  /** True if one order may leave as several. False if each is a transaction of its own that somebody signs. */
  readonly slicedOrders: boolean;
  /** Rule by which shadow orders there are held against its flow; null if they cannot be. */
  readonly flowRule: FlowRule | null;
  readonly limits: FeedLimits;
  /** Limits that differ for one source of the venue, such as `kalshi:orderbook`. */
  readonly sourceLimits?: Readonly<Record<string, Partial<FeedLimits>>>;
  /** Costs of a simulated trade there; null if nothing trades. */
  readonly costs: CostModel | null;
  /** Costs of one of its instruments, if they differ from the venue's own; null if they do not. */
  readonly costsOf?: (instrument: string) => CostModel | null;
  /** The instruments of an asset that it lists; tokens of the primary chain have a table of their own in the catalog. */
  readonly lists?: (asset: CryptoAsset) => readonly VenueListing[];
  /** The perpetuals of a share that it lists. */
  readonly listsShare?: (share: Share) => readonly VenueListing[];
}
