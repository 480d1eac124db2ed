/** Store ports of the trade-proposal routes. */
import type { ProposalCommands } from '../../../actors/proposal/commands.ts';
import type { ProposalView } from '../../../actors/proposal/resource.ts';
import type { ProposalState } from '../../../src/domain/orders/execution.ts';
import type { Page, PageOf } from '../../page.ts';

/** Reads of trade proposals, newest first. Every one takes the organization; a foreign proposal answers null, exactly as a missing one. */
export interface ProposalReads {
  list(orgId: string, filter: { readonly state?: ProposalState; readonly agentId?: string }, page: Page): Promise<PageOf<ProposalView>>;
  find(orgId: string, proposalId: string): Promise<ProposalView | null>;
}

export interface ProposalPorts {
  readonly reads: ProposalReads;
  readonly commands: ProposalCommands;
}
