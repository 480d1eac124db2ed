/** A transaction on the primary chain: its status, and the balances that it moves. Amounts are base units as text. */

/** Commitment of an answer. Only `finalized` is never reverted. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Status of a signature. `unseen` is no failure: it may be on its way, or the node may lag behind. */
export interface SignatureStatus {
  readonly state: 'unseen' | Commitment;
  /** Slot that includes it, or null while unseen. */
  readonly slot: number | null;
  /**
   * The chain's error if it landed and failed, such as `{"InstructionError":[3,{"Custom":6001}]}`, or null if it succeeded or is unseen.
   */
  readonly error: string | null;
}

/**
 * Result of sending signed bytes to a node. `sent`: the node accepted them, which does not mean that they land. `refused`: the node's
 * preflight failed, so this attempt can never land. `unknown`: the answer was lost.
 */
export type Broadcast =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly detail: string };

/** Lamports of an account before and after. */
export interface LamportChange {
  readonly account: string;
  readonly before: string;
  readonly after: string;
}

/** A token account before and after. `0` before its creation and after its closing. */
export interface TokenChange {
  readonly account: string;
  readonly mint: string;
  /** Owner of the account, or null if the node does not say. */
  readonly owner: string | null;
  readonly before: string;
  readonly after: string;
}

/** All balances that a transaction touched, changed or not. */
export interface BalanceChanges {
  readonly lamports: readonly LamportChange[];
  readonly tokens: readonly TokenChange[];
}

/** Simulated result of a transaction at a node, without signature checks. */
export interface Simulation {
  readonly error: string | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: string | null;
  readonly changes: BalanceChanges;
}

/** A finalized transaction. */
export interface LandedTransaction {
  readonly slot: number;
  /** Milliseconds since the epoch, or null if the node does not say. */
  readonly blockTime: number | null;
  readonly error: string | null;
  readonly feeLamports: string;
  readonly changes: BalanceChanges;
}
