/** Store of a member's settings. Other members cannot see them. */
import { MOST_SETTINGS, type Setting } from '../../../domain/identity/member.ts';
import { type Outcome, refuse } from '../../../domain/values/refusal.ts';
import type { Sql } from '../database.ts';

export function createMemberSettings(sql: Sql) {
  return {
    /** Lists the settings of a member, sorted by name. */
    list: async (orgId: string, subject: string): Promise<readonly Setting[]> => sql<Setting[]>`
      select name, version, value from member_settings where org_id = ${orgId} and subject = ${subject} order by name`,

    /** Writes, or removes with the value null, a setting that still has the version. @param asked.version 0 to create it. */
    async keep(orgId: string, subject: string, asked: Setting): Promise<Outcome<Setting>> {
      const { name, version } = asked;
      try {
        const [written] = await write(sql, orgId, subject, asked);
        if (written !== undefined) return { ok: true, value: written };
      } catch (error) {
        if ((error as { constraint_name?: string }).constraint_name !== 'member_settings_number') throw error;
        return refuse(
          'state_conflict',
          `you have ${MOST_SETTINGS} settings, and no more are kept: remove one by sending it with the value null`,
        );
      }
      const [now] = await sql<{ version: number }[]>`
        select version from member_settings where org_id = ${orgId} and subject = ${subject} and name = ${name}`;
      if (now === undefined && asked.value === null) return { ok: true, value: { ...asked, version: 0 } };
      return refuse(
        'state_conflict',
        `setting ${name} has version ${now?.version ?? 0}, not ${version}: read it again and decide which one to keep`,
      );
    },
  };
}

export type MemberSettings = ReturnType<typeof createMemberSettings>;

/** Writes a setting. Returns no row if it has another version. */
function write(sql: Sql, orgId: string, subject: string, { name, version, value }: Setting) {
  if (value === null)
    return sql<Setting[]>`
      delete from member_settings where org_id = ${orgId} and subject = ${subject} and name = ${name} and version = ${version}
      returning name, 0 as version, null as value`;
  if (version === 0)
    return sql<Setting[]>`
      insert into member_settings (org_id, subject, name, version, value) values (${orgId}, ${subject}, ${name}, 1, ${value})
      on conflict do nothing returning name, version, value`;
  return sql<Setting[]>`
    update member_settings set version = version + 1, value = ${value}
    where org_id = ${orgId} and subject = ${subject} and name = ${name} and version = ${version} returning name, version, value`;
}
