/** Facts about a venue that the engine needs before receiving anything. Each venue has a file beside this one. */
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { Venue } from '../market/venue.ts';

/**
 * Time in milliseconds after which degraded data trips the breaker, whatever the venue's age limits. It counts from the last good message
 * of a streaming venue, and from the first missed answer of a polled one.
 */
export const DATA_DEGRADATION_MS = 5_000;

/**
 * Cadence of a feed. `continuous`: it keeps sending, so silence and frozen times are faults. `change_only`: it sends on change, so
 * heartbeats prove a quiet market. `polled`: we request it, and an unchanged answer confirms the price.
 */
export type Cadence = 'continuous' | 'change_only' | 'polled';

/** Limits of age, clock skew and silence for a venue's data (docs/decisions/0008). */
export interface FeedLimits {
  /** Age in milliseconds from which a quote is stale. */
  readonly maxAgeMs: number;
  readonly cadence: Cadence;
  /** `contiguous`: every number is sent, so a missing one is a gap. `ascending`: numbers only order messages. */
  readonly sequence: 'ascending' | 'contiguous';
  /** Silence in milliseconds from which a feed is degraded: at most `DATA_DEGRADATION_MS` if it streams. */
  readonly silentAfterMs: number;
  /** Maximum distance in milliseconds of an event time into the future. A larger one is a fault of the venue's clock. */
  readonly maxSkewMs: number;
  /** Maximum confidence interval of a reference price, as half-width / price. */
  readonly maxConfidence: number;
  /**
   * Maximum distance of a price from the last accepted one before it must be confirmed: a share of that price, or dollars on prediction
   * markets, whose prices are between 0 and 1.
   */
  readonly maxJump: number;
}

/** Configurable limits in milliseconds. Missing ones keep their default. */
export interface LimitOverrides {
  readonly venues?: Readonly<Partial<Record<Venue, Partial<FeedLimits>>>>;
  /** Limits that differ for one source of a venue, such as `kalshi:orderbook`. */
  readonly sources?: Readonly<Record<string, Partial<FeedLimits>>>;
  readonly perpContextMaxAgeMs?: number;
  readonly eventsMaxSilenceMs?: number;
  readonly issuerMarkMaxAgeMs?: number;
}

/** Trading costs on a venue. Named, so that fills and evaluations state their assumptions. */
export interface CostModel {
  readonly name: string;
  /** Taker fee of the venue. */
  readonly takerFeeBps: number;
  /** Maker fee of the venue. Used only if orders rest there. */
  readonly makerFeeBps: number;
  /** Assumed distance of the best price from the midpoint, if only one price is known (a candle). */
  readonly halfSpreadBps: number;
  /** Assumed notional of one side within one percent of the midpoint, in US dollars, if neither a book nor a pool is known. */
  readonly depthUsd: DecimalString;
  /** Milliseconds from the decision to the venue. An order is priced on a quote that is at least this much younger than its decision. */
  readonly latencyMs: number;
}

/** An asset that venues list under their own names. */
export interface CryptoAsset {
  readonly symbol: string;
  readonly name: string;
}

/** A share behind a token of the primary chain, by its own symbol (`AAPL`) and name. */
export interface Share {
  readonly symbol: string;
  readonly name: string;
}

/** An instrument as its venue lists it. Its relations follow from the asset. */
export type VenueListing = Pick<CatalogEntry, 'instrument' | 'kind' | 'name' | 'quoteCurrency' | 'pairs'>;

/**
 * Rules that fill a shadow order from its venue's messages. `book_and_trades`: takers meet the book on arrival, resting orders are filled
 * by trades. `book`: only takers can be measured. `pool_state`: the order meets the worse of the two pool states around its arrival.
 */
export const FLOW_RULES = ['book_and_trades', 'book', 'pool_state'] as const;
export type FlowRule = (typeof FLOW_RULES)[number];

export interface VenueFacts {
  /** True if its quotes may become orders. */
  readonly executable: boolean;
  /** True if live orders can reach it at all, whatever is enabled. */
  readonly liveOrders: boolean;
  /** True if its order books are read for fills and shown. */
  readonly hasBooks: boolean;
  /** True if our orders may rest there, post-only. */
  readonly restingOrders: boolean;
  /** True if an order may be sent in parts. False if each would be a separate transaction to sign. */
  readonly slicedOrders: boolean;
  /** Rule by which its shadow orders are compared with its flow, or null if they cannot be. */
  readonly flowRule: FlowRule | null;
  readonly limits: FeedLimits;
  /** Limits that differ for one source of the venue, such as `kalshi:orderbook`. */
  readonly sourceLimits?: Readonly<Record<string, Partial<FeedLimits>>>;
  /** Costs of a simulated trade there, or null if nothing trades. */
  readonly costs: CostModel | null;
  /** Returns the costs of an instrument, or null if they are the venue's own. */
  readonly costsOf?: (instrument: string) => CostModel | null;
  /** Returns its listings of an asset. Tokens of the primary chain have their own table in the catalog. */
  readonly lists?: (asset: CryptoAsset) => readonly VenueListing[];
  /** Returns its perpetuals on a share. */
  readonly listsShare?: (share: Share) => readonly VenueListing[];
}
