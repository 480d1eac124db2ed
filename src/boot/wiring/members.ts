/** Members for the API: reads of the store, and the command handler with unguessable codes. */
import { createMemberHandler } from '../../../actors/members/commands.ts';
import type { ApiPorts } from '../../../api/route.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { acceptInvitation, createOrganizationMembers } from '../../adapters/store/callers/organization-members.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { refuse } from '../../domain/values/refusal.ts';
import { createHash, randomBytes } from 'node:crypto';

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

const invitationHash = (code: string): string => createHash('sha256').update(code).digest('hex');

/** Creates a code of 192 bits and its stored hash. */
function newInvitationCode(): { readonly code: string; readonly sha256: string } {
  const code = randomBytes(24).toString('base64url');
  return { code, sha256: invitationHash(code) };
}
