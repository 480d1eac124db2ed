/** Store of launches, with the reads of lists and monitors. */
import { type Launch, launch } from '../../../../actors/launch/resource.ts';
import { type LauncherLaunch, launcherLaunch } from '../../../../actors/launcher-launch/resource.ts';
import type { PreparedTransactionView } from '../../../../actors/prepared-transaction/resource.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Fill } from '../../../domain/books/book.ts';
import type { CurveState } from '../../../domain/launch/launch-state.ts';
import type { Sql, Transaction } from '../database.ts';
import { createRowReads } from '../resource-rows.ts';

/** Swap of the organization: quantity in whole tokens, price in US dollars. */
type OwnFill = Pick<Fill, 'at' | 'side' | 'quantity' | 'fillPrice' | 'orderId'>;

/** Transaction of a launch, or the payment to the external launcher. */
type LaunchTransaction = Pick<PreparedTransactionView, 'id' | 'wallet' | 'state' | 'unsigned' | 'message' | 'signature'>;

/** Launch of either kind; both are in one table. */
const anyLaunch = {
  table: launch.table,
  select: (table: string) => [...new Set([...launch.select(table), ...launcherLaunch.select(table)])],
  view: (row: Readonly<Record<string, unknown>>): Launch | LauncherLaunch =>
    row['kind'] === 'curve' ? launch.view(row) : launcherLaunch.view(row),
};

/** Lists tokens; one whose mint or symbol is listed already is not changed. */
export function writeListedTokens(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  return transaction`
    insert into listed_tokens (mint, program, symbol, name, decimals, paired_stock, launcher, listed_at, origin)
    select mint, program, symbol, name, decimals, "pairedStock", launcher, "listedAt", origin
    from jsonb_to_recordset(${transaction.json(rows)})
      as r(mint text, program text, symbol text, name text, decimals int, "pairedStock" text, launcher text, "listedAt" bigint, origin jsonb)
    on conflict do nothing`;
}

export function createLaunchStore(sql: Sql) {
  return {
    ...createRowReads(sql, anyLaunch),

    /** Returns the wallet's transactions in order of landing; empty if the organization has no such launch. */
    async transactions(orgId: string, id: string): Promise<readonly LaunchTransaction[]> {
      return sql<LaunchTransaction[]>`
        select id, wallet, state, unsigned, message, signature from prepared_transactions
        where org_id = ${orgId} and purpose in ('launch', 'launcher_payment') and subject->>'launchId' = ${id}
        order by number`;
    },

    /** Returns the newest states of the curve with a changed price or progress, ascending. */
    async curveStates(orgId: string, id: string, most: number): Promise<readonly CurveState[]> {
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

    /** Returns the organization's swaps of a mint, ascending. */
    async fills(orgId: string, mint: string): Promise<readonly OwnFill[]> {
      return sql<OwnFill[]>`
        select f.at, f.side, f.quantity::text, f.fill_price::text as "fillPrice", f.order_id as "orderId"
        from prepared_transactions t join fills f on f.order_id = t.id::text
        where t.org_id = ${orgId} and t.purpose = 'swap' and t.state = 'finalized'
          and ${mint} in (t.subject->'promise'->'input'->>'mint', t.subject->'promise'->'output'->>'mint')
        order by f.number`;
    },
  };
}

/** Reads of launches, newest first; a foreign one is answered like a missing one. */
export type LaunchReads = ReturnType<typeof createLaunchStore>;
