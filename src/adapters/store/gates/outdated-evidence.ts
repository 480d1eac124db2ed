/** Evidence of earlier rules that keeps agents at their stage, and the alert for their owners. */
import { type OutdatedEvidence, outdatedWords } from '../../../domain/agents/evidence.ts';
import { DAY_MS, type EpochMs } from '../../../domain/values/time.ts';
import { hintAnnouncements, inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';

/** Returns passed evidence of an agent that is outdated and not renewed. */
export async function outdatedEvidence(sql: Sql | Transaction, agentId: string): Promise<readonly OutdatedEvidence[]> {
  return sql<OutdatedEvidence[]>`
    select kind, rules_version as "rulesVersion", rule_change as "ruleChange" from outdated_evidence(${agentId})`;
}

/** Returns agents with outdated evidence that had no alert about it in the day before `now`. */
export async function untoldAgents(sql: Sql, now: EpochMs): Promise<readonly { readonly id: string }[]> {
  return sql<{ id: string }[]>`
    select d.id from (
      select e.agent_id as id from superseded_evidence s join evidence e on e.id = s.evidence_id
      union
      -- Evidence from before a source was what it is now.
      select e.agent_id from evidence e where evidence_since(e.kind, e.series::jsonb, e.run_id, e.at) < (select max(at) from source_origins)
        and set_aside_sources(e) is not null
    ) d
    where not exists (select 1 from announcements n where n.channel = 'alerts' and n.actor_id = d.id and n.at > ${now - DAY_MS}
      and n.body ->> 'what' = 'evidence_outdated') order by 1`;
}

/** Announces on the channel `alerts` which evidence keeps the agent at its stage, if any. */
export async function tellOutdated(sql: Sql, agentId: string, now: EpochMs): Promise<void> {
  const outdated = await outdatedEvidence(sql, agentId);
  if (outdated.length === 0) return;
  const detail = `It stays at its stage: ${outdated.map(outdatedWords).join('; ')}`;
  await inTransaction(sql, async (transaction) => {
    await transaction`
      insert into announcements (channel, org_id, actor_id, at, body)
      select 'alerts', org_id, id, ${now}, ${transaction.json({ what: 'evidence_outdated', agentId, detail })} from agents where id = ${agentId}`;
    await hintAnnouncements(transaction);
  });
}
