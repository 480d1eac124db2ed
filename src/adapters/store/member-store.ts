/** Members and their organizations: who belongs where and may do what. Read on every request, by primary key. */
import type { Permission } from '../../domain/agent.ts';
import type { Sql } from './database.ts';

export interface MemberRow {
  readonly orgId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

export interface MemberStore {
  /** The subject's grants at this moment; null for an identity that belongs to no organization. */
  find(subject: string): Promise<MemberRow | null>;
  /** Creates the organization unless it is there. */
  ensureOrganization(orgId: string, name: string): Promise<void>;
  /**
   * Creates the member, or changes its name and permissions. A member never moves to another organization.
   * @throws Error where the subject belongs to another one.
   */
  grant(subject: string, member: MemberRow): Promise<void>;
}

export function createMemberStore(sql: Sql): MemberStore {
  return {
    async find(subject) {
      const [row] = await sql<{ org_id: string; name: string; permissions: Permission[] }[]>`
        select org_id, name, permissions from members where subject = ${subject}`;
      return row === undefined ? null : { orgId: row.org_id, name: row.name, permissions: row.permissions };
    },
    async ensureOrganization(orgId, name) {
      await sql`insert into organizations (id, name) values (${orgId}, ${name}) on conflict (id) do nothing`;
    },
    async grant(subject, { orgId, name, permissions }) {
      const changed = await sql`
        insert into members (subject, org_id, name, permissions) values (${subject}, ${orgId}, ${name}, ${sql.array([...permissions])})
        on conflict (subject) do update set name = excluded.name, permissions = excluded.permissions where members.org_id = excluded.org_id
        returning subject`;
      if (changed.length === 0) throw new Error(`${subject} belongs to another organization; use another subject for this one`);
    },
  };
}
