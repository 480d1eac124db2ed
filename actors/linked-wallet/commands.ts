/** Commands of linked wallets: the protocol between the API and the command handler. */
import type { IssuedWalletChallenge, LinkedWallet } from '../../src/domain/identity/linked-wallet.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';

/** Every command answers after its transaction is committed. */
export interface LinkedWalletCommands {
  /** The text that the owner signs; the newest one of an address counts, for ten minutes. */
  challenge(context: CommandContext, address: string): Promise<Outcome<IssuedWalletChallenge>>;
  /** Links the wallet where its owner's signature stands under that text. A wallet that is linked already is proved anew and keeps its id. */
  link(
    context: CommandContext,
    wish: { readonly address: string; readonly signature: string; readonly label: string | null },
  ): Promise<Outcome<LinkedWallet>>;
  /** Sets or clears a wallet's label. `permission_missing` if the caller neither proved the wallet nor may trade. */
  rename(context: CommandContext, id: string, label: string | null): Promise<Outcome<LinkedWallet>>;
  /**
   * Forgets that the wallet was proved; `permission_missing` as for a new label. Transfers, listings and orders that name
   * its address go on as they are: the link never permitted them.
   */
  unlink(context: CommandContext, id: string): Promise<Outcome<LinkedWallet>>;
}

/** The one sentence for missing and foreign wallets alike. */
export const NO_WALLET = 'there is no linked wallet with this id';
