/** Commands of an organization's members: the protocol between the API and the command handler. */
import type { Permission } from '../../src/domain/agents/agent.ts';
import type { Invitation, MemberRole, MemberView, TokenClaims } from '../../src/domain/identity/member.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';

/** Either a role or permissions one by one. */
export interface Granted {
  readonly role: string | null;
  readonly permissions: readonly Permission[] | null;
}

/** An invitation with its code. */
export interface NewInvitation extends Invitation {
  readonly code: string;
}

/** Every command answers after its transaction is committed. All but `endSession` need `members:manage`. */
export interface MemberCommands {
  /** Gives a member a role or permissions in the place of those before. Nobody changes the permissions of their own. */
  grant(context: CommandContext, subject: string, granted: Granted): Promise<Outcome<MemberView>>;
  /** Takes a member out of the organization; what the member did stays. */
  remove(context: CommandContext, subject: string): Promise<Outcome<MemberView>>;
  /** Writes a role of the organization. Its members have the new permissions at once. */
  setRole(context: CommandContext, name: string, permissions: readonly Permission[]): Promise<Outcome<MemberRole>>;
  /** Invites a person. The code is in this answer and nowhere else. */
  invite(context: CommandContext, wish: Granted & { readonly name: string; readonly hours: number }): Promise<Outcome<NewInvitation>>;
  revokeInvitation(context: CommandContext, id: string): Promise<Outcome<Invitation>>;
  /** Refuses every token of a member that was issued until now, at the next request of each. */
  revokeTokens(context: CommandContext, subject: string): Promise<Outcome<{ readonly subject: string }>>;
  /** Refuses the caller's own token, and those of the same session of the provider. */
  endSession(context: CommandContext, claims: TokenClaims): Promise<Outcome<{ readonly subject: string }>>;
}

/** The one sentence for missing and foreign invitations alike. */
export const NO_INVITATION = 'there is no invitation with this id';
