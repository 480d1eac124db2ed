/** Launches in PostgreSQL: their projection, and how lists and monitors read it. */
import type { LaunchView } from '../../../../actors/launch/commands.ts';
import type { LaunchReads, LaunchTransaction, OwnFill } from '../../../../api/v1/launches/ports.ts';
import type { ActorRecord } from '../../../domain/actor-step.ts';
import type { CurveLaunchState, CurveState } from '../../../domain/launch/launch-state.ts';
import type { LauncherLaunchState, LauncherLaunchView } from '../../../domain/launch/launcher.ts';
import type { EpochMs } from '../../../domain/time.ts';
import type { InstrumentKey } from '../../../domain/venue.ts';
import type { Sql, Transaction } from '../database.ts';
import { pageOfRows } from '../page-of-rows.ts';

type Terms = Pick<
  LaunchView,
  | 'preset'
  | 'quoteSymbol'
  | 'quoteProgram'
  | 'quoteDecimals'
  | 'startingFdv'
  | 'totalSupply'
  | 'decimals'
  | 'name'
  | 'uri'
  | 'partner'
  | 'config'
  | 'pool'
>;

type LauncherTerms = Pick<
  LauncherLaunchView,
  'name' | 'description' | 'imageUrl' | 'quoteSymbol' | 'creatorFeeBps' | 'lamports' | 'payTo' | 'validUntil'
>;

interface Row {
  readonly id: string;
  readonly number: number;
  readonly kind: 'curve' | 'launcher';
  readonly state: string;
  readonly mint: string | null;
  readonly symbol: string;
  readonly creator: string;
  readonly quote_mint: string;
  readonly paired_stock: InstrumentKey | null;
  readonly agent_id: string | null;
  readonly take_id: string | null;
  readonly terms: Terms | LauncherTerms;
  readonly outcome: Pick<LauncherLaunchView, 'launchTransaction'> | null;
  readonly signatures: readonly string[];
  readonly standing: CurveState | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly prepared_by: string;
  readonly submitted_by: string | null;
  readonly trading_since: EpochMs | null;
  readonly created_at: EpochMs;
  readonly changed_at: EpochMs;
}

/** Writes where launches stand; where one step projects twice, the last row is what it leaves. */
export function writeLaunches(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  const last = [...new Map(rows.map((row) => [row['id'], row])).values()];
  return transaction`
    insert into launches (id, org_id, kind, state, mint, symbol, creator, quote_mint, paired_stock, agent_id, take_id, terms, signatures, standing,
      reason, detail, prepared_by, submitted_by, trading_since, created_at, changed_at, outcome)
    select id, "orgId", kind, state, mint, symbol, creator, "quoteMint", "pairedStock", "agentId", "takeId", terms, signatures, nullif(standing, 'null'::jsonb),
      reason, detail, "preparedBy", "submittedBy", "tradingSince", "createdAt", "changedAt", nullif(outcome, 'null'::jsonb)
    from jsonb_to_recordset(${transaction.json(last as never)}) as r(id uuid, "orgId" uuid, kind text, state text, mint text, symbol text, creator text,
      "quoteMint" text, "pairedStock" text, "agentId" uuid, "takeId" uuid, terms jsonb, signatures text[], standing jsonb, reason text, detail text,
      "preparedBy" text, "submittedBy" text, "tradingSince" bigint, "createdAt" bigint, "changedAt" bigint, outcome jsonb)
    on conflict (id) do update set state = excluded.state, mint = excluded.mint, outcome = excluded.outcome, signatures = excluded.signatures, standing = excluded.standing, reason = excluded.reason,
      detail = excluded.detail, submitted_by = excluded.submitted_by, trading_since = excluded.trading_since, changed_at = excluded.changed_at`;
}

/** Lists tokens; one whose mint or symbol is listed already stays as it is. */
export function writeListedTokens(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  return transaction`
    insert into listed_tokens (mint, program, symbol, name, decimals, paired_stock, launcher, listed_at, origin)
    select mint, program, symbol, name, decimals, "pairedStock", launcher, "listedAt", origin
    from jsonb_to_recordset(${transaction.json(rows as never)})
      as r(mint text, program text, symbol text, name text, decimals int, "pairedStock" text, launcher text, "listedAt" bigint, origin jsonb)
    on conflict do nothing`;
}

export function createLaunchStore(sql: Sql): LaunchReads {
  return {
    /** Newest first. The position is the last launch's number. */
    async list(orgId, { limit, after }) {
      const rows = await sql<Row[]>`
        select * from launches where org_id = ${orgId} ${after === null ? sql`` : sql`and number < ${Number(after)}`}
        order by number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row.number));
      return { items: page.items.map(viewOf), next: page.next };
    },

    /** Null if the organization has no such launch. */
    async find(orgId, id) {
      const [row] = await sql<Row[]>`select * from launches where id = ${id} and org_id = ${orgId}`;
      return row === undefined ? null : viewOf(row);
    },

    async transactions(orgId, id) {
      return sql<LaunchTransaction[]>`
        select id, wallet, state, unsigned, message, signature from prepared_transactions
        where org_id = ${orgId} and purpose in ('launch', 'launcher_payment') and subject->>'launchId' = ${id}
        order by number`;
    },

    async curveStates(orgId, id, most) {
      const rows = await sql<{ standing: CurveState }[]>`
        select standing from (
          select version, standing, lag(told) over (order by version) as before, told from (
            select s.version, s.event->'answer'->'standing' as standing,
              concat_ws(' ', s.event->'answer'->'standing'->>'sqrtPrice', s.event->'answer'->'standing'->>'migrationProgress') as told
            from steps s join launches l on l.id = s.actor_id
            where l.id = ${id} and l.org_id = ${orgId} and s.event->'answer'->>'outcome' = 'looked') as looks) as compared
        where told is distinct from before order by version desc limit ${most}`;
      return rows.map(({ standing }) => standing).reverse();
    },

    async fills(orgId, mint) {
      return sql<OwnFill[]>`
        select f.at, f.side, f.quantity::text, f.fill_price::text as "fillPrice", f.order_id as "orderId"
        from prepared_transactions t join fills f on f.order_id = t.id::text
        where t.org_id = ${orgId} and t.purpose = 'swap' and t.state = 'finalized'
          and ${mint} in (t.subject->'promise'->'input'->>'mint', t.subject->'promise'->'output'->>'mint')
        order by f.number`;
    },
  };
}

function viewOf(row: Row): LaunchView | LauncherLaunchView {
  return row.kind === 'curve' ? curveViewOf(row) : launcherViewOf(row);
}

function launcherViewOf(row: Row): LauncherLaunchView {
  const { name, description, imageUrl, quoteSymbol, creatorFeeBps, lamports, payTo, validUntil } = row.terms as LauncherTerms;
  return {
    id: row.id,
    kind: 'launcher',
    state: row.state as LauncherLaunchState,
    mint: row.mint,
    name,
    symbol: row.symbol,
    description,
    imageUrl,
    creator: row.creator,
    quoteMint: row.quote_mint,
    quoteSymbol,
    pairedStock: row.paired_stock as InstrumentKey,
    creatorFeeBps,
    agentId: row.agent_id as string,
    lamports,
    payTo,
    validUntil,
    launchTransaction: row.outcome?.launchTransaction ?? null,
    signatures: row.signatures,
    reason: row.reason,
    detail: row.detail,
    preparedBy: row.prepared_by,
    submittedBy: row.submitted_by,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

function curveViewOf(row: Row): LaunchView {
  const { preset, quoteSymbol, quoteProgram, quoteDecimals, startingFdv, totalSupply, decimals, name, uri, partner, config, pool } =
    row.terms as Terms;
  return {
    id: row.id,
    kind: 'curve',
    state: row.state as CurveLaunchState,
    mint: row.mint as string,
    symbol: row.symbol,
    creator: row.creator,
    quoteMint: row.quote_mint,
    pairedStock: row.paired_stock,
    agentId: row.agent_id,
    takeId: row.take_id,
    preset,
    quoteSymbol,
    quoteProgram,
    quoteDecimals,
    startingFdv,
    totalSupply,
    decimals,
    name,
    uri,
    partner,
    config,
    pool,
    signatures: row.signatures,
    standing: row.standing,
    reason: row.reason,
    detail: row.detail,
    preparedBy: row.prepared_by,
    submittedBy: row.submitted_by,
    tradingSince: row.trading_since,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}
