/** Checks that an external PostgreSQL is suitable for the service. */
import { openDatabase } from './database.ts';

interface DatabaseFinding {
  /** Sentence with the refusal; null if it is suitable. */
  readonly refusal: string | null;
  /** Description of the server, if it answered. */
  readonly detail: string;
}

const OLDEST = 15;

/** Checks the server in DATABASE_URL; returns within about ten seconds and never shows the password. */
export async function examineDatabase(url: string): Promise<DatabaseFinding> {
  const { hostname, port, pathname } = new URL(url);
  const place = `${hostname || 'localhost'}:${port || 5432}`;
  const refused = (why: string): DatabaseFinding => ({ refusal: `DATABASE_URL: ${why}`, detail: '' });
  const pooled = refused(
    `${place} is a pooler whose sessions are not ours: each connection of the service shows which of its writers opened it, so name PostgreSQL itself`,
  );
  const sql = openDatabase({ url, connections: 1, role: null, name: 'sevengate check', readOnly: true });
  try {
    const [row] = await sql<{ version: number; shown: string; role: string; may: boolean; isOurs: boolean }[]>`
      select current_setting('default_transaction_read_only') = 'on' as "isOurs", current_setting('server_version_num')::int / 10000 as version, current_setting('server_version') as shown, current_user as role,
        (select rolcreaterole or rolsuper from pg_roles where rolname = current_user) or (select count(*) = 4 from pg_roles where rolname in ('sevengate_app', 'sevengate_api', 'sevengate_evaluator', 'sevengate_reader')) as may`;
    if (!row) return refused(`the server at ${place} is not PostgreSQL`);
    if (!row.isOurs) return pooled;
    if (row.version < OLDEST) return refused(`PostgreSQL at ${place} is ${row.shown}, and ${OLDEST} or later is needed`);
    if (!row.may)
      return refused(
        `${row.role} at ${place} may not create the roles sevengate_app, sevengate_api, sevengate_evaluator and sevengate_reader: grant it CREATEROLE, or let an administrator create them`,
      );
    return { refusal: null, detail: `PostgreSQL ${row.shown} at ${place} as ${row.role}` };
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    if (/unsupported startup parameter/.test(message)) return pooled;
    if (code === '28P01' || code === '28000') return refused(`PostgreSQL at ${place} refuses the user or the password (${message})`);
    if (code === '3D000') return refused(`PostgreSQL at ${place} has no database ${pathname.slice(1)}: create it, or name another one`);
    return refused(`no PostgreSQL answers at ${place} (${code || message})`);
  } finally {
    await sql.end({ timeout: 2 });
  }
}
