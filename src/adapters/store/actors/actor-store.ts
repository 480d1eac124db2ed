/** Store of actors in PostgreSQL: steps are committed by compare-and-set on the version, several per transaction. */
import type {
  Activity,
  ActorRow,
  ActorStart,
  ActorState,
  Announcement,
  DueActivity,
  DueTimer,
  FiredTimer,
  Incident,
  StepCommit,
  TimerChange,
} from '../../../domain/agents/actor-step.ts';
import type { Json } from '../../../domain/values/canonical-json.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { type Fragment, isDataRefusal, isRetryable, send, type Sql, type Transaction } from '../database.ts';
import { writeRecords } from './actor-records.ts';
import { holdsNow } from '../asked-together.ts';

/** Notification channel of announcements. It is a hint; the rows are authoritative. */
export const ANNOUNCEMENTS_CHANNEL = 'sevengate_announcements';

/** Notifies the tails at commit through the transaction's connection; postgres.js's `notify` would take a second one from the pool. */
export async function hintAnnouncements(transaction: Transaction): Promise<void> {
  send(transaction, transaction`select pg_notify(${ANNOUNCEMENTS_CHANNEL}, '')`);
}

const RETRY_LIMIT = 5;

/**
 * Retries a transaction after a serialization failure, a deadlock or a lost connection. Use it only if repeating is safe: every write is
 * guarded by a version or a unique key. `isRepeated` is true from the second attempt on: the first one's commit may have been done, and only
 * its answer lost.
 */
export async function inTransaction<Value>(
  sql: Sql,
  work: (transaction: Transaction, isRepeated: boolean) => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await sql.begin((transaction) => work(transaction, attempt > 1))) as Value;
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

/** Item of a step with the step's address. `index` counts items of its kind within the step. */
interface Addressed<Item> {
  readonly actorId: string;
  readonly orgId: string;
  readonly version: number;
  readonly at: EpochMs;
  readonly index: number;
  readonly item: Item;
}

/** Claims due activities in turns by organization. Claiming needs a signed transaction, so a plain read comes first. */
async function takeActivities(
  sql: Sql,
  now: EpochMs,
  retryMs: number,
  limit: number,
  kinds: readonly string[],
  worker: string | null,
): Promise<readonly DueActivity[]> {
  const isDue = sql`
    exists (
      select 1 from activities c join actors a on a.id = c.actor_id
      where c.state = 'pending' and c.due_at <= ${now} and c.kind = any(${kinds as string[]}::text[]) and a.status <> 'quarantined')`;
  if (!(await holdsNow(sql, isDue))) return [];
  const rows = await sql<{ key: string; actor_id: string; kind: string; payload: DueActivity['payload']; attempts: number }[]>`
    select key, actor_id, kind, payload, attempts from take_activities(${now}, ${retryMs}, ${limit}, ${kinds as string[]}::text[], ${worker})`;
  return rows.map((row) => ({ key: row.key, actorId: row.actor_id, kind: row.kind, payload: row.payload, attempts: row.attempts }));
}

/** Reads due timers in turns by organization. */
async function dueTimers(sql: Sql, now: EpochMs, limit: number): Promise<readonly DueTimer[]> {
  if (!(await holdsNow(sql, sql`exists (select 1 from timers where due_at <= ${now})`))) return [];
  const rows = await sql<{ actor_id: string; timer_id: string; due_at: number; event: DueTimer['event'] }[]>`
    select t.actor_id, t.timer_id, t.due_at, t.event from timers t join actors a on a.id = t.actor_id
    where t.due_at <= ${now} and a.status <> 'quarantined'
    order by row_number() over (partition by a.org_id order by t.due_at, t.actor_id, t.timer_id), t.due_at, t.actor_id limit ${limit}`;
  return rows.map((row) => ({ actorId: row.actor_id, timerId: row.timer_id, dueAt: row.due_at, event: row.event }));
}

/** @param worker name by which this process shares due activities with other workers; null takes those of all organizations */
export function createActorStore(sql: Sql, worker: string | null = null) {
  return {
    async load(ids: readonly string[]): Promise<ReadonlyMap<string, ActorRow>> {
      if (ids.length === 0) return new Map();
      const rows = await sql<
        StoredActor[]
      >`select id, org_id, kind, machine, version, snapshot, status from actors where id = any(${ids as string[]}::uuid[])`;
      return new Map(rows.map((row) => [row.id, actorRow(row)]));
    },

    async start(...starts: readonly ActorStart[]): Promise<void> {
      const steps = starts.map(({ id, at, cause, input }) => ({ id, version: 1, at, cause, event: { type: 'started', input } }));
      await inTransaction(sql, async (transaction, isRepeated) => {
        if (isRepeated && (await findWritten(transaction, steps)).size === steps.length) return;
        await writeStarts(transaction, starts);
      });
    },

    async commit(commits: readonly StepCommit[]): Promise<ReadonlySet<string>> {
      if (commits.length === 0) return new Set();
      const turns = groupByActor(commits);
      if (turns.length === 1) return commitOne(sql, turns[0] as Turn);
      return inTransaction(sql, async (transaction, isRepeated) => {
        const written = isRepeated ? await findWritten(transaction, turns.map(lastStep)) : new Set<string>();
        const swapped = await swapStates(
          transaction,
          turns.filter(({ first }) => !written.has(first.row.id)),
        );
        const winners = turns.filter(({ first }) => swapped.has(first.row.id)).flatMap(({ steps }) => steps);
        if (winners.length > 0) await writeCommits(transaction, winners);
        return new Set(turns.map(({ first }) => first.row.id).filter((id) => !swapped.has(id) && !written.has(id)));
      });
    },

    isRefusal: isDataRefusal,

    async incident(incident: Incident): Promise<void> {
      await inTransaction(sql, async (transaction) => {
        await transaction`
          insert into incidents (actor_id, at, kind, detail, event)
          values (${incident.actorId}, ${incident.at}, ${incident.kind}, ${incident.detail}, ${transaction.json(incident.event)})`;
        if (incident.quarantine) {
          await transaction`
            update actors set status = 'quarantined', version = version + 1, tick_until = least(tick_until, ${incident.at}::bigint), changed_at = clock_timestamp()
            where id = ${incident.actorId} and status = 'running'`;
          await transaction`update agents set pause_cause = 'quarantine' where id = ${incident.actorId}`;
        }
        await transaction`
          insert into announcements (channel, org_id, actor_id, at, body)
          select 'alerts', org_id, id, ${incident.at}, ${transaction.json({ what: incident.kind, agentId: incident.actorId, detail: incident.detail.split('\n')[0] ?? '' })} from actors where id = ${incident.actorId}`;
        await hintAnnouncements(transaction);
      });
    },

    dueTimers: (now: EpochMs, limit: number): Promise<readonly DueTimer[]> => dueTimers(sql, now, limit),

    async dropTimer(actorId: string, { timerId, dueBy }: FiredTimer): Promise<void> {
      await sql`
        delete from timers where actor_id = ${actorId} and timer_id = ${timerId} and due_at <= ${dueBy}
          and not exists (select 1 from actors a where a.id = ${actorId} and a.status = 'quarantined')`;
    },

    takeActivities: (now: EpochMs, retryMs: number, limit: number, kinds: readonly string[]): Promise<readonly DueActivity[]> =>
      takeActivities(sql, now, retryMs, limit, kinds, worker),

    async renewActivities(keys: readonly string[], until: EpochMs): Promise<void> {
      await sql`select renew_activities(${keys as string[]}::text[], ${until})`;
    },

    async attend(until: EpochMs, kinds: readonly string[]): Promise<void> {
      if (worker === null) return;
      await sql`
        insert into activity_workers (worker, kinds, until) values (${worker}, ${kinds as string[]}::text[], ${until})
        on conflict (worker) do update set kinds = excluded.kinds, until = excluded.until`;
    },

    async giveUpActivity(key: string, answer: Json): Promise<void> {
      await sql`
        update activities c set state = 'given_up', answer = ${sql.json(answer)}, ended_at = clock_timestamp()
        where c.key = ${key} and c.state = 'pending'
          and not exists (select 1 from actors a where a.id = c.actor_id and a.status = 'quarantined')`;
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

/** Steps of one actor in order. */
interface Turn {
  readonly first: StepCommit;
  readonly last: StepCommit;
  readonly steps: readonly StepCommit[];
}

/** Groups steps by actor, sorted by id, so that two transactions over the same actors cannot deadlock. */
function groupByActor(commits: readonly StepCommit[]): readonly Turn[] {
  const byActor = new Map<string, StepCommit[]>();
  for (const commit of commits) {
    const steps = byActor.get(commit.row.id);
    if (steps === undefined) byActor.set(commit.row.id, [commit]);
    else steps.push(commit);
  }
  return [...byActor.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, steps]) => ({ first: steps[0] as StepCommit, last: steps.at(-1) as StepCommit, steps }));
}

/** True for a moved actor whose timer does not fire, or is as it was read. `s` holds the timer, and `a` the actor. */
const timerStands = (sql: Sql | Transaction): Fragment => sql`
  (s.timer is null or exists (select 1 from timers t where t.actor_id = a.id and t.timer_id = s.timer and t.due_at <= s.due_by))`;

/** Moves each actor that is still at its first step's version, with its timer as it was read, to the state after its last step. */
function swapStatement(transaction: Transaction, turns: readonly Turn[]): Fragment {
  const swaps = turns.map(({ first, last }) => ({
    id: first.row.id,
    version: first.row.version,
    next: last.row.version + 1,
    machine: last.machine,
    snapshot: last.plan.state,
    found: first.row.status,
    timer: first.firedTimer?.timerId ?? null,
    due_by: first.firedTimer?.dueBy ?? null,
    status: last.plan.state.status === 'done' ? 'done' : 'running',
  }));
  return transaction`
    update actors set version = d.next, snapshot = d.snapshot, machine = d.machine, status = d.status, changed_at = clock_timestamp()
    from (
      select a.id, s.next, s.snapshot, s.machine, s.status from actors a
      join jsonb_to_recordset(${transaction.json(swaps)})
        as s(id uuid, version bigint, next bigint, machine text, snapshot jsonb, found text, status text, timer text, due_by bigint)
        on s.id = a.id and s.version = a.version
      where a.status = s.found and a.status <> 'done' and ${timerStands(transaction)} order by a.id for update of a
    ) d where actors.id = d.id`;
}

/** Returns the actors that were moved. */
async function swapStates(transaction: Transaction, turns: readonly Turn[]): Promise<ReadonlySet<string>> {
  const swapped = await transaction<{ id: string }[]>`${swapStatement(transaction, turns)} returning actors.id`;
  return new Set(swapped.map(({ id }) => id));
}

/** Identity of a step that may have been written before. */
type StepMark = Pick<WrittenStep, 'id' | 'version' | 'at' | 'cause' | 'event'>;

function lastStep({ last: { row, at, cause, event } }: Turn): StepMark {
  return { id: row.id, version: row.version + 1, at, cause, event };
}

/**
 * Returns the actors of steps that are stored already. Only for a repeated transaction, whose own steps must not be taken for another's.
 */
async function findWritten(transaction: Transaction, steps: readonly StepMark[]): Promise<ReadonlySet<string>> {
  const found = await transaction<{ id: string }[]>`
    select s.actor_id as id from steps s join jsonb_to_recordset(${transaction.json(steps)})
      as r(id uuid, version bigint, at bigint, cause text, event jsonb)
      on s.actor_id = r.id and s.version = r.version and s.at = r.at and s.cause = r.cause and s.event = r.event`;
  return new Set(found.map(({ id }) => id));
}

/**
 * Commits the steps of one actor. They are sent together with its move, because the version nearly always fits. If it does not, the
 * transaction fails and the result names the actor.
 */
async function commitOne(sql: Sql, turn: Turn): Promise<ReadonlySet<string>> {
  const { row, firedTimer } = turn.first;
  try {
    await inTransaction(sql, async (transaction, isRepeated) => {
      if (isRepeated && (await findWritten(transaction, [lastStep(turn)])).size > 0) return;
      send(transaction, swapStatement(transaction, [turn]), 1);
      await writeCommits(transaction, turn.steps);
    });
    return new Set();
  } catch (error) {
    if (isRetryable(error)) throw error;
    const [found] = await sql<{ version: number; status: string; stands: boolean }[]>`
      select a.version, a.status, ${timerStands(sql)} as stands from actors a
      cross join (select ${firedTimer?.timerId ?? null}::text as timer, ${firedTimer?.dueBy ?? null}::bigint as due_by) s where a.id = ${row.id}`;
    if (found === undefined || (found.version === row.version && found.status === row.status && found.stands)) throw error;
    return new Set([row.id]);
  }
}

/** Creates actors with their first steps inside a larger transaction, with one statement per table. */
export async function writeStarts(transaction: Transaction, starts: readonly ActorStart[]): Promise<void> {
  if (starts.length === 0) return;
  send(
    transaction,
    transaction`
    insert into actors (id, org_id, kind, machine, version, snapshot, status, tick_period_ms)
    select id, org_id, kind, machine, 1, snapshot, 'running', tick_period_ms from jsonb_to_recordset(${transaction.json(
      starts.map(({ id, orgId, kind, machine, plan, tickPeriodMs }, place) => ({
        place,
        id,
        org_id: orgId,
        kind,
        machine,
        snapshot: plan.state,
        tick_period_ms: tickPeriodMs,
      })),
    )}) as s(place int, id uuid, org_id uuid, kind text, machine text, snapshot jsonb, tick_period_ms int) order by place`,
  );
  await writeSteps(
    transaction,
    starts.map((start) => ({
      id: start.id,
      orgId: start.orgId,
      kind: start.kind,
      version: 1,
      at: start.at,
      machine: start.machine,
      event: { type: 'started', input: start.input },
      from: null,
      plan: start.plan,
      cause: start.cause,
      also: start.also,
    })),
  );
}

/** Step with its actor. */
interface WrittenStep extends Pick<StepCommit, 'at' | 'machine' | 'event' | 'plan' | 'cause' | 'also'> {
  readonly id: string;
  readonly orgId: string;
  readonly kind: string;
  /** Version after the step; 1 for the first one. */
  readonly version: number;
  /** State before the step; null for the first one. */
  readonly from: Json;
}

async function writeCommits(transaction: Transaction, commits: readonly StepCommit[]): Promise<void> {
  await writeSteps(
    transaction,
    commits.map(({ row, at, machine, event, plan, cause, also }) => ({
      id: row.id,
      orgId: row.orgId,
      kind: row.kind,
      version: row.version + 1,
      at,
      machine,
      event,
      from: row.state.value,
      plan,
      cause,
      also,
    })),
    commits,
  );
}

/** Writes the steps and everything that they plan, with one statement per table. Required checks run first. */
async function writeSteps(transaction: Transaction, steps: readonly WrittenStep[], commits: readonly StepCommit[] = []): Promise<void> {
  await writeRecords(
    transaction,
    steps.flatMap(({ also, plan }) => [...also, ...plan.records]),
  );
  await endFired(transaction, commits);
  await endAnswered(transaction, commits);
  send(
    transaction,
    transaction`
    insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
    select id, version, at, machine, event, from_value, to_value, cause from jsonb_to_recordset(${transaction.json(
      steps.map(({ id, version, at, machine, event, from, plan, cause }) => ({
        id,
        version,
        at,
        machine,
        event,
        from_value: from,
        to_value: plan.state.value,
        cause,
      })),
    )}) as s(id uuid, version bigint, at bigint, machine text, event jsonb, from_value jsonb, to_value jsonb, cause text)`,
  );
  const addressed = <Item>(pick: (step: WrittenStep) => readonly Item[]): Addressed<Item>[] =>
    steps.flatMap((step) =>
      pick(step).map((item, index) => ({ actorId: step.id, orgId: step.orgId, version: step.version, at: step.at, index, item })),
    );
  await writeTimers(
    transaction,
    addressed(({ plan }) => plan.timers),
  );
  await writeActivities(
    transaction,
    addressed(({ plan }) => plan.activities),
  );
  await writeAnnouncements(
    transaction,
    addressed((step) => [...step.plan.announcements, inspected(step)]),
  );
}

/** Returns a committed step in the form of the channel `inspect`. */
function inspected({ id: actorId, kind, machine, version, event, from, plan }: WrittenStep): Announcement {
  return { channel: 'inspect', body: { actorId, kind, machine, version, event: event as Json, from, to: plan.state.value } };
}

/** Deletes the timers that fired the steps. */
async function endFired(transaction: Transaction, commits: readonly StepCommit[]): Promise<void> {
  const fired = commits.flatMap(({ row, firedTimer }) =>
    firedTimer === undefined ? [] : [{ actorId: row.id, timerId: firedTimer.timerId }],
  );
  if (fired.length > 0) await dropTimers(transaction, fired);
}

async function dropTimers(
  transaction: Transaction,
  timers: readonly { readonly actorId: string; readonly timerId: string }[],
): Promise<void> {
  send(
    transaction,
    transaction`
    delete from timers t using jsonb_to_recordset(${transaction.json(timers)}) as r("actorId" uuid, "timerId" text)
    where t.actor_id = r."actorId" and t.timer_id = r."timerId"`,
  );
}

/** Closes the activities that the steps answer. */
async function endAnswered(transaction: Transaction, commits: readonly StepCommit[]): Promise<void> {
  const answered = commits.flatMap(({ answeredActivity }) => answeredActivity ?? []);
  if (answered.length === 0) return;
  send(
    transaction,
    transaction`
    update activities a set state = case when r."isGivenUp" then 'given_up' else 'done' end, answer = r.answer, ended_at = clock_timestamp()
    from jsonb_to_recordset(${transaction.json(answered)}) as r(key text, answer jsonb, "isGivenUp" boolean) where a.key = r.key`,
  );
}

/** Sets and cancels timers; for each timer the last change counts. */
async function writeTimers(transaction: Transaction, changes: readonly Addressed<TimerChange>[]): Promise<void> {
  const last = [...new Map(changes.map(({ actorId, item }) => [`${actorId} ${item.timerId}`, { actorId, ...item }])).values()];
  const cancelled = last.filter(({ op }) => op === 'cancel');
  const set = last.filter(({ op }) => op === 'set');
  if (cancelled.length > 0) await dropTimers(transaction, cancelled);
  if (set.length === 0) return;
  send(
    transaction,
    transaction`
    insert into timers (actor_id, timer_id, due_at, event)
    select "actorId", "timerId", "dueAt", event from jsonb_to_recordset(${transaction.json(set)})
      as r("actorId" uuid, "timerId" text, "dueAt" bigint, event jsonb)
    on conflict (actor_id, timer_id) do update set due_at = excluded.due_at, event = excluded.event`,
  );
}

async function writeActivities(transaction: Transaction, activities: readonly Addressed<Activity>[]): Promise<void> {
  if (activities.length === 0) return;
  send(
    transaction,
    transaction`
    insert into activities (key, actor_id, kind, payload, due_at)
    select key, actor_id, kind, payload, due_at from jsonb_to_recordset(${transaction.json(
      activities.map(({ actorId, version, at, index, item }) => ({
        key: `${actorId}:${version}:${index}`,
        actor_id: actorId,
        kind: item.kind,
        payload: item.payload,
        due_at: at,
      })),
    )}) as r(key text, actor_id uuid, kind text, payload jsonb, due_at bigint)`,
  );
}

async function writeAnnouncements(transaction: Transaction, announcements: readonly Addressed<Announcement>[]): Promise<void> {
  if (announcements.length === 0) return;
  send(
    transaction,
    transaction`
    insert into announcements (channel, org_id, actor_id, at, body)
    select channel, org_id, actor_id, at, body from jsonb_to_recordset(${transaction.json(
      announcements.map(({ actorId, orgId, at, item }) => ({
        channel: item.channel,
        org_id: orgId,
        actor_id: item.about ?? actorId,
        at,
        body: item.body,
      })),
    )}) as a(channel text, org_id uuid, actor_id uuid, at bigint, body jsonb)`,
  );
  await hintAnnouncements(transaction);
}
