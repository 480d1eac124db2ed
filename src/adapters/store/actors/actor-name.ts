/** Names of actors in lists. */
import type { Sql } from '../database.ts';

/**
 * Builds the column of an actor's name: of an agent or of the agent that is evaluated, what an order buys or sells, what a transfer sends,
 * the symbol of a token or of a Take, what a transaction is for; null if an actor has none of these. The query has `a` of actors and `g` of
 * agents. An outcome of a prediction market is named by its question, which is not here.
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
