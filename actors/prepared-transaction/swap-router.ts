/** The way to the aggregator of the primary chain, as swaps need it. Boot supplies one. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';

export interface RouteRequest {
  readonly inputMint: string;
  readonly outputMint: string;
  /** Raw, of the input. */
  readonly amount: string;
  readonly slippageBps: number;
  /** The wallet that a transaction is asked for; null asks for a quote alone. */
  readonly taker: string | null;
}

export interface RouteStep {
  readonly venue: string;
  readonly inputMint: string;
  readonly outputMint: string;
  /** Part of the whole, in percent. */
  readonly percent: number;
}

/** A route as the aggregator answers it: what it says of itself is checked, and what it does is simulated. */
export interface Route {
  readonly inAmount: string;
  readonly outAmount: string;
  readonly minOutAmount: string;
  /** Price impact in percent, below zero if the price gets worse; null if the aggregator does not report it. */
  readonly priceImpactPct: DecimalString | null;
  readonly steps: readonly RouteStep[];
  /** Unsigned transaction; null if none was requested. */
  readonly transaction: { readonly bytes: Uint8Array; readonly base64: string; readonly lastValidBlockHeight: number } | null;
}

export interface SwapRouter {
  /**
   * Requests a route. Refuses with `route_refused` if there is none or the answer makes no sense, with `blocked_by_risk` and
   * `insufficient_balance` if the wallet lacks the input amount, and with `unavailable` if the aggregator does not answer.
   */
  route(request: RouteRequest): Promise<Outcome<Route>>;
}
