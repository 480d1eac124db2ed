/** Chain-node ports of the wallet routes. */

import type { LinkedWalletCommands } from '../../../actors/linked-wallet/commands.ts';
import type { LinkedWallet } from '../../../src/domain/identity/linked-wallet.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import type { ChainWallet } from '../../../src/domain/identity/wallet.ts';
import type { Page, PageOf } from '../../page.ts';
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
  /** Absent if no node of the primary chain reads wallets. */
  readonly primary?: PrimaryWalletReads;
}

/** Wallets whose owners have proved them to the organization, newest first. */
export interface LinkedWalletPorts {
  readonly reads: {
    list(orgId: string, page: Page): Promise<PageOf<LinkedWallet>>;
    /** Wallets whose id or label is one of the names. */
    named(orgId: string, names: readonly string[]): Promise<readonly LinkedWallet[]>;
  };
  readonly commands: LinkedWalletCommands;
}

/** Wallets of members in the sandbox. */
export interface SandboxWalletPort {
  /** Finds the wallet of a member; null if no sandbox runs. */
  of(subject: string): SandboxWallet | null;
}

/** A wallet of the sandbox's chains, whose coins are worth nothing. */
export interface SandboxWallet {
  address(): Promise<string>;
  /** Brings coins. */
  fund(): Promise<void>;
  /** @returns The signed transaction in base64. @throws RangeError if the wallet does not sign this transaction. */
  signTransaction(transaction: string): Promise<string>;
  /** @returns The signature in base64. */
  signText(text: string): Promise<string>;
  /**
   * Answers a call of EIP-1193 for the member's wallet of the simulated EVM chain; null if no such chain is simulated.
   * @throws RangeError if the wallet does not answer this call
   */
  readonly request: ((method: string, params: readonly unknown[]) => Promise<unknown>) | null;
}
