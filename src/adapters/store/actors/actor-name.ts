/** SQL column of an actor's name in lists. */
import type { Sql } from '../database.ts';

/**
 * Builds the column: the name of the agent or of the evaluated agent, the instrument of an order, the asset of a transfer, the symbol of a
 * token or Take, or a transaction's purpose; null for other actors. The query has `a` of actors and `g` of agents. An outcome of a
 * prediction market is named by its question, which the caller adds.
 */
export function actorName(sql: Sql) {
  const order = sql`a.snapshot #> '{context,order}'`;
  const wish = sql`a.snapshot #> '{context,wish}'`;
  return sql`coalesce(g.name,
    case when ${order}->>'instrument' not like 'prediction:%'
      then concat_ws(' ', ${order}->>'side', ${order}->>'quantity', split_part(${order}->>'instrument', ':', 2)) end,
    case when a.kind = 'bridge_transfer' then concat_ws(' ', ${wish}->>'amount', ${wish}->>'token') end,
    case when a.kind = 'evaluation' then (select o.name from agents o where o.id = (a.snapshot #>> '{context,agentId}')::uuid) end,
    a.snapshot #>> '{context,symbol}',
    replace(a.snapshot #>> '{context,purpose}', '_', ' '))`;
}
