/** Wallets proved by their owners. */
import type { LinkedWalletCommands } from '../../../actors/linked-wallet/command-handler.ts';
import type { LinkedWalletStore } from '../../../src/adapters/store/callers/linked-wallet-store.ts';
import { type RouteGroup } from '../../route.ts';
import { challengeWallet } from './challenge.ts';
import { linkWallet } from './link.ts';
import { listWallets } from './list.ts';
import { renameWallet } from './rename.ts';
import { useSandboxWallet } from './sandbox-wallet.ts';
import type { SandboxWalletPort } from './sandbox-wallet-port.ts';
import { unlinkWallet } from './unlink.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    /** Wallets whose owners have proved them to the organization, newest first. */
    readonly linkedWallets: {
      readonly reads: Pick<LinkedWalletStore, 'list' | 'named'>;
      readonly commands: LinkedWalletCommands;
    };
    readonly sandboxWallets: SandboxWalletPort;
  }
}

export const walletRoutes: RouteGroup = {
  tag: {
    name: 'wallets',
    position: 170,
    description:
      'Linked wallets and their balances. Request the text, sign it with the wallet within ten minutes, and send the signature. A link proves ownership and grants no permission. A late signature is refused with `challenge_expired`.',
  },
  routes: [challengeWallet, linkWallet, listWallets, renameWallet, unlinkWallet, useSandboxWallet],
};
