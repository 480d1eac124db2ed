/** Ports of the member routes. */
import type { MemberCommands } from '../../../actors/members/commands.ts';
import type { Invitation, MemberRole, MemberView } from '../../../src/domain/identity/member.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import type { Page, PageOf } from '../../page.ts';

/** The members of one organization. */
export interface MemberPorts {
  readonly reads: {
    list(orgId: string): Promise<readonly MemberView[]>;
    roles(orgId: string): Promise<readonly MemberRole[]>;
    invitations(orgId: string, page: Page): Promise<PageOf<Invitation>>;
  };
  readonly commands: MemberCommands;
}

/** Commands of an identity that belongs to no organization yet. */
export interface JoiningPorts {
  accept(subject: string, code: string): Promise<Outcome<{ readonly orgId: string }>>;
}
