/** Store of risk preferences. Every version is kept; the highest is in force. */
import type { PreferencesView } from '../../../../actors/risk-preferences/commands.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import { DEFAULT_PREFERENCES, type RiskPreferences } from '../../../domain/risk/preferences.ts';
import type { Sql, Transaction } from '../database.ts';
import { type Query, runQuery } from '../queries.ts';

export interface PreferencesRow {
  version: number;
  body: RiskPreferences;
  set_by: string;
  /** Text if the row is part of a JSON result. */
  set_at: Date | string;
}

/** Preferences of an organization that never set any. */
export const NEVER_SET: PreferencesView = { version: 0, preferences: DEFAULT_PREFERENCES, setBy: null, setAt: null };

export function storedPreferences({ version, body, set_by, set_at }: PreferencesRow): PreferencesView {
  // Fields added by a later version of the service have their defaults.
  return { version, preferences: { ...DEFAULT_PREFERENCES, ...body }, setBy: set_by, setAt: new Date(set_at).toISOString() };
}

/** Reads an organization's present preferences. */
export async function readPreferences(sql: Sql | Transaction, orgId: string): Promise<PreferencesView> {
  return runQuery(preferencesQuery(sql, orgId));
}

/** Query of an organization's present preferences, to be combined with others. */
export function preferencesQuery(sql: Sql | Transaction, orgId: string): Query<PreferencesView> {
  return {
    statement: sql`select version, body, set_by, set_at from risk_preferences where org_id = ${orgId} order by version desc limit 1`,
    read: ([row]: PreferencesRow[]) => (row === undefined ? NEVER_SET : storedPreferences(row)),
  };
}

/** Reads the present preferences of organizations; those with defaults have no entry. */
export async function preferencesOfAll(sql: Sql | Transaction, orgIds: readonly string[]): Promise<ReadonlyMap<string, PreferencesView>> {
  if (orgIds.length === 0) return new Map();
  const rows = await sql<(PreferencesRow & { org_id: string })[]>`
    select distinct on (org_id) org_id, version, body, set_by, set_at from risk_preferences
    where org_id = any(${orgIds as string[]}::uuid[]) order by org_id, version desc`;
  return new Map(rows.map((row) => [row.org_id, storedPreferences(row)]));
}

/** Writes the next versions after waiting for transactions that hold an execution permit. */
export async function writePreferences(transaction: Transaction, records: readonly ActorRecord[]): Promise<void> {
  for (const { orgId, version, preferences, setBy, setAt } of records) {
    await transaction`select 1 from control where org_id = ${orgId as string} for no key update`;
    await transaction`
      insert into risk_preferences (org_id, version, body, set_by, set_at)
      values (${orgId as string}, ${version as number}, ${transaction.json(preferences)}, ${setBy as string}, ${setAt as string}::timestamptz)`;
  }
}
