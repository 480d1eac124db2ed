/** Vaults of agents. */
import type { VaultCommands } from '../../../actors/agent/vault-handler.ts';
import type { ReserveReads } from '../../../src/adapters/store/vaults/reserve-store.ts';
import type { VaultCourse } from '../../../src/adapters/store/vaults/vault-course.ts';
import type { VaultStore } from '../../../src/adapters/store/vaults/vault-store.ts';
import { type RouteGroup, renamed } from '../../route.ts';
import { getVault } from '../agents/vault/vault.ts';
import { depositIntoVault } from '../agents/vault/vault-deposit.ts';
import { getVaultPriceHistory } from '../agents/vault/vault-price-history.ts';
import { withdrawFromVault } from '../agents/vault/vault-withdraw.ts';
import { rankVaults } from './leaderboard.ts';
import { listReserves } from './reserves.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly vaults: {
      readonly course: VaultCourse['course'];
      readonly commands: VaultCommands;
      readonly ranking: Pick<VaultStore, 'rank'>;
      readonly reserves: ReserveReads;
    };
  }
}

export const vaultRoutes: RouteGroup = {
  tag: {
    name: 'vaults',
    position: 130,
    description:
      'Deposits and withdrawals of an agent’s live capital, as shares. A vault accepts deposits from stage `limited_live`, up to its limit. Withdrawals are paid from cash. Deposits are refused while holdings do not cover the claims (`GET /v1/reserves`).',
  },
  routes: [
    getVault,
    ...renamed(getVaultPriceHistory, {
      url: '/v1/agents/:id/vault/course',
      name: 'getVaultCourse',
      since: '2026-11-27',
    }),
    depositIntoVault,
    withdrawFromVault,
    rankVaults,
    listReserves,
  ],
};
