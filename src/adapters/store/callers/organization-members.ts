/** Members, roles and invitations of one organization. Database functions check every change again. */
import type { MemberDirectory } from '../../../../actors/members/commands.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Permission } from '../../../domain/agents/agent.ts';
import { BUILT_IN_ROLES, type Invitation, type MemberRole, type MemberView } from '../../../domain/identity/member.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { pageOfRows } from '../queries.ts';

interface InvitationRow {
  readonly id: string;
  readonly number: number;
  readonly name: string;
  readonly role: string | null;
  readonly permissions: Permission[];
  readonly invited_by: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly accepted_by: string | null;
  readonly accepted_at: number | null;
  readonly revoked_at: number | null;
}

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    permissions: row.permissions,
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    acceptedBy: row.accepted_by,
    acceptedAt: row.accepted_at,
    revokedAt: row.revoked_at,
  };
}

/** Result of a database function: null, or why it changed nothing. */
type Answer = readonly { readonly refusal: string | null }[];

export interface OrganizationMembers extends MemberDirectory {
  /** Lists members, sorted by subject. */
  list(orgId: string): Promise<readonly MemberView[]>;
  /** Lists roles, built-in ones first. */
  roles(orgId: string): Promise<readonly MemberRole[]>;
  /** Lists invitations, newest first. */
  invitations(orgId: string, page: Page): Promise<PageOf<Invitation>>;
}

/** @param sql connections of the organization */
export function createOrganizationMembers(sql: Sql): OrganizationMembers {
  /** Writes a change and its command's records in one transaction. */
  const change = (ask: (transaction: Transaction) => Promise<Answer>, records: readonly ActorRecord[]): Promise<string | null> =>
    inTransaction(sql, async (transaction) => {
      const [answer] = await ask(transaction);
      const refusal = answer?.refusal ?? null;
      if (refusal === null) await writeRecords(transaction, records);
      return refusal;
    });

  return {
    ...createReads(sql),
    changeMember: ({ orgId, subject: by }, subject, granted, records) =>
      change(
        (transaction) => transaction<{ refusal: string | null }[]>`
          select change_member(${orgId}, ${by}, ${subject}, ${granted?.role ?? null}, ${(granted?.permissions ?? null) as string[] | null}::text[]) as refusal`,
        records,
      ),
    setRole: ({ orgId, subject: by }, name, permissions, records) =>
      change(
        (transaction) => transaction<{ refusal: string | null }[]>`
          select set_member_role(${orgId}, ${by}, ${name}, ${permissions as string[]}::text[]) as refusal`,
        records,
      ),
    invite: ({ orgId, subject: by }, { id, name, role, permissions, createdAt, expiresAt }, codeSha256, records) =>
      change(
        (transaction) => transaction<{ refusal: string | null }[]>`
          select invite_member(${orgId}, ${by}, ${id}, ${codeSha256}, ${name}, ${role}, ${permissions as string[]}::text[], ${createdAt}, ${expiresAt}) as refusal`,
        records,
      ),
    revokeInvitation: ({ orgId, subject: by }, id, at, records) =>
      change(
        (transaction) => transaction<{ refusal: string | null }[]>`select revoke_invitation(${orgId}, ${by}, ${id}, ${at}) as refusal`,
        records,
      ),
    revokeTokens: ({ orgId, subject: by }, subject, { sessionId, tokenId, before, until }, records) =>
      change(
        (transaction) => transaction<{ refusal: string | null }[]>`
          select revoke_tokens(${orgId}, ${by}, ${subject}, ${sessionId}, ${tokenId}, ${before}, ${until}) as refusal`,
        records,
      ),
  };
}

function createReads(sql: Sql): Pick<OrganizationMembers, 'member' | 'role' | 'invitation' | 'list' | 'roles' | 'invitations'> {
  const members = (orgId: string, subject: string | null) => sql<MemberView[]>`
    select subject, name, role, permissions from members where org_id = ${orgId} ${subject === null ? sql`` : sql`and subject = ${subject}`} order by subject`;
  const ownRoles = async (orgId: string): Promise<MemberRole[]> => {
    const rows = await sql<Pick<MemberRole, 'name' | 'permissions'>[]>`
      select name, permissions from member_roles where org_id = ${orgId} order by name`;
    return rows.map((row) => ({ ...row, builtIn: false }));
  };
  return {
    member: async (orgId, subject) => (await members(orgId, subject))[0] ?? null,
    list: (orgId) => members(orgId, null),
    role: async (orgId, name) => (await ownRoles(orgId)).find((role) => role.name === name) ?? null,
    async roles(orgId) {
      const builtIn = Object.entries(BUILT_IN_ROLES).map(([name, permissions]) => ({ name, permissions, builtIn: true }));
      return [...builtIn, ...(await ownRoles(orgId))];
    },
    async invitation(orgId, id) {
      const [row] = await sql<InvitationRow[]>`
        select id, number, name, role, permissions, invited_by, created_at, expires_at, accepted_by, accepted_at, revoked_at
        from invitations where org_id = ${orgId} and id = ${id}`;
      return row === undefined ? null : toInvitation(row);
    },
    async invitations(orgId, { limit, after }) {
      const rows = await sql<InvitationRow[]>`
        select id, number, name, role, permissions, invited_by, created_at, expires_at, accepted_by, accepted_at, revoked_at
        from invitations where org_id = ${orgId} ${after === null ? sql`` : sql`and number < ${Number(after)}`}
        order by number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, ({ number }) => String(number));
      return { items: page.items.map(toInvitation), next: page.next };
    },
  };
}

/** Accepts the invitation of a code. @param sql the engine's connections, because the organization is not known yet */
export async function acceptInvitation(
  sql: Sql,
  subject: string,
  codeSha256: string,
  at: number,
): Promise<{ readonly orgId: string } | { readonly refusal: string }> {
  return inTransaction(sql, async (transaction) => {
    const [row] = await transaction<{ org: string | null; refusal: string | null }[]>`
      select org, refusal from accept_invitation(${subject}, ${codeSha256}, ${at})`;
    return row?.org != null ? { orgId: row.org } : { refusal: row?.refusal ?? 'no invitation has this code' };
  });
}
