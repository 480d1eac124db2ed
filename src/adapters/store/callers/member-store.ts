/** Store of members with their organizations and permissions, read on every request by primary key. */
import type { Permission } from '../../../domain/agents/agent.ts';
import type { Member, TokenRevocation } from '../../../domain/identity/member.ts';
import type { Sql, Transaction } from '../database.ts';

interface MemberRow {
  readonly subject: string;
  readonly org_id: string;
  readonly name: string;
  readonly permissions: Permission[];
  readonly role: string | null;
  readonly revocations: readonly TokenRevocation[] | null;
}

interface Asker {
  readonly resolve: (member: Member | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates the store. Concurrent lookups share one statement that begins after the last of them, so that no answer is older than its
 * request. Nothing is cached.
 */
export function createMemberStore(sql: Sql) {
  let asking: Map<string, Asker[]> | null = null;

  /** Starts a batch, which is sent at the end of this turn of the event loop. */
  function askTogether(): Map<string, Asker[]> {
    const batch = new Map<string, Asker[]>();
    setImmediate(() => {
      asking = null;
      readMembers([...batch.keys()]).then(
        (found) => {
          for (const [subject, askers] of batch) for (const { resolve } of askers) resolve(found.get(subject) ?? null);
        },
        (error: unknown) => {
          for (const askers of batch.values()) for (const { reject } of askers) reject(error);
        },
      );
    });
    return batch;
  }

  async function readMembers(subjects: readonly string[]): Promise<ReadonlyMap<string, Member>> {
    const rows = await sql<MemberRow[]>`
      select m.subject, m.org_id, m.name, m.permissions, m.role, (select jsonb_agg(
          jsonb_build_object('before', r.before_at, 'sessionId', r.session, 'tokenId', r.token)) from token_revocations r where r.subject = m.subject) as revocations
      from members m where m.subject = any(${subjects as string[]}::text[])`;
    return new Map(
      rows.map(({ subject, org_id: orgId, name, permissions, role, revocations }) => [
        subject,
        { orgId, name, permissions, role, revocations: revocations ?? [] },
      ]),
    );
  }

  return {
    /** Returns the subject's present permissions; null if it belongs to no organization. */
    find(subject: string): Promise<Member | null> {
      return new Promise((resolve, reject) => {
        asking ??= askTogether();
        const others = asking.get(subject);
        if (others === undefined) asking.set(subject, [{ resolve, reject }]);
        else others.push({ resolve, reject });
      });
    },
    /** Creates the organization if it is missing. */
    async ensureOrganization(orgId: string, name: string): Promise<void> {
      await sql.begin(
        (transaction) => transaction`insert into organizations (id, name) values (${orgId}, ${name}) on conflict (id) do nothing`,
      );
    },
    /**
     * Creates a member or changes its name and permissions. Members never change their organization. @throws Error if the
     * subject belongs to another one
     */
    async grant(subject: string, member: Member): Promise<void> {
      await sql.begin((transaction) => writeMember(transaction, subject, member));
    },
  };
}

export type MemberStore = ReturnType<typeof createMemberStore>;

/**
 * Creates a member or changes its name and permissions, as the owner of the tables. @throws Error if the subject belongs to another
 * organization
 */
export async function writeMember(
  transaction: Transaction,
  subject: string,
  { orgId, name, permissions, role = null }: Member,
): Promise<void> {
  const changed = await transaction`
    insert into members (subject, org_id, name, permissions, role) values (${subject}, ${orgId}, ${name}, ${permissions as string[]}::text[], ${role})
    on conflict (subject) do update set name = excluded.name, permissions = excluded.permissions, role = excluded.role where members.org_id = excluded.org_id
    returning subject`;
  if (changed.length === 0) throw new Error(`${subject} belongs to another organization; use another subject for this one`);
}

/** Returns every organization, or the one with the id, sorted by id. */
export async function readOrganizations(sql: Sql, id: string | null): Promise<readonly { readonly id: string; readonly name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select id, name from organizations ${id === null ? sql`` : sql`where id = ${id}`} order by id`;
}
