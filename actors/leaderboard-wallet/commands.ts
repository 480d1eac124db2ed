/** Commands of the leaderboard's wallets: the protocol between the API and the command handler. */
import type { WalletChain } from '../../src/domain/identity/linked-wallet.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';

export interface RegisteredWallet {
  readonly chain: WalletChain;
  /** Address of the wallet, with its checksum on the EVM chain. */
  readonly address: string;
  readonly label: string | null;
}

export interface LeaderboardWalletCommands {
  /** Puts an address on the leaderboard; one that is on it already stays as it is. */
  register(context: CommandContext, wish: { readonly address: string; readonly label: string | null }): Promise<Outcome<RegisteredWallet>>;
}
