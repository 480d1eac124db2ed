/** Reads of Takes: lists, single Takes, steps, chart states, and inputs of commands. */
import type { UnaskedTake } from '../../../../actors/take/reread-armed.ts';
import { type PublishedTake, publishedTake, type TakeView, take } from '../../../../actors/take/resource.ts';
import { CATALOG } from '../../../domain/catalog/catalog.ts';
import { DEFAULT_PREFERENCES, type RiskPreferences } from '../../../domain/risk/preferences.ts';
import { listOpen } from '../../../domain/take/reread-take.ts';
import { expectedSlippageOfTake, type Take, type TakeOrigin, type TakeState } from '../../../domain/take/take.ts';
import type { Json } from '../../../domain/values/canonical-json.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { type ActorStep, newestSteps } from '../actors/actor-reads.ts';
import type { ChartState } from '../agents/agent-reads.ts';
import type { Sql } from '../database.ts';
import { createDelegationReads } from '../delegations/delegation-store.ts';
import { pageOfRows } from '../queries.ts';
import { createRowReads, selectColumns } from '../resource-rows.ts';
import { preferencesOfAll, readPreferences } from '../risk/risk-preferences-store.ts';

interface TakeFilter {
  readonly origin: TakeOrigin | null;
  readonly state: TakeState | null;
}

interface Row {
  readonly number: number;
  /** Readings confirmed at the arming, from the actor's state. */
  readonly confirmed: readonly string[] | null;
}

/** Reads a Take. `open` of a Take compiled before it was stored follows from the present reading of its words. */
function readTake(row: Readonly<Record<string, unknown>>): TakeView {
  const view = take.view(row);
  const { confirmed } = row as unknown as Row;
  return { ...view, open: listOpen(view, view.take, view.createdAt, CATALOG), confirmed: confirmed ?? [] };
}

export function createTakeReads(sql: Sql) {
  const confirmed = sql`(select snapshot #> '{context,confirmed}' from actors where actors.id = t.id) as confirmed`;
  const rows = createRowReads(sql, { ...take, view: readTake }, { columns: confirmed, join: sql`` });
  const published = sql`select t.number, ${selectColumns(sql, publishedTake)} from published_takes t`;
  return {
    /** Lists Takes, newest first. */
    list: (orgId: string, { origin, state }: TakeFilter, page: Page): Promise<PageOf<TakeView>> =>
      rows.list(
        orgId,
        page,
        sql`${origin === null ? sql`` : sql`and t.origin = ${origin}`} ${state === null ? sql`` : sql`and t.state = ${state}`}`,
      ),
    find: rows.find,

    /** Returns a published Take, or null. */
    async published(takeId: string): Promise<PublishedTake | null> {
      const [row] = await sql`${published} where t.take = ${takeId}`;
      return row === undefined ? null : publishedTake.view(row);
    },

    /** Lists published Takes of every organization, newest first. */
    async listPublished(_orgId: string, { limit, after }: Page): Promise<PageOf<PublishedTake>> {
      const found = await sql<Pick<Row, 'number'>[]>`
        ${published} ${after === null ? sql`` : sql`where t.number < ${Number(after)}`} order by t.number desc limit ${limit + 1}`;
      const page = pageOfRows(found, limit, (row) => String(row.number));
      return { items: page.items.map((row) => publishedTake.view(row as unknown as Readonly<Record<string, unknown>>)), next: page.next };
    },

    async preferences(orgId: string): Promise<RiskPreferences> {
      return (await readPreferences(sql, orgId)).preferences;
    },

    /** Returns the newest delegation of a wallet to the Take in any state, or null. */
    delegation: createDelegationReads(sql).newest,

    async history(orgId: string, takeId: string, page: Page): Promise<PageOf<ActorStep> | null> {
      const [known, steps] = await Promise.all([
        sql`select 1 from takes where id = ${takeId} and org_id = ${orgId}`,
        newestSteps(sql, takeId, page),
      ]);
      return known.length === 0 ? null : steps;
    },

    async chartState(orgId: string, takeId: string): Promise<ChartState | null> {
      const [row] = await sql<{ machine: string; version: number; status: 'running' | 'done' | 'quarantined'; value: Json }[]>`
        select machine, version, status, snapshot->'value' as value from actors where id = ${takeId} and org_id = ${orgId} and kind = 'take'`;
      return row ?? null;
    },
  };
}

/** Reads of Takes. Each takes the organization; a foreign Take is answered like a missing one. */
export type TakeReads = ReturnType<typeof createTakeReads>;

/** Returns Takes on duty that were compiled before `open` was stored, and whose authors have not been asked. */
export async function unaskedTakes(sql: Sql): Promise<readonly UnaskedTake[]> {
  const rows = await sql<({ readonly orgId: string } & Readonly<Record<string, unknown>>)[]>`
    select t.org_id as "orgId", ${selectColumns(sql, take)} from takes t join actors a on a.id = t.id
    where t.on_duty and not t.compiled ? 'open' and not a.snapshot -> 'context' ?| array['asked', 'confirmed'] order by t.number`;
  return rows.map((row) => ({ id: row['id'] as string, orgId: row.orgId, questions: () => readTake(row).open }));
}

/** Returns the expected slippage of fills of these Takes in basis points; agents have no entry. */
export async function expectedSlippageOfTakes(sql: Sql, takeIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ id: string; canonical: string }[]>`
    select id, canonical from takes where id = any(${takeIds as string[]}::uuid[])`;
  return new Map(rows.map(({ id, canonical }) => [id, readExpectedSlippage(canonical)]));
}

/** Returns 0 for an unreadable Take, so that its breaker trips at once. */
function readExpectedSlippage(canonical: string): number {
  try {
    return expectedSlippageOfTake(JSON.parse(canonical) as Take);
  } catch {
    return 0;
  }
}

/** Returns the maximum daily drawdown in percent of these Takes' mandates; leaves out Takes without live duty. */
export async function drawdownLimits(sql: Sql, takeIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ id: string; org_id: string }[]>`
    select id, org_id from takes where id = any(${takeIds as string[]}::uuid[]) and mode = 'live' and on_duty`;
  const preferences = await preferencesOfAll(sql, [...new Set(rows.map(({ org_id }) => org_id))]);
  return new Map(rows.map(({ id, org_id }) => [id, (preferences.get(org_id)?.preferences ?? DEFAULT_PREFERENCES).maxDailyDrawdownPct]));
}
