/** Reads of Takes: lists, single Takes, steps, chart states, and inputs of commands. */
import type { PublishedTake, TakeReading, TakeView } from '../../../../actors/take/commands.ts';
import type { UnaskedTake } from '../../../../actors/take/reread-armed.ts';
import type { Delegation } from '../../../domain/identity/delegation.ts';
import type { Json } from '../../../domain/values/canonical-json.ts';
import { CATALOG } from '../../../domain/catalog/catalog.ts';
import type { ExecutionMode } from '../../../domain/orders/order.ts';
import { DEFAULT_PREFERENCES, type RiskPreferences } from '../../../domain/risk/preferences.ts';
import { openOf } from '../../../domain/take/reread-take.ts';
import { expectedSlippageOfTake, type Take, type TakeOrigin, type TakeState } from '../../../domain/take/take.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { type ActorStep, newestSteps } from '../actors/step-reads.ts';
import type { ChartState } from '../agents/agent-reads.ts';
import type { Sql } from '../database.ts';
import { newestDelegation } from '../delegations/delegation-store.ts';
import { pageOfRows } from '../page-of-rows.ts';
import { preferencesOf, preferencesOfAll } from '../risk/risk-preferences-store.ts';

export interface TakeFilter {
  readonly origin: TakeOrigin | null;
  readonly state: TakeState | null;
}

interface TakeRow {
  readonly id: string;
  readonly number: number;
  readonly symbol: string;
  readonly canonical: string;
  readonly hash: string;
  readonly manifest_hash: string;
  /** Compiled reading; Takes compiled before `open` was stored lack that field. */
  readonly compiled: Omit<TakeReading, 'open'> & { readonly open?: readonly string[] };
  readonly state: TakeState;
  readonly on_duty: boolean;
  readonly mode: ExecutionMode | null;
  readonly reason: string | null;
  readonly lineage: readonly string[];
  readonly published_at: number | null;
  readonly created_by: string;
  readonly created_at: number;
  readonly armed_at: number | null;
  readonly changed_at: number;
  readonly confirmed: readonly string[] | null;
}

function takeOf(row: TakeRow): TakeView {
  const { thesis, understood, assumed, notUnderstood } = row.compiled;
  const take = JSON.parse(row.canonical) as Take;
  return {
    id: row.id,
    state: row.state,
    onDuty: row.on_duty,
    hash: row.hash,
    take,
    manifestHash: row.manifest_hash,
    symbol: row.symbol,
    confirmed: row.confirmed ?? [],
    mode: row.mode,
    reason: row.reason,
    lineage: row.lineage,
    publishedAt: row.published_at,
    createdBy: row.created_by,
    createdAt: row.created_at,
    armedAt: row.armed_at,
    changedAt: row.changed_at,
    thesis,
    understood,
    assumed,
    notUnderstood,
    open: openOf(row.compiled, take, row.created_at, CATALOG),
  };
}

interface PublishedRow
  extends Pick<TakeRow, 'number' | 'symbol' | 'canonical' | 'hash' | 'manifest_hash' | 'compiled' | 'lineage' | 'created_at'> {
  readonly take: string;
  readonly published_at: number;
}

function publishedOf(row: PublishedRow): PublishedTake {
  const { thesis, understood, assumed, notUnderstood } = row.compiled;
  const take = JSON.parse(row.canonical) as Take;
  return {
    id: row.take,
    hash: row.hash,
    take,
    manifestHash: row.manifest_hash,
    symbol: row.symbol,
    lineage: row.lineage,
    createdAt: row.created_at,
    publishedAt: row.published_at,
    thesis,
    understood,
    assumed,
    notUnderstood,
    open: openOf(row.compiled, take, row.created_at, CATALOG),
  };
}

export function createTakeReads(sql: Sql) {
  const columns = sql`id, number, symbol, canonical, hash, manifest_hash, compiled, state, on_duty, mode, reason, lineage, published_at, created_by, created_at, armed_at, changed_at,
    (select snapshot #> '{context,confirmed}' from actors where actors.id = takes.id) as confirmed`;
  const publishedColumns = sql`take, number, symbol, canonical, hash, manifest_hash, compiled, lineage, created_at, published_at`;
  return {
    /** Lists Takes, newest first. */
    async list(orgId: string, filter: TakeFilter, { limit, after }: Page): Promise<PageOf<TakeView>> {
      const rows = await sql<TakeRow[]>`
        select ${columns} from takes where org_id = ${orgId}
          ${filter.origin === null ? sql`` : sql`and origin = ${filter.origin}`} ${filter.state === null ? sql`` : sql`and state = ${filter.state}`}
          ${after === null ? sql`` : sql`and number < ${Number(after)}`}
        order by number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row.number));
      return { items: page.items.map(takeOf), next: page.next };
    },

    /** Returns a Take; null if the organization has none with the id. */
    async find(orgId: string, takeId: string): Promise<TakeView | null> {
      const [row] = await sql<TakeRow[]>`select ${columns} from takes where id = ${takeId} and org_id = ${orgId}`;
      return row === undefined ? null : takeOf(row);
    },

    /** Returns a published Take, or null. */
    async published(takeId: string): Promise<PublishedTake | null> {
      const [row] = await sql<PublishedRow[]>`select ${publishedColumns} from published_takes where take = ${takeId}`;
      return row === undefined ? null : publishedOf(row);
    },

    /** Lists published Takes of every organization, newest first. */
    async listPublished(_orgId: string, { limit, after }: Page): Promise<PageOf<PublishedTake>> {
      const rows = await sql<PublishedRow[]>`
        select ${publishedColumns} from published_takes ${after === null ? sql`` : sql`where number < ${Number(after)}`} order by number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row.number));
      return { items: page.items.map(publishedOf), next: page.next };
    },

    async preferences(orgId: string): Promise<RiskPreferences> {
      return (await preferencesOf(sql, orgId)).preferences;
    },

    /** Returns the newest delegation of a wallet to the Take in any state, or null. */
    delegation: (orgId: string, takeId: string): Promise<Delegation | null> => newestDelegation(sql, orgId, takeId),

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
  const rows = await sql<(Pick<TakeRow, 'id' | 'canonical' | 'compiled' | 'created_at'> & { readonly org_id: string })[]>`
    select t.id, t.org_id, t.canonical, t.compiled, t.created_at from takes t join actors a on a.id = t.id
    where t.on_duty and not t.compiled ? 'open' and not a.snapshot -> 'context' ?| array['asked', 'confirmed'] order by t.number`;
  return rows.map(({ id, org_id, canonical, compiled, created_at }) => ({
    id,
    orgId: org_id,
    questions: () => openOf(compiled, JSON.parse(canonical) as Take, created_at, CATALOG),
  }));
}

/** Returns the expected slippage of fills of these Takes in basis points; agents have no entry. */
export async function expectedSlippageOfTakes(sql: Sql, takeIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ id: string; canonical: string }[]>`
    select id, canonical from takes where id = any(${takeIds as string[]}::uuid[])`;
  return new Map(rows.map(({ id, canonical }) => [id, expectedOf(canonical)]));
}

/** Returns 0 for an unreadable Take, so that its breaker trips at once. */
function expectedOf(canonical: string): number {
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
