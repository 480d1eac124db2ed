/** Handles member commands. The database checks permissions again. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import type { Permission } from '../../src/domain/agents/agent.ts';
import {
  builtInRole,
  type Invitation,
  LONGEST_TOKEN_MS,
  type MemberRole,
  type MemberView,
  ROLE_NAME,
  type TokenClaims,
} from '../../src/domain/identity/member.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import { HOUR_MS } from '../../src/domain/values/time.ts';

/** A role, or a list of permissions. */
interface Granted {
  readonly role: string | null;
  readonly permissions: readonly Permission[] | null;
}

/** An invitation with its code. */
export interface NewInvitation extends Invitation {
  readonly code: string;
}

/** Message for an invitation that does not exist or belongs to another organization. */
export const NO_INVITATION = 'there is no invitation with this id';

/** Store ports of the command handler. Every change returns null, or the reason why the database refuses it. */
export interface MemberDirectory {
  member(orgId: string, subject: string): Promise<MemberView | null>;
  role(orgId: string, name: string): Promise<MemberRole | null>;
  invitation(orgId: string, id: string): Promise<Invitation | null>;
  /** Changes a member's permissions. `granted` is null to remove the member. */
  changeMember(by: CommandContext, subject: string, granted: RoleGrant | null, records: readonly ActorRecord[]): Promise<string | null>;
  setRole(by: CommandContext, name: string, permissions: readonly Permission[], records: readonly ActorRecord[]): Promise<string | null>;
  invite(by: CommandContext, invitation: Invitation, codeSha256: string, records: readonly ActorRecord[]): Promise<string | null>;
  revokeInvitation(by: CommandContext, id: string, at: number, records: readonly ActorRecord[]): Promise<string | null>;
  revokeTokens(by: CommandContext, subject: string, revoked: RevokedTokens, records: readonly ActorRecord[]): Promise<string | null>;
}

/** Permissions, and the role they come from. */
interface RoleGrant {
  readonly role: string | null;
  readonly permissions: readonly Permission[];
}

interface RevokedTokens {
  readonly sessionId: string | null;
  readonly tokenId: string | null;
  readonly before: number;
  readonly until: number;
}

interface MemberDeps {
  readonly store: MemberDirectory;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  /** Returns a random code and its SHA-256 in hexadecimal. */
  readonly newCode: () => { readonly code: string; readonly sha256: string };
}

export function createMemberHandler(deps: MemberDeps) {
  const { store, clock, newId, newCode } = deps;
  const grantRoles = (orgId: string, granted: Granted) => roleGrant(store, orgId, granted);

  return {
    /** Replaces a member's role or permissions. Members cannot change their own permissions. */
    async grant(context: CommandContext, subject: string, wanted: Granted): Promise<Outcome<MemberView>> {
      const [before, granted] = [await store.member(context.orgId, subject), await grantRoles(context.orgId, wanted)];
      if (before === null) return refuse('not_found', noMember(subject));
      if (!granted.ok) return granted;
      const after: MemberView = { ...before, ...granted.value };
      const records = [auditRow(context, 'member.grant', subject, before, after), ...answerRows(context, after)];
      return settled(() => store.changeMember(context, subject, granted.value, records), after);
    },
    /** Removes a member from the organization. The member's actions stay on record. */
    async remove(context: CommandContext, subject: string): Promise<Outcome<MemberView>> {
      const before = await store.member(context.orgId, subject);
      if (before === null) return refuse('not_found', noMember(subject));
      const records = [auditRow(context, 'member.remove', subject, before, null), ...answerRows(context, before)];
      return settled(() => store.changeMember(context, subject, null, records), before);
    },
    /** Writes a role of the organization. Its members have the new permissions at once. */
    async setRole(context: CommandContext, name: string, permissions: readonly Permission[]): Promise<Outcome<MemberRole>> {
      if (builtInRole(name) !== null) return refuse('state_conflict', `${name} is a built-in role: choose another name`);
      if (!ROLE_NAME.test(name)) return refuse('malformed', '$.name: allowed are lower-case letters, digits, _ and -, at most 40');
      const before = await store.role(context.orgId, name);
      const after: MemberRole = { name, permissions, builtIn: false };
      const records = [auditRow(context, 'role.set', name, before, after), ...answerRows(context, after)];
      return settled(() => store.setRole(context, name, permissions, records), after);
    },
    /** Invites a person. Only this answer contains the code. */
    async invite(
      context: CommandContext,
      { name, hours, ...wanted }: Granted & { readonly name: string; readonly hours: number },
    ): Promise<Outcome<NewInvitation>> {
      const granted = await grantRoles(context.orgId, wanted);
      if (!granted.ok) return granted;
      const { code, sha256 } = newCode();
      const at = clock.now();
      const invitation: Invitation = {
        id: newId(),
        name,
        ...granted.value,
        invitedBy: context.subject,
        createdAt: at,
        expiresAt: at + hours * HOUR_MS,
        acceptedBy: null,
        acceptedAt: null,
        revokedAt: null,
      };
      const records = [auditRow(context, 'invitation.create', invitation.id, null, invitation)];
      return settled(() => store.invite(context, invitation, sha256, records), { ...invitation, code });
    },
    async revokeInvitation(context: CommandContext, id: string): Promise<Outcome<Invitation>> {
      const before = await store.invitation(context.orgId, id);
      if (before === null) return refuse('not_found', NO_INVITATION);
      const at = clock.now();
      const after: Invitation = { ...before, revokedAt: at };
      const records = [auditRow(context, 'invitation.revoke', id, before, after), ...answerRows(context, after)];
      return settled(() => store.revokeInvitation(context, id, at, records), after);
    },
    /** Revokes all tokens that a member has been issued so far. */
    revokeTokens: (context: CommandContext, subject: string): Promise<Outcome<{ readonly subject: string }>> =>
      revoke(deps, context, subject, null),
    /** Revokes the caller's own token and those of the same provider session. */
    endSession: (context: CommandContext, claims: TokenClaims): Promise<Outcome<{ readonly subject: string }>> =>
      revoke(deps, context, context.subject, claims),
  };
}

/** Commands of members. Each answers after its transaction has committed. All but `endSession` need `members:manage`. */
export type MemberCommands = ReturnType<typeof createMemberHandler>;

function noMember(subject: string): string {
  return `no member of the organization is called ${JSON.stringify(subject.slice(0, 80))}`;
}

/** Returns the permissions of a role, or the listed permissions. */
async function roleGrant(store: MemberDirectory, orgId: string, { role, permissions }: Granted): Promise<Outcome<RoleGrant>> {
  if ((role === null) === (permissions === null)) return refuse('malformed', '$: name either a role or permissions');
  if (role === null) return { ok: true, value: { role: null, permissions: permissions ?? [] } };
  const known = builtInRole(role) ?? (await store.role(orgId, role))?.permissions;
  if (known === undefined)
    return refuse('malformed', `$.role: there is no role ${JSON.stringify(role.slice(0, 60))}; GET /v1/roles lists them`);
  return { ok: true, value: { role, permissions: known } };
}

/**
 * Revokes tokens. Without claims it revokes all tokens of the subject. With claims it revokes the session, or the token if there is no
 * session.
 */
async function revoke({ store, clock }: MemberDeps, context: CommandContext, subject: string, claims: TokenClaims | null) {
  const { sessionId = null, tokenId = null } = claims ?? {};
  const before = clock.now();
  const revoked = { sessionId, tokenId: sessionId === null ? tokenId : null, before, until: before + LONGEST_TOKEN_MS };
  const records = [auditRow(context, 'token.revoke', subject, null, revoked), ...answerRows(context, { subject })];
  return settled(() => store.revokeTokens(context, subject, revoked, records), { subject });
}

async function settled<View>(change: () => Promise<string | null>, view: View): Promise<Outcome<View>> {
  try {
    const refusal = await change();
    if (refusal === null) return { ok: true, value: view };
    if (refusal.startsWith('this needs ')) return refuse('permission_missing', refusal);
    return refuse(refusal.startsWith('there is no ') ? 'not_found' : 'state_conflict', refusal);
  } catch (error) {
    return answeredMeanwhile(error);
  }
}
