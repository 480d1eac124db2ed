/** Commands of linked wallets, as the API calls them. */
import type { IssuedWalletChallenge, LinkedWallet } from '../../src/domain/identity/linked-wallet.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';

/** Commands of linked wallets. Each answers after its transaction has committed. */
export interface LinkedWalletCommands {
  /** Issues the text that the owner signs. Only the newest text of an address is valid, for ten minutes. */
  challenge(context: CommandContext, address: string): Promise<Outcome<IssuedWalletChallenge>>;
  /** Links the wallet if its owner signed the text. A wallet that is already linked is proved again and keeps its id. */
  link(
    context: CommandContext,
    wish: { readonly address: string; readonly signature: string; readonly label: string | null },
  ): Promise<Outcome<LinkedWallet>>;
  /** Sets or clears a wallet's label. Refuses with `permission_missing` if the caller neither proved the wallet nor may trade. */
  rename(context: CommandContext, id: string, label: string | null): Promise<Outcome<LinkedWallet>>;
  /**
   * Deletes the wallet's proof. Refuses with `permission_missing` like `rename`. Transfers, listings and orders with its address continue,
   * because the link never permitted them.
   */
  unlink(context: CommandContext, id: string): Promise<Outcome<LinkedWallet>>;
}

/** Message for a wallet that does not exist or belongs to another organization. */
export const NO_WALLET = 'there is no linked wallet with this id';
