/** Primary chain's view of a transaction: its status, and the balances that it moves. Amounts are base units as text. */

/** Commitment of an answer. Only `finalized` is never taken back. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Status of a signature. `unseen` is no failure: it may be on its way, or the node may lag behind. */
export interface SignatureStatus {
  readonly state: 'unseen' | Commitment;
  /** The slot that it landed in; null while unseen. */
  readonly slot: number | null;
  /** The chain's own words if it landed and failed, e.g. `{"InstructionError":[3,{"Custom":6001}]}`; null if it succeeded or is unseen. */
  readonly error: string | null;
}

/**
 * Result of sending signed bytes to a node. `sent`: the node took them, which is no promise that they land. `refused`: the node's preflight
 * failed, and they can never land by this sending. `unknown`: the answer was lost.
 */
export type Broadcast =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly detail: string };

/** The lamports of one account before and after. */
export interface LamportChange {
  readonly account: string;
  readonly before: string;
  readonly after: string;
}

/** One token account before and after. An account that did not exist has `0` before, one that was closed `0` after. */
export interface TokenChange {
  readonly account: string;
  readonly mint: string;
  /** Owner of the account; null if the node does not say. */
  readonly owner: string | null;
  readonly before: string;
  readonly after: string;
}

/** All balances that a transaction touched, changed or not. */
export interface BalanceChanges {
  readonly lamports: readonly LamportChange[];
  readonly tokens: readonly TokenChange[];
}

/** Simulated result of a transaction at a node. Signatures are not checked. */
export interface Simulation {
  readonly error: string | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: string | null;
  readonly changes: BalanceChanges;
}

/** A transaction that landed and is finalized. */
export interface LandedTransaction {
  readonly slot: number;
  /** Milliseconds since the epoch; null if the node does not say. */
  readonly blockTime: number | null;
  readonly error: string | null;
  readonly feeLamports: string;
  readonly changes: BalanceChanges;
}
