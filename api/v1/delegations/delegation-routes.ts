/** Delegations of wallets. */
import type { DelegationCommands } from '../../../actors/delegation/command-handler.ts';
import type { DelegationStore } from '../../../src/adapters/store/delegations/delegation-store.ts';
import { type RouteGroup } from '../../route.ts';
import { challengeDelegation } from './challenge.ts';
import { grantDelegation } from './create.ts';
import { listDelegations } from './list.ts';
import { revokeDelegation } from './revoke.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly delegations: {
      readonly reads: Pick<DelegationStore, 'list'>;
      readonly commands: DelegationCommands;
    };
  }
}

export const delegationRoutes: RouteGroup = {
  tag: {
    name: 'delegations',
    position: 180,
    description:
      'Permission for an agent or a Take to trade from a wallet without a signature per trade. Request the text, have the owner sign it, and send it back with the same fields. A delegation has a limit per transaction and an expiry. Revoking it takes effect at once.',
  },
  routes: [challengeDelegation, grantDelegation, listDelegations, revokeDelegation],
};
