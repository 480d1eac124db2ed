/**
 * The logins that the service works with: none owns a table, none can become another. The application's cannot write
 * evidence, the evaluator's cannot write anything else, and that which serves callers sees one organization at a time;
 * only migrations run as the owner.
 */
import { createHmac } from 'node:crypto';
import { inTransaction } from './actors/actor-store.ts';
import { API_ROLE } from './callers/as-organization.ts';
import { openDatabase, type Sql } from './database.ts';
import { EVALUATOR_ROLE } from './gates/evidence-store.ts';

export interface Logins {
  /** Secrets all: passwords are in them. */
  readonly appUrl: string;
  readonly apiUrl: string;
  readonly evaluatorUrl: string;
  /**
   * Null if the logins are separate; else why the owner's own login had to be used, which could disable what guards the gates and the
   * organizations.
   */
  readonly shared: string | null;
  /** Functions of the server itself that stay open to every login (ending sessions, locks by name): only a superuser takes them away. */
  readonly openFunctions: readonly string[];
}

const APP_ROLE = 'sevengate_app';

/**
 * Makes the logins of a migrated database if they are missing and answers with their addresses. Their passwords are derived from the
 * owner's, so that every process of the service comes to the same ones and none lies on a disk.
 * @throws Error if the database does not answer, or where the one login that has to serve may not be the role that serves callers.
 */
export async function separateLogins(ownerUrl: string): Promise<Logins> {
  const owner = openDatabase({ url: ownerUrl, connections: 1, role: null, name: 'sevengate logins' });
  try {
    const appUrl = await login(owner, ownerUrl, 'sevengate_app_login', APP_ROLE);
    const apiUrl = await login(owner, ownerUrl, 'sevengate_api_login', API_ROLE);
    const evaluatorUrl = await login(owner, ownerUrl, 'sevengate_evaluator_login', EVALUATOR_ROLE);
    return { appUrl, apiUrl, evaluatorUrl, shared: null, openFunctions: await openFunctions(owner) };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    // Not allowed to make roles or to grant them; anything else is no question of rights.
    if (code !== '42501') throw error;
    const [found] = await owner<{ who: string; may: boolean }[]>`select current_user as who, pg_has_role(${API_ROLE}, 'member') as may`;
    if (found?.may !== true)
      throw new Error(`the login ${found?.who} can neither make logins nor be ${API_ROLE}, which serves callers: grant it ${API_ROLE}`, {
        cause: error,
      });
    return { appUrl: ownerUrl, apiUrl: ownerUrl, evaluatorUrl: ownerUrl, shared: message, openFunctions: await openFunctions(owner) };
  } finally {
    await owner.end({ timeout: 2 });
  }
}

async function openFunctions(owner: Sql): Promise<readonly string[]> {
  const rows = await owner<{ name: string }[]>`
    select distinct proname as name from pg_proc where pronamespace = 'pg_catalog'::regnamespace
    and (proname ~ '^pg_(try_)?advisory_' or proname in ('pg_terminate_backend', 'pg_cancel_backend'))
    and has_function_privilege(${APP_ROLE}, oid, 'execute') order by proname`;
  return rows.map(({ name }) => name);
}

async function login(owner: Sql, ownerUrl: string, name: string, role: string): Promise<string> {
  const url = new URL(ownerUrl);
  const password = createHmac('sha256', `${url.username}:${url.password}`).update(`${name} of ${url.pathname}`).digest('hex');
  const [made] = await inTransaction(
    owner,
    (transaction) => transaction<{ user: string }[]>`select ensure_login(${name}, ${role}, ${password}) as user`,
  );
  url.username = (made as { user: string }).user;
  url.password = password;
  return url.href;
}
