/**
 * Database logins of the service. None owns a table or can become another role: the application's cannot write evidence, the evaluator's
 * cannot write anything else, and the API's sees one organization at a time. Only migrations run as the owner.
 */
import { createHmac } from 'node:crypto';
import { inTransaction } from './actors/actor-store.ts';
import { API_ROLE } from './callers/as-organization.ts';
import { openDatabase, type Sql } from './database.ts';
import { EVALUATOR_ROLE } from './gates/evidence-store.ts';

export interface Logins {
  /** URLs with passwords: secrets. */
  readonly appUrl: string;
  readonly apiUrl: string;
  readonly evaluatorUrl: string;
  /**
   * Null if the logins are separate. Otherwise the reason why the owner's login is used, which could disable the protection of gates and
   * organizations.
   */
  readonly shared: string | null;
  /** Functions of the server that stay open to every login (ending sessions, named locks), because only a superuser can revoke them. */
  readonly openFunctions: readonly string[];
}

const APP_ROLE = 'sevengate_app';

/**
 * Creates missing logins of a migrated database and returns their addresses. Passwords are derived from the owner's, so that every process
 * computes the same ones and none is stored. @throws Error if the database does not answer, or if the fallback login may not use the API's
 * role
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
    // 42501: no permission to create or grant roles. Other errors are thrown.
    if (code !== '42501') throw error;
    const [found] = await owner<{ who: string; may: boolean }[]>`select current_user as who, pg_has_role(${API_ROLE}, 'member') as may`;
    if (found?.may !== true)
      throw new Error(`the login ${found?.who} can neither create logins nor use the role ${API_ROLE}: grant it ${API_ROLE}`, {
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
