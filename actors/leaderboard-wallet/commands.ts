/** Commands of the leaderboard's wallets, as the API calls them. */
import type { WalletChain } from '../../src/domain/identity/linked-wallet.ts';

export interface RegisteredWallet {
  readonly chain: WalletChain;
  /** Address of the wallet, checksummed on the EVM chain. */
  readonly address: string;
  readonly label: string | null;
}
