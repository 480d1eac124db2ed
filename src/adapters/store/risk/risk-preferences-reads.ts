/** Risk preferences for the API and its command handler: present values, history, changes. */
import type { PreferencesView } from '../../../../actors/risk-preferences/commands.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import { pageOfRows } from '../queries.ts';
import { type PreferencesRow, readPreferences, storedPreferences } from './risk-preferences-store.ts';

/** Lists stored versions, newest first. The position is the last version. */
async function preferencesHistory(sql: Sql, orgId: string, { limit, after }: Page): Promise<PageOf<PreferencesView>> {
  const rows = await sql<PreferencesRow[]>`
    select version, body, set_by, set_at from risk_preferences
    where org_id = ${orgId} ${after === null ? sql`` : sql`and version < ${Number(after)}::bigint`} order by version desc limit ${limit + 1}`;
  const page = pageOfRows(rows, limit, ({ version }) => String(version));
  return { items: page.items.map(storedPreferences), next: page.next };
}

/** Creates the preference store of the API and the command handler. */
export function createPreferencesStore(sql: Sql) {
  return {
    current: (orgId: string): Promise<PreferencesView> => readPreferences(sql, orgId),
    history: (orgId: string, page: Page): Promise<PageOf<PreferencesView>> => preferencesHistory(sql, orgId, page),
    /**
     * Resolves when the executions that are under way now have ended. An execution takes its lease before it reads the preferences, so
     * later ones use the new ones.
     */
    async executionsEnded(orgId: string): Promise<void> {
      const live = await sql<
        { key: string }[]
      >`select key from execution_leases where org_id = ${orgId} and held_until > clock_timestamp()`;
      const keys = live.map(({ key }) => key);
      while (keys.length > 0) {
        const [going] = await sql`
          select pg_sleep(0.01) from (select 1 from execution_leases where key = any(${keys}::text[]) and held_until > clock_timestamp() limit 1) going`;
        if (going === undefined) return;
      }
    },

    async change(records: readonly ActorRecord[]): Promise<boolean> {
      try {
        await inTransaction(sql, (transaction) => writeRecords(transaction, records));
        return true;
      } catch (error) {
        const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
        if (code === '23505' && constraint === 'risk_preferences_pkey') return false;
        throw error;
      }
    },
  };
}

export type PreferencesStore = ReturnType<typeof createPreferencesStore>;
