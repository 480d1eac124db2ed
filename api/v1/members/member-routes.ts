/** Members of the organization. */
import type { MemberCommands } from '../../../actors/members/command-handler.ts';
import type { OrganizationMembers } from '../../../src/adapters/store/callers/organization-members.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import { type RouteGroup } from '../../route.ts';
import { acceptInvitation } from './accept.ts';
import { grantMember } from './grant.ts';
import { listInvitations } from './invitations.ts';
import { inviteMember } from './invite.ts';
import { listMembers } from './list.ts';
import { removeMember } from './remove.ts';
import { revokeInvitation } from './revoke-invitation.ts';
import { revokeTokens } from './revoke-tokens.ts';
import { listRoles } from './roles.ts';
import { setRole } from './set-role.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    /** The members of one organization. */
    readonly members: {
      readonly reads: Pick<OrganizationMembers, 'list' | 'roles' | 'invitations'>;
      readonly commands: MemberCommands;
    };
    /** Commands of an identity that belongs to no organization yet. */
    readonly joining: {
      accept(subject: string, code: string): Promise<Outcome<{ readonly orgId: string }>>;
    };
  }
}

export const memberRoutes: RouteGroup = {
  tag: {
    name: 'members',
    position: 30,
    description:
      'Members, roles and invitations of your organization. Invite with `POST /v1/invitations` and send the code over a channel that you trust: it is shown once. Permission changes apply to the next request of the member. You cannot change your own permissions.',
  },
  routes: [
    listMembers,
    grantMember,
    removeMember,
    revokeTokens,
    listRoles,
    setRole,
    listInvitations,
    inviteMember,
    acceptInvitation,
    revokeInvitation,
  ],
};
