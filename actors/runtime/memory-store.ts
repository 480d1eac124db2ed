/** Actors in memory, for replays and the simulation, with the same compare-and-set as the real store. */
import type {
  ActorRecord,
  ActorRow,
  ActorStart,
  Announcement,
  DueActivity,
  DueTimer,
  FiredTimer,
  Incident,
  StepCommit,
  StepPlan,
} from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { ActorStore } from './actor-store.ts';

/** A committed step in the history. */
interface MemoryStep {
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

/** Contents of the store, for replays and tests. */
export interface MemoryStore extends ActorStore {
  readonly actors: ReadonlyMap<string, ActorRow>;
  readonly steps: readonly MemoryStep[];
  readonly records: readonly ActorRecord[];
  readonly announcements: readonly (Announcement & { readonly actorId: string; readonly at: EpochMs })[];
  readonly incidents: readonly Incident[];
  readonly activities: ReadonlyMap<string, { readonly state: string; readonly attempts: number; readonly answer: Json }>;
  /** Total number of changes to actors. */
  readonly changes: number;
}

interface MemoryStoreOptions {
  /**
   * Receives the records of steps, in order. With it the store keeps only the present: no steps, records, announcements or answered
   * activities. States are then kept as the steps made them, because the runtime has checked that they are plain.
   */
  readonly onRecord?: (record: ActorRecord) => void;
}

export function createMemoryStore({ onRecord }: MemoryStoreOptions = {}): MemoryStore {
  return new HeldStore(onRecord ?? null);
}

/** Store in memory. Operations are fields, not methods, because stores that wrap this one spread it. */
class HeldStore implements MemoryStore {
  readonly actors = new Map<string, ActorRow>();
  readonly steps: MemoryStep[] = [];
  readonly records: ActorRecord[] = [];
  readonly announcements: (Announcement & { actorId: string; at: EpochMs })[] = [];
  readonly incidents: Incident[] = [];
  readonly #timers = new Map<string, DueTimer>();
  readonly activities = new Map<string, MemoryActivity>();
  readonly #onRecord: ((record: ActorRecord) => void) | null;
  changes = 0;

  constructor(onRecord: ((record: ActorRecord) => void) | null) {
    this.#onRecord = onRecord;
  }

  readonly load = async (ids: readonly string[]): Promise<ReadonlyMap<string, ActorRow>> => {
    const found = new Map<string, ActorRow>();
    for (const id of ids) {
      const row = this.actors.get(id);
      if (row) found.set(id, row);
    }
    return found;
  };

  readonly start = async (...starts: readonly ActorStart[]): Promise<void> => {
    const known = starts.find(({ id }, place) => this.actors.has(id) || starts.findIndex((other) => other.id === id) < place);
    if (known !== undefined) throw new Error(`actor ${known.id} exists already`);
    for (const start of starts) this.#begin(start);
  };

  #begin(start: ActorStart): void {
    this.actors.set(start.id, {
      id: start.id,
      orgId: start.orgId,
      kind: start.kind,
      machine: start.machine,
      version: 1,
      state: this.#kept(start.plan.state),
      status: 'running',
    });
    this.#write(start.also);
    this.#note(start.id, 1, start.at, { type: 'started', input: start.input }, null, start.plan);
    this.#writePlan(start.id, 1, start.at, start.plan);
  }

  readonly commit = async (commits: readonly StepCommit[]): Promise<ReadonlySet<string>> => {
    const stale = new Set<string>();
    for (const commit of commits) {
      const { row, plan, at } = commit;
      const now = this.actors.get(row.id);
      const isStale = !now || now.version !== row.version || now.status !== row.status || now.status === 'done';
      if (isStale || !this.#isDue(row.id, commit.firedTimer)) {
        stale.add(row.id);
        continue;
      }
      const version = row.version + 1;
      this.actors.set(row.id, {
        ...now,
        machine: commit.machine,
        version,
        state: this.#kept(plan.state),
        status: plan.state.status === 'done' ? 'done' : 'running',
      });
      this.#note(row.id, version, at, commit.event, row.state.value, plan);
      if (commit.firedTimer !== undefined) this.#timers.delete(timerKey(row.id, commit.firedTimer.timerId));
      if (commit.answeredActivity) {
        const { key, answer, isGivenUp } = commit.answeredActivity;
        const activity = this.activities.get(key);
        if (this.#onRecord !== null) this.activities.delete(key);
        else if (activity) Object.assign(activity, { state: isGivenUp === true ? 'given_up' : 'done', answer });
      }
      this.#write(commit.also);
      this.#writePlan(row.id, version, at, plan);
    }
    return stale;
  };

  readonly isRefusal = (): boolean => false;

  readonly incident = async (incident: Incident): Promise<void> => {
    this.incidents.push(incident);
    this.changes++;
    const row = this.actors.get(incident.actorId);
    if (!incident.quarantine || !row) return;
    this.actors.set(row.id, { ...row, status: 'quarantined', version: row.version + 1 });
  };

  #isQuarantined(actorId: string): boolean {
    return this.actors.get(actorId)?.status === 'quarantined';
  }

  readonly dueTimers = async (now: EpochMs, limit: number): Promise<readonly DueTimer[]> => {
    return [...this.#timers.values()]
      .filter(({ dueAt, actorId }) => dueAt <= now && !this.#isQuarantined(actorId))
      .sort((a, b) => a.dueAt - b.dueAt || (a.actorId < b.actorId ? -1 : 1))
      .slice(0, limit);
  };

  /** Returns true if no timer fires, or if it is still as it was read. */
  #isDue(actorId: string, fired: FiredTimer | undefined): boolean {
    if (fired === undefined) return true;
    const timer = this.#timers.get(timerKey(actorId, fired.timerId));
    return timer !== undefined && timer.dueAt <= fired.dueBy;
  }

  readonly dropTimer = async (actorId: string, timer: FiredTimer): Promise<void> => {
    if (!this.#isQuarantined(actorId) && this.#isDue(actorId, timer)) this.#timers.delete(timerKey(actorId, timer.timerId));
  };

  readonly takeActivities = async (
    now: EpochMs,
    retryMs: number,
    limit: number,
    kinds: readonly string[],
  ): Promise<readonly DueActivity[]> => {
    const due = [...this.activities.values()]
      .filter(
        ({ state, dueAt, kind, actorId }) => state === 'pending' && dueAt <= now && kinds.includes(kind) && !this.#isQuarantined(actorId),
      )
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
  };

  readonly renewActivities = async (keys: readonly string[], until: EpochMs): Promise<void> => {
    for (const activity of keys.map((key) => this.activities.get(key)))
      if (activity?.state === 'pending') activity.dueAt = Math.max(activity.dueAt, until);
  };

  /** Does nothing, because one worker has the whole memory. */
  readonly attend = async (): Promise<void> => {};

  readonly giveUpActivity = async (key: string, answer: Json): Promise<void> => {
    const activity = this.activities.get(key);
    if (activity?.state === 'pending' && !this.#isQuarantined(activity.actorId)) Object.assign(activity, { state: 'given_up', answer });
  };

  /** Returns a value after a round trip through JSON, as a database would keep it. Tests thus notice values that JSON changes. */
  #kept<Value>(value: Value): Value {
    return this.#onRecord === null ? (JSON.parse(JSON.stringify(value)) as Value) : value;
  }

  #write(records: readonly ActorRecord[]): void {
    if (this.#onRecord === null) this.records.push(...records);
    else for (const record of records) this.#onRecord(record);
  }

  #note(actorId: string, version: number, at: EpochMs, event: object, from: Json, { state: { value } }: StepPlan): void {
    this.changes++;
    if (this.#onRecord !== null) return;
    this.steps.push({ actorId, version, at, event: this.#kept(event) as Json, from, to: this.#kept(value) });
  }

  #writePlan(actorId: string, version: number, at: EpochMs, plan: StepPlan): void {
    this.#write(plan.records);
    for (const change of plan.timers) {
      if (change.op === 'cancel') this.#timers.delete(timerKey(actorId, change.timerId));
      else
        this.#timers.set(timerKey(actorId, change.timerId), {
          actorId,
          timerId: change.timerId,
          dueAt: change.dueAt,
          event: change.event,
        });
    }
    for (const [index, activity] of plan.activities.entries()) {
      const key = `${actorId}:${version}:${index}`;
      this.activities.set(key, {
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
    if (this.#onRecord !== null) return;
    for (const announcement of plan.announcements)
      this.announcements.push({ channel: announcement.channel, body: announcement.body, actorId, at });
  }
}

function timerKey(actorId: string, timerId: string): string {
  return `${actorId} ${timerId}`;
}
