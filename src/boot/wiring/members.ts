/** Members for the API: reads of the store, and the command handler with unguessable codes. */
import { createMemberHandler } from '../../../actors/members/command-handler.ts';
import type { ApiPorts } from '../../../api/route.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { invitationHash, newInvitationCode } from '../../adapters/identity/invitation-code.ts';
import { acceptInvitation, createOrganizationMembers } from '../../adapters/store/callers/organization-members.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { refuse } from '../../domain/values/refusal.ts';

/** Creates the commands of members. @param sql connection that acts for the organization */
export function createMembers(sql: Sql, clock: Pick<Clock, 'now'>, newId: () => string): ApiPorts['members'] {
  const store = createOrganizationMembers(sql);
  return { reads: store, commands: createMemberHandler({ store, clock, newId, newCode: newInvitationCode }) };
}

/** Creates joining. @param sql engine connection, because only the code identifies the organization */
export function createJoining(sql: Sql, clock: Pick<Clock, 'now'>): ApiPorts['joining'] {
  return {
    async accept(subject, code) {
      const answer = await acceptInvitation(sql, subject, invitationHash(code), clock.now());
      return 'orgId' in answer ? { ok: true, value: { orgId: answer.orgId } } : refuse('state_conflict', answer.refusal);
    },
  };
}
