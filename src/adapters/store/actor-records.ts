/** The rows that actors write besides their state, by type: each batch of one type is one statement. */
import type { ActorRecord } from '../../domain/actor-step.ts';
import type { Transaction } from './database.ts';

type Writer = (transaction: Transaction, rows: readonly ActorRecord[]) => Promise<unknown>;

/** In the order of writing: what others refer to comes first. */
const WRITERS: { readonly [type: string]: Writer } = {
  manifest: (transaction, rows) => transaction`
    insert into manifests (agent_id, version, hash, canonical, created_by)
    select "agentId", version, hash, canonical, "createdBy" from jsonb_to_recordset(${transaction.json(rows as never)})
      as r("agentId" uuid, version int, hash text, canonical text, "createdBy" text)`,

  agent_created: (transaction, rows) => transaction`
    insert into agents (id, org_id, name, description, stage, autonomy, manifest_version, manifest_hash, created_by, created_at)
    select "agentId", "orgId", name, description, 'draft', autonomy, "manifestVersion", "manifestHash", "createdBy", "createdAt"
    from jsonb_to_recordset(${transaction.json(rows as never)})
      as r("agentId" uuid, "orgId" uuid, name text, description text, autonomy text, "manifestVersion" int, "manifestHash" text, "createdBy" text, "createdAt" timestamptz)`,

  agent_renamed: (transaction, rows) => transaction`
    update agents set name = r.name, description = r.description
    from jsonb_to_recordset(${transaction.json(rows as never)}) as r("agentId" uuid, name text, description text) where agents.id = r."agentId"`,

  agent_projection: (transaction, rows) => transaction`
    update agents set stage = r.stage, autonomy = r.autonomy, pause_cause = r."pauseCause", manifest_version = r."manifestVersion", manifest_hash = r."manifestHash"
    from jsonb_to_recordset(${transaction.json(lastPerAgent(rows) as never)})
      as r("agentId" uuid, stage text, autonomy text, "pauseCause" text, "manifestVersion" int, "manifestHash" text)
    where agents.id = r."agentId"`,

  // Where slots of the earlier duty are still to be ticked (late), that duty is kept, and the time between is a rest.
  tick_window: (transaction, rows) => transaction`
    update actors set
      tick_from = case when w.from_now then r."from" else actors.tick_from end,
      tick_until = r."until",
      rests = case
        when w.from_now then '{}'
        when r."from" is null then actors.rests
        else actors.rests + int8multirange(int8range(least(actors.tick_until, r."from"), r."from")) end
    from jsonb_to_recordset(${transaction.json(rows as never)}) as r("actorId" uuid, "from" bigint, "until" bigint)
    join lateral (
      select r."from" is not null and (
        a.tick_from is null or a.tick_until is null or a.tick_until <= a.tick_from or t.last_slot >= a.tick_until - a.tick_period_ms
      ) is true as from_now
      from actors a left join tick_shards t on t.period_ms = a.tick_period_ms and t.shard = a.shard where a.id = r."actorId"
    ) w on true
    where actors.id = r."actorId"`,

  // Proposals land with the pre-trade risk engine; until then none is pending, and cancelling none is done at once.
  proposals_cancelled: async () => {},

  audit: (transaction, rows) => transaction`
    insert into audit (org_id, subject, permission, action, request_id, target, before_hash, after_hash)
    select "orgId", subject, permission, action, "requestId", target, "beforeHash", "afterHash" from jsonb_to_recordset(${transaction.json(rows as never)})
      as r("orgId" uuid, subject text, permission text, action text, "requestId" text, target text, "beforeHash" text, "afterHash" text)`,

  answer: (transaction, rows) => transaction`
    insert into idempotency_keys (org_id, subject, route, key, request_hash, status, body)
    select "orgId", subject, route, key, "requestHash", status, body from jsonb_to_recordset(${transaction.json(rows as never)})
      as r("orgId" uuid, subject text, route text, key text, "requestHash" text, status int, body text)`,
};

/** Writes the rows of a step. @throws on a type that no writer knows: a defect. */
export async function writeRecords(transaction: Transaction, records: readonly ActorRecord[]): Promise<void> {
  for (const { type } of records) if (!(type in WRITERS)) throw new Error(`no table is known for records of type ${type}`);
  for (const [type, write] of Object.entries(WRITERS)) {
    const rows = records.filter((record) => record.type === type);
    if (rows.length > 0) await write(transaction, rows);
  }
}

/** A step projects its end; where one step projects twice, both say the same and one is enough. */
function lastPerAgent(rows: readonly ActorRecord[]): readonly ActorRecord[] {
  return [...new Map(rows.map((row) => [row.agentId, row])).values()];
}
