/** Commands of an organization's members, as the API calls them. */
import type { Permission } from '../../src/domain/agents/agent.ts';
import type { Invitation, MemberRole, MemberView, TokenClaims } from '../../src/domain/identity/member.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';

/** A role, or a list of permissions. */
export interface Granted {
  readonly role: string | null;
  readonly permissions: readonly Permission[] | null;
}

/** An invitation with its code. */
export interface NewInvitation extends Invitation {
  readonly code: string;
}

/** Commands of members. Each answers after its transaction has committed. All but `endSession` need `members:manage`. */
export interface MemberCommands {
  /** Replaces a member's role or permissions. Members cannot change their own permissions. */
  grant(context: CommandContext, subject: string, granted: Granted): Promise<Outcome<MemberView>>;
  /** Removes a member from the organization. The member's actions stay on record. */
  remove(context: CommandContext, subject: string): Promise<Outcome<MemberView>>;
  /** Writes a role of the organization. Its members have the new permissions at once. */
  setRole(context: CommandContext, name: string, permissions: readonly Permission[]): Promise<Outcome<MemberRole>>;
  /** Invites a person. Only this answer contains the code. */
  invite(context: CommandContext, wish: Granted & { readonly name: string; readonly hours: number }): Promise<Outcome<NewInvitation>>;
  revokeInvitation(context: CommandContext, id: string): Promise<Outcome<Invitation>>;
  /** Revokes all tokens that a member has been issued so far. */
  revokeTokens(context: CommandContext, subject: string): Promise<Outcome<{ readonly subject: string }>>;
  /** Revokes the caller's own token and those of the same provider session. */
  endSession(context: CommandContext, claims: TokenClaims): Promise<Outcome<{ readonly subject: string }>>;
}

/** Message for an invitation that does not exist or belongs to another organization. */
export const NO_INVITATION = 'there is no invitation with this id';
