/** Store ports of the delegation routes. */
import type { DelegationCommands } from '../../../actors/delegation/commands.ts';
import type { Delegation } from '../../../src/domain/identity/delegation.ts';
import type { Page, PageOf } from '../../page.ts';

/** Delegations of an organization, newest first; of one agent or Take, or of all where `agentId` is null. */
export interface DelegationReads {
  list(orgId: string, agentId: string | null, page: Page): Promise<PageOf<Delegation>>;
}

export interface DelegationPorts {
  readonly reads: DelegationReads;
  readonly commands: DelegationCommands;
}
