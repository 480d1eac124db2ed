/** Actors in memory: the store of a replay and of the simulation, with the same compare-and-set as the real one. */
import type {
  ActorRecord,
  ActorRow,
  ActorStart,
  Announcement,
  DueActivity,
  DueTimer,
  Incident,
  StepCommit,
  StepPlan,
} from '../../src/domain/actor-step.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { ActorStore } from './actor-store.ts';

/** One committed step as the history keeps it. */
export interface MemoryStep {
  readonly actorId: string;
  readonly version: number;
  readonly at: EpochMs;
  readonly event: Json;
  readonly from: Json;
  readonly to: Json;
}

interface MemoryActivity extends DueActivity {
  dueAt: EpochMs;
  state: 'pending' | 'done' | 'given_up';
  attempts: number;
  answer: Json;
}

/** What lies in the store; read by replays and tests. */
export interface MemoryStore extends ActorStore {
  readonly actors: ReadonlyMap<string, ActorRow>;
  readonly steps: readonly MemoryStep[];
  readonly records: readonly ActorRecord[];
  readonly announcements: readonly (Announcement & { readonly actorId: string; readonly at: EpochMs })[];
  readonly incidents: readonly Incident[];
  readonly activities: ReadonlyMap<string, { readonly state: string; readonly attempts: number; readonly answer: Json }>;
}

export function createMemoryStore(): MemoryStore {
  const actors = new Map<string, ActorRow>();
  const steps: MemoryStep[] = [];
  const records: ActorRecord[] = [];
  const announcements: (Announcement & { actorId: string; at: EpochMs })[] = [];
  const incidents: Incident[] = [];
  const timers = new Map<string, DueTimer>();
  const activities = new Map<string, MemoryActivity>();

  const timerKey = (actorId: string, timerId: string): string => `${actorId} ${timerId}`;

  function writePlan(actorId: string, version: number, at: EpochMs, plan: StepPlan): void {
    records.push(...plan.records);
    for (const change of plan.timers) {
      if (change.op === 'cancel') timers.delete(timerKey(actorId, change.timerId));
      else timers.set(timerKey(actorId, change.timerId), { actorId, timerId: change.timerId, dueAt: change.dueAt, event: change.event });
    }
    for (const [index, activity] of plan.activities.entries()) {
      const key = `${actorId}:${version}:${index}`;
      activities.set(key, {
        key,
        actorId,
        kind: activity.kind,
        payload: activity.payload,
        dueAt: at,
        state: 'pending',
        attempts: 0,
        answer: null,
      });
    }
    for (const announcement of plan.announcements)
      announcements.push({ channel: announcement.channel, body: announcement.body, actorId, at });
  }

  // What lies here went through JSON, as it does in a database: a value that JSON would change is seen in tests.
  const rested = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

  return {
    actors,
    steps,
    records,
    announcements,
    incidents,
    activities,

    async load(ids) {
      const found = new Map<string, ActorRow>();
      for (const id of ids) {
        const row = actors.get(id);
        if (row) found.set(id, row);
      }
      return found;
    },

    async start(start: ActorStart) {
      if (actors.has(start.id)) throw new Error(`actor ${start.id} exists already`);
      actors.set(start.id, {
        id: start.id,
        orgId: start.orgId,
        kind: start.kind,
        machine: start.machine,
        version: 1,
        state: rested(start.plan.state),
        status: 'running',
      });
      records.push(...start.also);
      steps.push({
        actorId: start.id,
        version: 1,
        at: start.at,
        event: { type: 'started', input: start.input },
        from: null,
        to: rested(start.plan.state.value),
      });
      writePlan(start.id, 1, start.at, start.plan);
    },

    async commit(commits: readonly StepCommit[]) {
      const stale = new Set<string>();
      for (const commit of commits) {
        const { row, plan, at } = commit;
        const now = actors.get(row.id);
        if (!now || now.version !== row.version || now.status !== row.status || now.status === 'done') {
          stale.add(row.id);
          continue;
        }
        const version = row.version + 1;
        actors.set(row.id, {
          ...now,
          machine: commit.machine,
          version,
          state: rested(plan.state),
          status: plan.state.status === 'done' ? 'done' : 'running',
        });
        steps.push({
          actorId: row.id,
          version,
          at,
          event: rested(commit.event) as never,
          from: row.state.value,
          to: rested(plan.state.value),
        });
        if (commit.firedTimer !== undefined) timers.delete(timerKey(row.id, commit.firedTimer));
        if (commit.answeredActivity) {
          const activity = activities.get(commit.answeredActivity.key);
          if (activity) Object.assign(activity, { state: 'done', answer: commit.answeredActivity.answer });
        }
        records.push(...commit.also);
        writePlan(row.id, version, at, plan);
      }
      return stale;
    },

    async incident(incident) {
      incidents.push(incident);
      const row = actors.get(incident.actorId);
      if (!incident.quarantine || !row) return;
      actors.set(row.id, { ...row, status: 'quarantined', version: row.version + 1 });
    },

    async dueTimers(now, limit) {
      return [...timers.values()]
        .filter(({ dueAt, actorId }) => dueAt <= now && actors.get(actorId)?.status !== 'quarantined')
        .sort((a, b) => a.dueAt - b.dueAt || (a.actorId < b.actorId ? -1 : 1))
        .slice(0, limit);
    },

    async dropTimer(actorId, timerId) {
      timers.delete(timerKey(actorId, timerId));
    },

    async takeActivities(now, retryMs, limit, kinds) {
      const due = [...activities.values()]
        .filter(({ state, dueAt, kind }) => state === 'pending' && dueAt <= now && kinds.includes(kind))
        .slice(0, limit);
      return due.map((activity) => {
        activity.dueAt = now + retryMs * 2 ** Math.min(activity.attempts, 6);
        activity.attempts++;
        return {
          key: activity.key,
          actorId: activity.actorId,
          kind: activity.kind,
          payload: activity.payload,
          attempts: activity.attempts,
        };
      });
    },

    async renewActivities(keys, until) {
      for (const activity of keys.map((key) => activities.get(key)))
        if (activity?.state === 'pending') activity.dueAt = Math.max(activity.dueAt, until);
    },

    async giveUpActivity(key, answer) {
      const activity = activities.get(key);
      if (activity?.state === 'pending') Object.assign(activity, { state: 'given_up', answer });
    },
  };
}
