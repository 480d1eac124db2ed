/** Access of launches to the primary chain. */
import type { ChainClient } from '../prepared-transaction/chain-client.ts';

/** An account as a node returned it. */
export interface ChainAccount {
  readonly owner: string;
  readonly data: Uint8Array;
}

export interface LaunchChain extends Pick<ChainClient, 'simulate' | 'blockHeight'> {
  latestBlockhash(commitment: 'confirmed'): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: number }>;
  /** Reads accounts together at one slot. Null for an account that does not exist. @throws if no node answers. */
  accounts(addresses: readonly string[]): Promise<{ readonly slot: number; readonly accounts: readonly (ChainAccount | null)[] }>;
}
