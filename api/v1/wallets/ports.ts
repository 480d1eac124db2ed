/** What the routes of wallets ask of the nodes of chains. */

import type { Outcome } from '../../../src/domain/refusal.ts';
import type { ChainWallet } from '../../../src/domain/wallet.ts';
import type { PrimaryWalletReads } from '../portfolio/ports.ts';
import type { PublicWalletReads } from '../public-wallet/ports.ts';

/** Balances of an address on the EVM chain, read from a node at one block. */
export interface ChainWalletReads {
  read(address: string): Promise<Outcome<ChainWallet>>;
}

/** Wallets of anybody, read from outside. */
export interface WalletPorts {
  readonly venue: PublicWalletReads;
  readonly evm: ChainWalletReads;
  /** Left out where no node of the primary chain reads wallets. */
  readonly primary?: PrimaryWalletReads;
}
