/** Alerts about external agents whose code has stopped proposing. */
import { AGENT_TICK_MS, DAY_MS, type EpochMs, isoTime } from '../../../domain/values/time.ts';
import { hintAnnouncements, inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';

/** Slots without a proposal (a day) after which code that proposed before counts as silent. */
const SILENT_SLOTS = 1_440;

interface Silent {
  readonly id: string;
  readonly last: EpochMs;
}

/** Creates the reads and alerts. */
export function createSilenceReports(sql: Sql) {
  return {
    silent: (now: EpochMs) => silentAgents(sql, now),
    tellSilence: (agent: Silent, now: EpochMs) => tellSilence(sql, agent, now),
  };
}

/** Returns external agents on duty whose last proposal is that old and that had no alert in the day before `now`. */
async function silentAgents(sql: Sql, now: EpochMs): Promise<readonly Silent[]> {
  return sql<Silent[]>`
    select a.id, p.received_at as last from traders a
    cross join lateral (select received_at from outside_proposals where agent_id = a.id order by number desc limit 1) p
    where a.kind = 'agent' and not a.paused and a.autonomy <> 'research' and is_external(a.id, a.manifest_version)
      and p.received_at <= ${now - SILENT_SLOTS * AGENT_TICK_MS}
      and not exists (select 1 from announcements n where n.channel = 'alerts' and n.actor_id = a.id and n.at > ${now - DAY_MS}
        and n.body ->> 'what' = 'outside_silent') order by 1`;
}

/** Announces the silence on the channel `alerts`. */
async function tellSilence(sql: Sql, { id, last }: Silent, now: EpochMs): Promise<void> {
  const detail = `Its code has proposed nothing for ${Math.floor((now - last) / AGENT_TICK_MS)} slots, since ${isoTime(last)}. Stop-loss, take-profit and the other exits of its mandate go on. Pause it if the code has stopped.`;
  await inTransaction(sql, async (transaction) => {
    await transaction`
      insert into announcements (channel, org_id, actor_id, at, body)
      select 'alerts', org_id, id, ${now}, ${transaction.json({ what: 'outside_silent', agentId: id, detail })} from agents where id = ${id}`;
    await hintAnnouncements(transaction);
  });
}
