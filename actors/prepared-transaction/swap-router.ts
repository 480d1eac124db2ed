/** Port of swaps to the aggregator of the primary chain. Boot supplies it. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';

export interface RouteRequest {
  readonly inputMint: string;
  readonly outputMint: string;
  /** Raw input units. */
  readonly amount: string;
  readonly slippageBps: number;
  /** Wallet that a transaction is requested for, or null for a quote only. */
  readonly taker: string | null;
}

export interface RouteStep {
  readonly venue: string;
  readonly inputMint: string;
  readonly outputMint: string;
  /** Share of the whole, in percent. */
  readonly percent: number;
}

/** A route as the aggregator returned it. Its figures are checked, and its transaction is simulated. */
export interface Route {
  readonly inAmount: string;
  readonly outAmount: string;
  readonly minOutAmount: string;
  /** Price impact in percent, negative if the price gets worse. Null if the aggregator does not report it. */
  readonly priceImpactPct: DecimalString | null;
  readonly steps: readonly RouteStep[];
  /** Unsigned transaction; null if none was requested. */
  readonly transaction: { readonly bytes: Uint8Array; readonly base64: string; readonly lastValidBlockHeight: number } | null;
}

export interface SwapRouter {
  /**
   * Requests a route. Refuses with `route_refused` if there is none or the answer is invalid, with `blocked_by_risk` and
   * `insufficient_balance` if the wallet lacks the input amount, and with `unavailable` if the aggregator does not answer.
   */
  route(request: RouteRequest): Promise<Outcome<Route>>;
}
