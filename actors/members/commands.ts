/** Commands of an organization's members, as the API calls them. */
import type { Permission } from '../../src/domain/agents/agent.ts';
import type { Invitation } from '../../src/domain/identity/member.ts';

/** A role, or a list of permissions. */
export interface Granted {
  readonly role: string | null;
  readonly permissions: readonly Permission[] | null;
}

/** An invitation with its code. */
export interface NewInvitation extends Invitation {
  readonly code: string;
}

/** Message for an invitation that does not exist or belongs to another organization. */
export const NO_INVITATION = 'there is no invitation with this id';
