/** Reads of recommendations: decisions of an organization's agents that asked for a trade and made no proposal. */
import { decision, type PackedDecision } from '../../../../actors/ticking/resource.ts';
import type { DecisionRecord } from '../../../domain/agents/decision.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { Sql } from '../database.ts';
import { pageOfRows } from '../page-of-rows.ts';
import { movedBefore } from '../trail/history-archive.ts';
import { selectColumns } from '../resource-rows.ts';
import type { DecisionStore } from './decision-reads.ts';

/** Decision that asked for a trade without making a proposal. */
export interface Recommendation {
  readonly decision: DecisionRecord;
  readonly agentName: string;
}

export function createRecommendations(sql: Sql, decisions: Pick<DecisionStore, 'assemble'>) {
  /** Lists recommendations, newest first. The position is the last one's slot and agent, `slot|agent`. */
  return async (orgId: string, { limit, after }: Page): Promise<PageOf<Recommendation>> => {
    const [slot = '', agentId = ''] = after?.split('|') ?? [];
    const [before, rows] = await Promise.all([
      movedBefore(sql),
      sql<(PackedDecision & { readonly name: string })[]>`
        select ${selectColumns(sql, decision, 'd')}, a.name from decisions d join agents a on a.id = d.agent_id
        where a.org_id = ${orgId} and d.disposition in ('propose_entry', 'propose_exit')
          and not exists (select 1 from proposals p where p.agent_id = d.agent_id and p.slot = d.slot)
          ${after === null ? sql`` : sql`and (d.slot, d.agent_id) < (${Number(slot)}, ${agentId}::uuid)`}
        order by d.slot desc, d.agent_id desc limit ${limit + 1}`,
    ]);
    const kept = rows.filter((row) => row.slot >= (before ?? 0));
    const page = pageOfRows(kept, limit, (row) => `${row.slot}|${row.agentId}`);
    const records = await decisions.assemble(page.items);
    return { items: records.map((record, place) => ({ decision: record, agentName: page.items[place]?.name ?? '' })), next: page.next };
  };
}

export type Recommendations = ReturnType<typeof createRecommendations>;
