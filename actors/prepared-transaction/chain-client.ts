/** The way to the primary chain, as prepared transactions need it. Boot supplies one; its answers are never more than what a node said. */
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import type { Broadcast, Commitment, LandedTransaction, SignatureStatus, Simulation } from '../../src/domain/solana/chain.ts';

export interface ChainClient {
  /** The block height at a commitment. @throws where no node answers. */
  blockHeight(commitment: Commitment): Promise<number>;
  /**
   * Where a signature stands, the node's whole history searched. @throws where no node answers: silence is never `unseen`.
   */
  status(signature: string): Promise<SignatureStatus>;
  /**
   * Hands signed bytes to a node as they are, with preflight and without retries of its own. The same bytes are one
   * transaction however often they are sent, and they leave while `leftMs` says that milliseconds are left. Answers `unknown` where the answer was lost. @throws only before anything was sent.
   */
  broadcast(signed: Uint8Array, leftMs: () => number): Promise<Broadcast>;
  /** What the bytes would do now; signatures are not looked at. @throws where no node answers. */
  simulate(transaction: Uint8Array): Promise<Simulation>;
  /** A finalized transaction with whose balances it moved; null where there is none yet. @throws where no node answers. */
  transaction(signature: string): Promise<LandedTransaction | null>;
  /** The addresses of a lookup table in order; null where the account is none. @throws where no node answers. */
  lookupTable(address: string): Promise<readonly string[] | null>;
}

/** What came of work that asks the chain before it begins anything: where no node answers, that is the answer. */
export async function unlessSilent<Value>(isSilence: (error: unknown) => boolean, work: Promise<Outcome<Value>>): Promise<Outcome<Value>> {
  try {
    return await work;
  } catch (error) {
    if (!isSilence(error)) throw error;
    return refuse('unavailable', `the node of the primary chain does not answer: ${(error as Error).message}`);
  }
}
