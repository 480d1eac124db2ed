/** Port of prepared transactions to the primary chain. Boot supplies it. Every answer comes from a node. */
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { Broadcast, Commitment, LandedTransaction, SignatureStatus, Simulation } from '../../src/domain/solana/chain.ts';

export interface ChainClient {
  /** Returns the block height at a commitment. @throws if no node answers. */
  blockHeight(commitment: Commitment): Promise<number>;
  /**
   * Returns the status of a signature after searching the node's whole history. @throws if no node answers, because silence is never
   * `unseen`.
   */
  status(signature: string): Promise<SignatureStatus>;
  /**
   * Sends signed bytes to a node unchanged, with preflight and without retries of its own. The same bytes are one transaction however often
   * they are sent. Sends nothing once `leftMs` is 0. Returns `unknown` if the answer was lost. @throws only before anything was sent.
   */
  broadcast(signed: Uint8Array, leftMs: () => number): Promise<Broadcast>;
  /** Simulates the bytes now, without checking signatures. @throws if no node answers. */
  simulate(transaction: Uint8Array): Promise<Simulation>;
  /** Returns a finalized transaction with its balance changes, or null if it is not final yet. @throws if no node answers. */
  transaction(signature: string): Promise<LandedTransaction | null>;
  /** Returns the addresses of a lookup table in order; null if the account is not a table. @throws if no node answers. */
  lookupTable(address: string): Promise<readonly string[] | null>;
}

/** Returns the result of work that queries the chain before it begins anything, or a refusal if no node answers. */
export async function unlessSilent<Value>(isSilence: (error: unknown) => boolean, work: Promise<Outcome<Value>>): Promise<Outcome<Value>> {
  try {
    return await work;
  } catch (error) {
    if (!isSilence(error)) throw error;
    return refuse('unavailable', `the node of the primary chain does not answer: ${(error as Error).message}`);
  }
}

/** An account as a node returned it. */
export interface ChainAccount {
  readonly owner: string;
  readonly data: Uint8Array;
}

/** Access of launches to the primary chain. */
export interface LaunchChain extends Pick<ChainClient, 'simulate' | 'blockHeight'> {
  latestBlockhash(commitment: 'confirmed'): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: number }>;
  /** Reads accounts together at one slot. Null for an account that does not exist. @throws if no node answers. */
  accounts(addresses: readonly string[]): Promise<{ readonly slot: number; readonly accounts: readonly (ChainAccount | null)[] }>;
}
