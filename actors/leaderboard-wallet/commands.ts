/** Commands of the leaderboard's wallets, as the API calls them. */
import type { WalletChain } from '../../src/domain/identity/linked-wallet.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';

export interface RegisteredWallet {
  readonly chain: WalletChain;
  /** Address of the wallet, checksummed on the EVM chain. */
  readonly address: string;
  readonly label: string | null;
}

export interface LeaderboardWalletCommands {
  /** Registers an address for the leaderboard. An existing registration stays unchanged. */
  register(context: CommandContext, wish: { readonly address: string; readonly label: string | null }): Promise<Outcome<RegisteredWallet>>;
}
