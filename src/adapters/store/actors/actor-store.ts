/** Actors in PostgreSQL: steps committed by compare-and-set on the version, many of them in one transaction. */
import type {
  Activity,
  ActorEvent,
  ActorRow,
  ActorStart,
  ActorState,
  Announcement,
  DueActivity,
  DueTimer,
  Incident,
  StepCommit,
  TimerChange,
} from '../../../domain/actor-step.ts';
import type { Json } from '../../../domain/canonical-json.ts';
import type { EpochMs } from '../../../domain/time.ts';
import { isRetryable, type Sql, type Transaction } from '../database.ts';
import { writeRecords } from './actor-records.ts';

/** Listeners wake at this; it is a hint, the rows are the truth. */
export const ANNOUNCEMENTS_CHANNEL = 'sevengate_announcements';

/** Wakes the tails at the commit. Through the transaction's own connection: postgres.js's `notify` would take a second one from the pool. */
export async function hintAnnouncements(transaction: Transaction): Promise<void> {
  await transaction`select pg_notify(${ANNOUNCEMENTS_CHANNEL}, '')`;
}

const RETRY_LIMIT = 5;

/**
 * Runs a transaction again after a serialization failure, a deadlock or a lost connection. Only for transactions that
 * are safe to repeat: every write in them is guarded by a version or a unique key.
 */
export async function inTransaction<Value>(sql: Sql, work: (transaction: Transaction) => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await sql.begin(work)) as Value;
    } catch (error) {
      if (attempt >= RETRY_LIMIT || !isRetryable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * 2 ** attempt * (0.5 + Math.random())));
    }
  }
}

interface StoredActor {
  id: string;
  org_id: string;
  kind: string;
  machine: string;
  version: number;
  snapshot: ActorState;
  status: ActorRow['status'];
}

/** An item of a step with the step's address; `index` counts the items of its kind within the step. */
interface Addressed<Item> {
  readonly actorId: string;
  readonly orgId: string;
  readonly version: number;
  readonly at: EpochMs;
  readonly index: number;
  readonly item: Item;
}

export function createActorStore(sql: Sql) {
  return {
    async load(ids: readonly string[]): Promise<ReadonlyMap<string, ActorRow>> {
      if (ids.length === 0) return new Map();
      const rows = await sql<
        StoredActor[]
      >`select id, org_id, kind, machine, version, snapshot, status from actors where id = any(${ids as string[]}::uuid[])`;
      return new Map(rows.map((row) => [row.id, actorRow(row)]));
    },

    async start(start: ActorStart): Promise<void> {
      await inTransaction(sql, (transaction) => writeStart(transaction, start));
    },

    async commit(commits: readonly StepCommit[]): Promise<ReadonlySet<string>> {
      if (commits.length === 0) return new Set();
      return inTransaction(sql, async (transaction) => {
        // In the order of ids, so that two transactions over the same actors never wait for each other.
        const ordered = [...commits].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
        const swapped = await transaction<{ id: string }[]>`
          update actors set version = actors.version + 1, snapshot = d.snapshot, machine = d.machine, status = d.status, changed_at = clock_timestamp()
          from (
            select a.id, s.snapshot, s.machine, s.status from actors a
            join jsonb_to_recordset(${transaction.json(ordered.map(({ row, machine, plan }) => ({ id: row.id, version: row.version, machine, snapshot: plan.state, found: row.status, status: plan.state.status === 'done' ? 'done' : 'running' })) as never)})
              as s(id uuid, version bigint, machine text, snapshot jsonb, found text, status text) on s.id = a.id and s.version = a.version
            where a.status = s.found and a.status <> 'done' order by a.id for update of a
          ) d where actors.id = d.id returning actors.id`;
        const won = new Set(swapped.map(({ id }) => id));
        const winners = ordered.filter(({ row }) => won.has(row.id));
        if (winners.length > 0) await writeSteps(transaction, winners);
        return new Set(ordered.filter(({ row }) => !won.has(row.id)).map(({ row }) => row.id));
      });
    },

    async incident(incident: Incident): Promise<void> {
      await inTransaction(sql, async (transaction) => {
        await transaction`
          insert into incidents (actor_id, at, kind, detail, event)
          values (${incident.actorId}, ${incident.at}, ${incident.kind}, ${incident.detail}, ${transaction.json(incident.event as never)})`;
        if (incident.quarantine) {
          await transaction`
            update actors set status = 'quarantined', version = version + 1, tick_until = least(tick_until, ${incident.at}::bigint), changed_at = clock_timestamp()
            where id = ${incident.actorId} and status = 'running'`;
          await transaction`delete from timers where actor_id = ${incident.actorId}`;
          await transaction`update agents set pause_cause = 'quarantine' where id = ${incident.actorId}`;
        }
        await transaction`
          insert into announcements (channel, org_id, actor_id, at, body)
          select 'alerts', org_id, id, ${incident.at}, ${transaction.json({ what: incident.kind, agentId: incident.actorId, detail: incident.detail.split('\n')[0] ?? '' } as never)} from actors where id = ${incident.actorId}`;
        await hintAnnouncements(transaction);
      });
    },

    async dueTimers(now: EpochMs, limit: number): Promise<readonly DueTimer[]> {
      const rows = await sql<{ actor_id: string; timer_id: string; due_at: number; event: DueTimer['event'] }[]>`
        select actor_id, timer_id, due_at, event from timers where due_at <= ${now} order by due_at, actor_id limit ${limit}`;
      return rows.map((row) => ({ actorId: row.actor_id, timerId: row.timer_id, dueAt: row.due_at, event: row.event }));
    },

    async dropTimer(actorId: string, timerId: string): Promise<void> {
      await sql`delete from timers where actor_id = ${actorId} and timer_id = ${timerId}`;
    },

    async takeActivities(now: EpochMs, retryMs: number, limit: number, kinds: readonly string[]): Promise<readonly DueActivity[]> {
      const rows = await sql<{ key: string; actor_id: string; kind: string; payload: DueActivity['payload']; attempts: number }[]>`
        update activities set attempts = attempts + 1, due_at = ${now}::bigint + ${retryMs}::bigint * (1 << least(attempts, 6))
        where key in (select key from activities where state = 'pending' and due_at <= ${now}
          and kind = any(${kinds as string[]}::text[]) order by due_at limit ${limit} for update skip locked)
        returning key, actor_id, kind, payload, attempts`;
      return rows.map((row) => ({ key: row.key, actorId: row.actor_id, kind: row.kind, payload: row.payload, attempts: row.attempts }));
    },

    async giveUpActivity(key: string, answer: Json): Promise<void> {
      await sql`update activities set state = 'given_up', answer = ${sql.json(answer as never)}, ended_at = clock_timestamp() where key = ${key} and state = 'pending'`;
    },
  };
}

function actorRow(row: StoredActor): ActorRow {
  return {
    id: row.id,
    orgId: row.org_id,
    kind: row.kind,
    machine: row.machine,
    version: row.version,
    state: row.snapshot,
    status: row.status,
  };
}

/** Creates an actor with its first step inside a transaction that writes more than that. */
export async function writeStart(transaction: Transaction, start: ActorStart): Promise<void> {
  await transaction`
    insert into actors (id, org_id, kind, machine, version, snapshot, status, tick_period_ms)
    values (${start.id}, ${start.orgId}, ${start.kind}, ${start.machine}, 1, ${transaction.json(start.plan.state as never)}, 'running', ${start.tickPeriodMs})`;
  await transaction`
    insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
    values (${start.id}, 1, ${start.at}, ${start.machine}, ${transaction.json({ type: 'started', input: start.input } as never)}, null, ${transaction.json(start.plan.state.value as never)}, ${start.cause})`;
  await writeRecords(transaction, [...start.also, ...start.plan.records]);
  const address = <Item>(item: Item, index: number): Addressed<Item> => ({
    actorId: start.id,
    orgId: start.orgId,
    version: 1,
    at: start.at,
    index,
    item,
  });
  await writeTimers(transaction, start.plan.timers.map(address));
  await writeActivities(transaction, start.plan.activities.map(address));
  await writeAnnouncements(
    transaction,
    [...start.plan.announcements, inspected(start, 1, { type: 'started', input: start.input }, null)].map(address),
  );
}

async function writeSteps(transaction: Transaction, commits: readonly StepCommit[]): Promise<void> {
  await transaction`
    insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
    select actor_id, version, at, machine, event, from_value, to_value, cause
    from jsonb_to_recordset(${transaction.json(
      commits.map(({ row, at, machine, event, plan, cause }) => ({
        actor_id: row.id,
        version: row.version + 1,
        at,
        machine,
        event,
        from_value: row.state.value,
        to_value: plan.state.value,
        cause,
      })) as never,
    )}) as s(actor_id uuid, version bigint, at bigint, machine text, event jsonb, from_value jsonb, to_value jsonb, cause text)`;
  const fired = commits.filter(({ firedTimer }) => firedTimer !== undefined);
  for (const { row, firedTimer } of fired)
    await transaction`delete from timers where actor_id = ${row.id} and timer_id = ${firedTimer as string}`;
  const answered = commits.filter(({ answeredActivity }) => answeredActivity !== undefined);
  for (const { answeredActivity } of answered) {
    await transaction`update activities set state = 'done', answer = ${transaction.json(answeredActivity?.answer as never)}, ended_at = clock_timestamp() where key = ${answeredActivity?.key as string}`;
  }
  await writeRecords(
    transaction,
    commits.flatMap(({ also, plan }) => [...also, ...plan.records]),
  );
  const addressed = <Item>(pick: (commit: StepCommit) => readonly Item[]): Addressed<Item>[] =>
    commits.flatMap((commit) =>
      pick(commit).map((item, index) => ({
        actorId: commit.row.id,
        orgId: commit.row.orgId,
        version: commit.row.version + 1,
        at: commit.at,
        index,
        item,
      })),
    );
  await writeTimers(
    transaction,
    addressed(({ plan }) => plan.timers),
  );
  await writeActivities(
    transaction,
    addressed(({ plan }) => plan.activities),
  );
  await writeAnnouncements(transaction, [
    ...addressed(({ plan }) => plan.announcements),
    ...commits.map((commit) => ({
      actorId: commit.row.id,
      orgId: commit.row.orgId,
      version: commit.row.version + 1,
      at: commit.at,
      index: 0,
      item: inspected(
        { id: commit.row.id, kind: commit.row.kind, machine: commit.machine, plan: commit.plan },
        commit.row.version + 1,
        commit.event,
        commit.row.state.value,
      ),
    })),
  ]);
}

/** A committed step as the `inspect` channel shows it. */
function inspected(
  step: Pick<ActorStart, 'kind' | 'machine' | 'plan'> & { readonly id: string },
  version: number,
  event: ActorEvent,
  from: Json,
): Announcement {
  return {
    channel: 'inspect',
    body: { actorId: step.id, kind: step.kind, machine: step.machine, version, event: event as never, from, to: step.plan.state.value },
  };
}

async function writeTimers(transaction: Transaction, changes: readonly Addressed<TimerChange>[]): Promise<void> {
  for (const { actorId, item } of changes) {
    if (item.op === 'cancel') await transaction`delete from timers where actor_id = ${actorId} and timer_id = ${item.timerId}`;
    else {
      await transaction`
        insert into timers (actor_id, timer_id, due_at, event) values (${actorId}, ${item.timerId}, ${item.dueAt}, ${transaction.json(item.event as never)})
        on conflict (actor_id, timer_id) do update set due_at = excluded.due_at, event = excluded.event`;
    }
  }
}

async function writeActivities(transaction: Transaction, activities: readonly Addressed<Activity>[]): Promise<void> {
  for (const { actorId, version, at, index, item } of activities) {
    await transaction`
      insert into activities (key, actor_id, kind, payload, due_at)
      values (${`${actorId}:${version}:${index}`}, ${actorId}, ${item.kind}, ${transaction.json(item.payload as never)}, ${at})`;
  }
}

async function writeAnnouncements(transaction: Transaction, announcements: readonly Addressed<Announcement>[]): Promise<void> {
  if (announcements.length === 0) return;
  await transaction`
    insert into announcements (channel, org_id, actor_id, at, body)
    select channel, org_id, actor_id, at, body from jsonb_to_recordset(${transaction.json(
      announcements.map(({ actorId, orgId, at, item }) => ({
        channel: item.channel,
        org_id: orgId,
        actor_id: item.about ?? actorId,
        at,
        body: item.body,
      })) as never,
    )}) as a(channel text, org_id uuid, actor_id uuid, at bigint, body jsonb)`;
  await hintAnnouncements(transaction);
}
