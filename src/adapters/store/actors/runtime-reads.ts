/** Reads of the runtime: waiting work, incidents and interventions of an organization, and the progress of all work. */
import { UUID_PATTERN } from '../../../domain/values/ids.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { DAY_MS, type EpochMs } from '../../../domain/values/time.ts';
import { stalledShards } from '../agents/shard-health.ts';
import type { Sql, Transaction } from '../database.ts';
import { pageOfRows } from '../queries.ts';
import { actorName } from './actor-reads.ts';
import type {
  ActorIncident,
  AnnouncedAlert,
  RecordedIntervention,
  RuntimeCounts,
  WaitingActivity,
  WaitingTimer,
  WorkQueues,
} from './runtime-rows.ts';

/**
 * Builds the condition: the actor has taken a step after the one that requested the activity, whose version is in the key. If the steps
 * were archived, the actor has ended. The query has `c` of activities.
 */
export function activityLeft(sql: Sql | Transaction) {
  return sql`(exists (
    select 1 from steps s where s.actor_id = c.actor_id and s.version > split_part(c.key, ':', 2)::bigint
      and s.event->>'type' <> 'quarantine.released') or exists (select 1 from moved_actors m where m.actor_id = c.actor_id))`;
}

export function createRuntimeReads(sql: Sql, clock: { now(): number }) {
  const ofActor = () => sql`a.id as "actorId", a.kind as "actorKind", ${actorName(sql)} as "actorName", a.status as "actorStatus"`;
  const actors = (orgId: string) =>
    sql`(select id, kind, status, snapshot from actors where org_id = ${orgId}) a left join agents g on g.id = a.id`;

  return {
    counts: (orgId: string): Promise<RuntimeCounts> => countWork(sql, orgId, clock.now()),

    /** Lists activities of the newest actors first. The position is the last key. */
    async activities(orgId: string, state: WaitingActivity['state'], { limit, after }: Page): Promise<PageOf<WaitingActivity>> {
      const rows = await sql<WaitingActivity[]>`
        select ${ofActor()}, c.key, c.kind, c.state, c.attempts, c.due_at as "dueAt", c.answer,
          floor(extract(epoch from c.created_at) * 1000)::bigint as "createdAt", floor(extract(epoch from c.ended_at) * 1000)::bigint as "endedAt",
          ${activityLeft(sql)} as "isLeft"
        from ${actors(orgId)} join activities c on c.actor_id = a.id
        where c.state = ${state} ${after === null ? sql`` : sql`and c.key < ${after}`} order by c.key desc limit ${limit + 1}`;
      return pageOfRows(rows, limit, ({ key }) => key);
    },

    /** Lists timers, earliest first. The position is the last timer's time, actor and name. */
    async timers(orgId: string, { limit, after }: Page): Promise<PageOf<WaitingTimer>> {
      const [dueAt = '', actorId = ''] = after?.split('|') ?? [];
      const timerId = after?.slice(dueAt.length + actorId.length + 2) ?? '';
      const rows = await sql<WaitingTimer[]>`
        select ${ofActor()}, t.timer_id as "timerId", t.due_at as "dueAt", t.event
        from ${actors(orgId)} join timers t on t.actor_id = a.id
        ${after === null ? sql`` : sql`where (t.due_at, t.actor_id, t.timer_id) > (${Number(dueAt)}::bigint, ${actorId}::uuid, ${timerId})`}
        order by t.due_at, t.actor_id, t.timer_id limit ${limit + 1}`;
      return pageOfRows(rows, limit, (row) => `${row.dueAt}|${row.actorId}|${row.timerId}`);
    },

    /** Lists incidents, newest first. The position is the last one's number. */
    async incidents(orgId: string, { limit, after }: Page): Promise<PageOf<ActorIncident>> {
      const rows = await sql<ActorIncident[]>`
        select ${ofActor()}, i.id, i.at, i.kind, split_part(i.detail, E'\n', 1) as detail
        from ${actors(orgId)} join incidents i on i.actor_id = a.id
        ${after === null ? sql`` : sql`where i.id < ${Number(after)}`} order by i.id desc limit ${limit + 1}`;
      return pageOfRows(rows, limit, ({ id }) => String(id));
    },

    /** Lists alerts announced to the organization or to all, newest first. */
    alerts: (orgId: string, page: Page): Promise<PageOf<AnnouncedAlert>> => listAlerts(sql, orgId, page),

    /** Lists interventions, newest first. The position is the last one's number. */
    async interventions(orgId: string, { limit, after }: Page): Promise<PageOf<RecordedIntervention>> {
      const rows = await sql<RecordedIntervention[]>`
        select ${ofActor()}, n.seq as number, n.action, n.activity_key as activity, n.activities, n.reason, n.subject, n.at
        from interventions n join actors a on a.id = n.actor_id left join agents g on g.id = a.id
        where n.org_id = ${orgId} ${after === null ? sql`` : sql`and n.seq < ${Number(after)}`} order by n.seq desc limit ${limit + 1}`;
      return pageOfRows(rows, limit, ({ number }) => String(number));
    },
  };
}

export type RuntimeReads = ReturnType<typeof createRuntimeReads>;

/** Lists alerts, newest first. The position is the last announcement's `<transaction>:<number>`. */
async function listAlerts(sql: Sql, orgId: string, { limit, after }: Page): Promise<PageOf<AnnouncedAlert>> {
  const [xid = '', seq = ''] = after?.split(':') ?? [];
  const rows = await sql<AnnouncedAlert[]>`
    select n.position, n.at, coalesce(n.body ->> 'what', 'alert') as what, g.id as "agentId", g.name as "agentName",
      case when jsonb_typeof(n.body -> 'venues') = 'array' then array(select jsonb_array_elements_text(n.body -> 'venues')) else '{}' end as venues,
      n.body ->> 'detail' as detail, n.org_id is null as "ofService", n.body
    from (
      select xid || ':' || seq as position, xid, seq, at, org_id, body,
        case when body ->> 'agentId' ~ ${`^${UUID_PATTERN}$`} then (body ->> 'agentId')::uuid else actor_id end as about
      from announcements
      where channel = 'alerts' and (org_id = ${orgId} or org_id is null)
      ${after === null ? sql`` : sql`and (xid, seq) < (${xid}::text::xid8, ${seq}::text::bigint)`}
      order by xid desc, seq desc limit ${limit + 1}
    ) n left join agents g on g.id = n.about and g.org_id = ${orgId} order by n.xid desc, n.seq desc`;
  return pageOfRows(rows, limit, ({ position }) => position);
}

/** Counts waiting work and incidents of an organization. */
async function countWork(sql: Sql, orgId: string, now: EpochMs): Promise<RuntimeCounts> {
  const [byKind, activities, [timers], incidents] = await Promise.all([
    sql<
      RuntimeCounts['actors'][number][]
    >`select kind, status, count(*)::int as count from actors where org_id = ${orgId} group by kind, status order by kind, status`,
    sql<RuntimeCounts['activities'][number][]>`
      select c.kind, c.state, count(*)::int as count, max(c.attempts) as attempts, min(c.due_at) as "firstDueAt"
      from activities c join actors a on a.id = c.actor_id where a.org_id = ${orgId} and c.state <> 'done'
      group by c.kind, c.state order by c.kind, c.state`,
    sql<[RuntimeCounts['timers']]>`
      select count(*)::int as count, count(*) filter (where t.due_at < ${now})::int as overdue, min(t.due_at) as "nextDueAt"
      from timers t join actors a on a.id = t.actor_id where a.org_id = ${orgId}`,
    sql<RuntimeCounts['incidents'][number][]>`
      select i.kind, count(*)::int as count, max(i.at) as "lastAt" from incidents i join actors a on a.id = i.actor_id
      where a.org_id = ${orgId} and i.at > ${now - DAY_MS} group by i.kind order by i.kind`,
  ]);
  return { actors: byKind, activities, timers, incidents };
}

/** Reads the progress of ticks and recurring work of all organizations; `sql` is the engine's connection. */
export async function readWorkQueues(sql: Sql): Promise<WorkQueues> {
  const [shards, stalled, recurring] = await Promise.all([
    sql<{ periodMs: number; shard: number; lastSlot: number }[]>`
      select period_ms as "periodMs", shard, last_slot as "lastSlot" from tick_shards order by period_ms, shard limit 200`,
    stalledShards(sql),
    sql<{ name: string; lastSlot: number; isUnderWay: boolean; hasFailed: boolean }[]>`
      select name, done_slot as "lastSlot", coalesce(claimed_until > clock_timestamp(), false) as "isUnderWay", failure is not null as "hasFailed"
      from recurring_work order by name limit 200`,
  ]);
  const isStalled = new Set(stalled.map(({ periodMs, shard }) => `${periodMs}/${shard}`));
  return {
    ticks: shards.map((one) => ({ ...one, isStalled: isStalled.has(`${one.periodMs}/${one.shard}`) })),
    recurring: recurring.map((one) => ({ ...one, lastSlot: one.lastSlot > 0 ? one.lastSlot : null })),
  };
}
