/** Books to be closed: of agents stopped by a circuit breaker, and of agents and Takes that a person closes. */
import type { ActorStart } from '../../../domain/agents/actor-step.ts';
import type { Autonomy } from '../../../domain/agents/agent.ts';
import type { Position } from '../../../domain/books/book.ts';
import type { Closing } from '../../../domain/orders/execution.ts';
import type { ExecutionMode } from '../../../domain/orders/order.ts';
import { DEFAULT_PREFERENCES } from '../../../domain/risk/preferences.ts';
import { CLOSING } from '../../../domain/take/take.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { inTransaction, writeStarts } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import { preferencesOfAll } from '../risk/risk-preferences-store.ts';
import { holdsNow } from '../asked-together.ts';

interface TrippedRow {
  id: string;
  org_id: string;
  autonomy: Autonomy;
  manifest_version: number;
  manifest_hash: string;
  max_slippage_bps: number;
  epoch: number;
  book_id: string;
  mode: ExecutionMode;
  holdings: readonly Position[];
  closing: readonly Closing[];
  everything: boolean;
  open: readonly string[];
}

export function createKillSwitchStore(sql: Sql) {
  return {
    async tripped() {
      const isToClose = sql`exists (select 1 from traders where paused_by_breaker or closed_by_hand)`;
      if (!(await holdsNow(sql, isToClose))) return [];
      const rows = await sql<TrippedRow[]>`
        with tripped as (
          select a.id, a.org_id, a.autonomy, a.manifest_version, a.manifest_hash, a.stage in ('limited_live', 'live') as live, a.closing,
            coalesce(t.paused_by_breaker and readable_json(m.canonical)->>'killSwitchAction' = 'reduce_to_flat', false) as flat
          from agents a join traders t on t.id = a.id join manifests m on m.agent_id = a.id and m.version = a.manifest_version
          where t.paused_by_breaker or t.closed_by_hand
          union all
          select id, org_id, 'policy_auto', manifest_version, manifest_hash, mode = 'live', '[]', true from takes where state = 'disarmed' and reason = ${CLOSING}
        )
        select a.id, a.org_id, a.autonomy, m.version as manifest_version, m.hash as manifest_hash, readable_json(m.canonical)->'maxSlippageBps' as max_slippage_bps,
          c.epoch, b.id as book_id, b.mode, b.holdings, a.closing, a.flat and (b.mode = 'live') = a.live and m.version = a.manifest_version as everything,
          array(select p.instrument from proposals p where p.book_id = b.id and p.state in ('pending_approval', 'approved', 'executing', 'unknown')) as open
        from tripped a join control c on c.org_id = a.org_id join books b on b.agent_id = a.id
        -- The paper book of an earlier version is sold in the name of that version.
        join manifests m on m.agent_id = a.id and m.version = coalesce(b.manifest_version, a.manifest_version)
          and (a.closing <> '[]' or (a.flat and (b.mode = 'live') = a.live and m.version = a.manifest_version))
        where b.holdings <> '[]' and jsonb_typeof(b.holdings) = 'array'
        order by a.id, b.id`;
      const preferences = await preferencesOfAll(sql, [...new Set(rows.map(({ org_id }) => org_id))]);
      return rows.map((row) => ({
        id: row.id,
        orgId: row.org_id,
        autonomy: row.autonomy,
        manifestVersion: row.manifest_version,
        manifestHash: row.manifest_hash,
        // A stricter mandate must not prevent leaving a position.
        maxSlippageBps: Math.min(row.max_slippage_bps, (preferences.get(row.org_id)?.preferences ?? DEFAULT_PREFERENCES).maxSlippageBps),
        epoch: row.epoch,
        bookId: row.book_id,
        mode: row.mode,
        closing: row.closing,
        everything: row.everything,
        holdings: row.holdings.filter(({ instrument }) => !row.open.includes(instrument)),
      }));
    },

    async closing() {
      if (!(await holdsNow(sql, sql`exists (select 1 from agents where closing <> '[]')`))) return [];
      return sql<
        {
          id: string;
          orgId: string;
          closing: readonly Closing[];
          held: readonly Position[];
          underWay: readonly InstrumentKey[];
        }[]
      >`
        select a.id, a.org_id as "orgId", a.closing,
          coalesce((select jsonb_agg(h) from books b, readable_elements(b.holdings) h
            where b.agent_id = a.id), '[]') as held,
          array(select p.instrument from proposals p where p.agent_id = a.id and p.state in ('pending_approval', 'approved', 'executing', 'unknown')) as "underWay"
        from agents a where a.closing <> '[]' order by a.id`;
    },

    async start(start: ActorStart): Promise<boolean> {
      try {
        await inTransaction(sql, (transaction) => writeStarts(transaction, [start]));
        return true;
      } catch (error) {
        // Another process created this minute's order first.
        if ((error as { code?: string }).code === '23505') return false;
        throw error;
      }
    },
  };
}
