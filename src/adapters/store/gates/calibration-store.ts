/** Expected and realized costs of an agent's fills from its orders, and the alert about a drift. */
import {
  calibrated,
  type CalibratedFill,
  costFigures,
  DRIFT_BPS,
  hasDrifted,
  type RecordedFill,
} from '../../../domain/agents/calibration.ts';
import { DAY_MS, type EpochMs } from '../../../domain/values/time.ts';
import { figureInWords } from '../../../domain/values/words.ts';
import { hintAnnouncements, inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';

/** Fills of an agent's active manifest with expected costs, newest first. */
export interface AgentCalibration {
  readonly manifestVersion: number;
  /** Mean cost of a fill in the newest passed backtest in basis points; null without one. */
  readonly promisedBps: number | null;
  readonly fills: readonly CalibratedFill[];
}

/** Maximum number of fills, which is enough to detect a drift. */
const MOST_FILLS = 1_000;

/** Reads the fills of the agent's active manifest, newest first. The market of a decision is in its slot's cut. */
async function recordedFills(sql: Sql, agentId: string): Promise<readonly RecordedFill[]> {
  return sql<RecordedFill[]>`
    select f.at, f.instrument, f.side, f.notional_usd::float8 as "notionalUsd", f.slippage_bps as "realizedBps", p.mode,
      p.execution ->> 'algorithm' as algorithm, o.slot is not null as seen, (o.body::jsonb ->> 'liquidityUsd')::float8 as "liquidityUsd"
    from agents a
    cross join lateral (values ('agent:' || a.id || ':paper:' || a.manifest_version), ('agent:' || a.id || ':live')) as b(id)
    join fills f on f.book_id = b.id
    join proposals p on p.agent_id = a.id and p.id::text = split_part(f.order_id, ':', 1) and p.manifest_version = a.manifest_version
    left join judged_observations o on o.slot = p.slot and o.instrument = f.instrument
    where a.id = ${agentId} order by f.number desc limit ${MOST_FILLS}`;
}

/** Returns the calibration; null if the organization has no such agent. */
export async function readCalibration(sql: Sql, orgId: string, agentId: string): Promise<AgentCalibration | null> {
  const [agent] = await sql<{ version: number; promised: number | null }[]>`
    select a.manifest_version as version, promised_cost_bps(a.id, a.manifest_version) as promised
    from agents a where a.id = ${agentId} and a.org_id = ${orgId}`;
  if (agent === undefined) return null;
  return { manifestVersion: agent.version, promisedBps: agent.promised, fills: (await recordedFills(sql, agentId)).map(calibrated) };
}

/** Returns agents that were filled in the day before `now` and had no alert about a drift in it. */
export async function filledAgents(sql: Sql, now: EpochMs): Promise<readonly { readonly id: string }[]> {
  return sql<{ id: string }[]>`
    select a.id from agents a where a.stage in ('paper', 'shadow', 'limited_live', 'live')
      and exists (select 1 from books b where b.agent_id = a.id and b.changed_at > ${now - DAY_MS})
      and not exists (select 1 from announcements n where n.channel = 'alerts' and n.actor_id = a.id and n.at > ${now - DAY_MS}
        and n.body ->> 'what' = 'costs_drifted') order by 1`;
}

/** Announces on the channel `alerts` that an agent's fills cost more than expected, if they do. */
export async function tellDrift(sql: Sql, agentId: string, now: EpochMs): Promise<void> {
  const figures = costFigures((await recordedFills(sql, agentId)).map(calibrated));
  if (hasDrifted(figures) !== true) return;
  const detail = `Its fills cost ${figureInWords(figures.biasBps ?? 0)} bps more than expected, over ${figures.fills - figures.unknown} fills; beyond their own error that is more than ${DRIFT_BPS} bps. Its backtests are optimistic: GET /v1/agents/${agentId}/calibration`;
  await inTransaction(sql, async (transaction) => {
    await transaction`
      insert into announcements (channel, org_id, actor_id, at, body)
      select 'alerts', org_id, id, ${now}, ${transaction.json({ what: 'costs_drifted', agentId, detail })} from agents where id = ${agentId}`;
    await hintAnnouncements(transaction);
  });
}
