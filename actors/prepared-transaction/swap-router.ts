/** The way to the aggregator of the primary chain, as swaps need it. Boot supplies one. */
import type { DecimalString } from '../../src/domain/decimal.ts';
import type { Outcome } from '../../src/domain/refusal.ts';

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
  /** Its part of the whole, in percent. */
  readonly percent: number;
}

/** A route as the aggregator answers it: what it says of itself is checked, and what it does is simulated. */
export interface Route {
  readonly inAmount: string;
  readonly outAmount: string;
  readonly minOutAmount: string;
  /** In percent, below zero where the price gets worse; null where the aggregator does not say. */
  readonly priceImpactPct: DecimalString | null;
  readonly steps: readonly RouteStep[];
  /** The unsigned transaction; null where none was asked for. */
  readonly transaction: { readonly bytes: Uint8Array; readonly base64: string; readonly lastValidBlockHeight: number } | null;
}

export interface SwapRouter {
  /**
   * Asks for a route. Refused as `route_refused` where there is none or the answer makes no sense, as `blocked_by_risk`
   * with `insufficient_balance` where the wallet lacks what it would give, as `unavailable` where the aggregator is silent.
   */
  route(request: RouteRequest): Promise<Outcome<Route>>;
}
