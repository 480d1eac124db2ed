/** Wallets by realized profit. */
import type { LeaderboardWalletCommands } from '../../../actors/leaderboard-wallet/command-handler.ts';
import type { LeaderboardReads } from '../../../src/adapters/store/leaderboard/leaderboard-store.ts';
import { type RouteGroup } from '../../route.ts';
import { getLeaderboardCsv } from './csv.ts';
import { getLeaderboard } from './list.ts';
import { registerLeaderboardWallet } from './register.ts';
import { getLeaderboardWallet } from './wallet.ts';
import { getLeaderboardWalletCsv } from './wallet-csv.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly leaderboard: LeaderboardReads;
    readonly leaderboardWallets: { readonly commands: LeaderboardWalletCommands };
  }
}

export const leaderboardRoutes: RouteGroup = {
  tag: {
    name: 'leaderboard',
    position: 250,
    description:
      'Wallets by realized P&L of live trading. Register an address; it is listed at once and ranked after its history was read. Sales without a known cost basis are in no figure.',
  },
  routes: [getLeaderboard, getLeaderboardCsv, getLeaderboardWallet, getLeaderboardWalletCsv, registerLeaderboardWallet],
};
