/** Agents' proposals. */
import type { ProposalCommands } from '../../../actors/proposal/command-handler.ts';
import type { ProposalStore } from '../../../src/adapters/store/orders/proposal-store.ts';
import { type RouteGroup } from '../../route.ts';
import { approveProposal } from './approve.ts';
import { declineProposal } from './decline.ts';
import { getProposal } from './get.ts';
import { listProposals } from './list.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly proposals: {
      readonly reads: Pick<ProposalStore, 'list' | 'find'>;
      readonly commands: ProposalCommands;
    };
  }
}

export const proposalRoutes: RouteGroup = {
  tag: {
    name: 'agent-orders',
    position: 80,
    description:
      'Trade proposals of agents. At autonomy `confirm` a proposal waits for approval until it expires. Approving runs the risk check again on present prices and can end in `blocked_by_risk` with every limit and the smallest change that would pass.',
  },
  routes: [listProposals, getProposal, approveProposal, declineProposal],
};
