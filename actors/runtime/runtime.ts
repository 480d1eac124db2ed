/** The durable actor runtime: loads, validates, steps and commits, retries lost races, and contains errors. */

import type { AnyMachineSnapshot } from 'xstate';
import type {
  ActorEvent,
  ActorRecord,
  ActorRow,
  ActorStart,
  AnsweredActivity,
  FiredTimer,
  Incident,
  StepCommit,
  StepPlan,
} from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { type Outcome, type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { ActorKind } from './actor-kind.ts';
import type { ActorStore } from './actor-store.ts';
import type { Directory } from './directory.ts';
import { eventStep, eventsTaken, startStep } from './step.ts';

/** Maximum attempts of a step when another process commits first. */
const RACE_LIMIT = 12;

export interface DeliverOptions {
  readonly cause: string;
  /** Limits delivery to this organization's actors. Others count as missing. */
  readonly orgId?: string;
  /** Returns rows to commit with the step, once its outcome is known. */
  readonly also?: (row: ActorRow, plan: StepPlan) => readonly ActorRecord[];
  readonly answeredActivity?: AnsweredActivity;
  /** Delivers only while this timer is as it was read. A lost race ends the delivery, and the timer is read again. */
  readonly firedTimer?: FiredTimer;
  /** Releases the actor from quarantine by this event. Other actors refuse it. */
  readonly releases?: true;
  /**
   * Quarantines an actor whose step the store refuses, with an incident and an alert, so that it is off duty in any case. Otherwise the
   * refusal is thrown once all other actors have received the event.
   */
  readonly quarantines?: true;
}

/** One of several events that an actor receives in one transaction. */
interface EventInTurn {
  readonly event: ActorEvent;
  readonly options: DeliverOptions;
}

interface Delivered {
  readonly version: number;
  readonly plan: StepPlan;
}

interface StartOptions {
  readonly cause: string;
  /** Returns rows to commit with the first step, once its outcome is known. */
  readonly also?: (plan: StepPlan) => readonly ActorRecord[];
  readonly tickPeriodMs?: number;
}

export interface Runtime {
  /** Creates an actor and commits its first step. */
  start(kind: string, id: string, orgId: string, input: object, options: StartOptions): Promise<StepPlan>;
  /** Returns the first step of a new actor, without writing it. @throws what the step throws. */
  prepare(kind: string, id: string, orgId: string, input: object, options: StartOptions): ActorStart;
  /** Creates prepared actors, all in one transaction or none. */
  begin(starts: readonly ActorStart[]): Promise<void>;
  /** Delivers one event. Answers after the commit. A refusal changes nothing. */
  deliver(actorId: string, event: ActorEvent, options: DeliverOptions): Promise<Outcome<Delivered>>;
  /**
   * Delivers several events to one actor in order, as steps of one transaction: all, or none if one is refused. Returns the result of the
   * last one.
   */
  deliverInTurn(actorId: string, events: readonly EventInTurn[]): Promise<Outcome<Delivered>>;
  /**
   * Delivers the same event to many actors in as few transactions as the store allows. Returns each actor's result. An actor whose step the
   * store refuses does not keep the event from others.
   */
  deliverMany(actorIds: readonly string[], event: ActorEvent, options: DeliverOptions): Promise<ReadonlyMap<string, Outcome<Delivered>>>;
}

/** Reason why an event leads to no step. */
interface NotTaken {
  readonly refusal: Refusal;
  /** Thrown error. */
  readonly broken?: unknown;
  readonly quarantine?: boolean;
}

/** Event of a turn that leads to no step. */
interface Refused extends NotTaken, EventInTurn {}

export function createRuntime(deps: {
  readonly store: ActorStore;
  readonly directory: Directory;
  readonly clock: Pick<Clock, 'now'>;
}): Runtime {
  const { store, clock } = deps;

  async function run(actorIds: readonly string[], events: readonly EventInTurn[]): Promise<Map<string, Outcome<Delivered>>> {
    const outcomes = new Map<string, Outcome<Delivered>>();
    const thrown: unknown[] = [];
    const { orgId, firedTimer, quarantines = false } = events[0]?.options ?? {};
    const rounds = firedTimer === undefined ? RACE_LIMIT : 1;
    let open: readonly string[] = [...new Set(actorIds)];
    for (let round = 0; open.length > 0 && round < rounds; round++) {
      const rows = await store.load(open);
      const commits: StepCommit[] = [];
      for (const id of open) {
        const row = rows.get(id);
        if (!row || (orgId !== undefined && row.orgId !== orgId)) {
          outcomes.set(id, refuse('not_found', 'there is no such actor'));
          continue;
        }
        const prepared = prepareTurn(deps, row, events);
        if ('commits' in prepared) {
          commits.push(...prepared.commits);
          continue;
        }
        outcomes.set(id, { ok: false, refusal: prepared.refusal });
        if ('broken' in prepared) await store.incident(toIncident(row, prepared, clock.now()));
      }
      const { stale, refused } = await commitApart(store, commits, quarantines);
      for (const [id, error] of refused) {
        outcomes.set(id, refuse('unavailable', `actor ${id} could not take ${events[0]?.event.type}: ${errorText(error)}`));
        if (!quarantines) thrown.push(error);
        else await store.incident(refusedStep(id, error, events[0]?.event as Json, clock.now()));
      }
      // With several steps of one actor, the result of the last one counts.
      for (const { row, plan } of commits) {
        if (!stale.has(row.id) && !refused.has(row.id)) outcomes.set(row.id, { ok: true, value: { version: row.version + 1, plan } });
      }
      open = [...stale];
    }
    if (thrown.length > 0) throw thrown[0];
    for (const id of open)
      outcomes.set(id, refuse('unavailable', `actor ${id} was changed by others, ${rounds} times in a row: try again`));
    return outcomes;
  }

  const deliverInTurn = async (actorId: string, events: readonly EventInTurn[]): Promise<Outcome<Delivered>> =>
    (await run([actorId], events)).get(actorId) as Outcome<Delivered>;

  return {
    start: (...described) => started(deps, preparedStart(deps, ...described)),
    prepare: (...described) => preparedStart(deps, ...described),
    begin: (starts) => store.start(...starts),
    deliver: (actorId, event, options) => deliverInTurn(actorId, [{ event, options }]),
    deliverInTurn,
    deliverMany: (actorIds, event, options) => run(actorIds, [{ event, options }]),
  };
}

/**
 * Commits the steps of many actors in one transaction. If the store refuses it, each actor's steps get their own transaction. `refused`
 * holds the errors of refused ones. @throws any other error, and the refusal of a single actor.
 */
async function commitApart(
  store: ActorStore,
  commits: readonly StepCommit[],
  quarantines: boolean,
): Promise<{ readonly stale: ReadonlySet<string>; readonly refused: ReadonlyMap<string, unknown> }> {
  const ids = new Set(commits.map(({ row }) => row.id));
  try {
    return { stale: await store.commit(commits), refused: new Map() };
  } catch (error) {
    if (!store.isRefusal(error) || (ids.size === 1 && !quarantines)) throw error;
  }
  const stale = new Set<string>();
  const refused = new Map<string, unknown>();
  for (const id of ids) {
    try {
      for (const moved of await store.commit(commits.filter(({ row }) => row.id === id))) stale.add(moved);
    } catch (error) {
      if (!store.isRefusal(error)) throw error;
      refused.set(id, error);
    }
  }
  return { stale, refused };
}

/** Returns the incident of an actor whose step the store refuses repeatedly. */
function refusedStep(actorId: string, error: unknown, event: Json, at: EpochMs): Incident {
  return { actorId, at, kind: 'quarantined', detail: `its step was refused: ${errorText(error)}`.slice(0, 4_000), event, quarantine: true };
}

async function started({ store }: { readonly store: ActorStore }, start: ActorStart): Promise<StepPlan> {
  await store.start(start);
  return start.plan;
}

type StepDeps = Pick<Parameters<typeof createRuntime>[0], 'directory' | 'clock'>;

/** Returns the first step of an actor. */
function preparedStart(
  { directory, clock }: StepDeps,
  ...[kindName, id, orgId, input, options]: Parameters<Runtime['prepare']>
): ActorStart {
  const kind: ActorKind = directory.kind(kindName);
  const at = clock.now();
  const plan = startStep(kind, { actorId: id, orgId, now: at }, input);
  return {
    id,
    orgId,
    kind: kind.kind,
    machine: kind.machine.id,
    at,
    input,
    plan,
    also: options.also?.(plan) ?? [],
    cause: options.cause,
    tickPeriodMs: options.tickPeriodMs ?? null,
  };
}

/** Returns the step that an event causes. */
function prepare(
  { directory, clock }: StepDeps,
  row: ActorRow,
  event: ActorEvent,
  options: DeliverOptions,
): { commit: StepCommit } | NotTaken {
  if (options.releases === true && row.status !== 'quarantined')
    return { refusal: { code: 'state_conflict', detail: `actor ${row.id} is not quarantined` } };
  if (row.status === 'quarantined' && options.releases !== true)
    return {
      refusal: {
        code: waitsForRelease(options) ? 'unavailable' : 'state_conflict',
        detail: `actor ${row.id} is quarantined: see its incidents`,
      },
    };
  if (row.status === 'done') return { refusal: { code: 'state_conflict', detail: `actor ${row.id} has ended` } };
  const fit = directory.fit(row);
  if (!fit)
    return {
      refusal: { code: 'state_conflict', detail: `actor ${row.id} was written by ${row.machine}, which this version cannot continue` },
      broken: `no way from ${row.machine}`,
      quarantine: true,
    };
  const { kind, state, snapshot } = fit;
  const at = clock.now();
  try {
    const refusal = kind.validate(state, event);
    if (refusal) return { refusal };
    if (!snapshot.can(event)) return { refusal: { code: 'state_conflict', detail: notTaken(snapshot, event) } };
    const plan = eventStep(kind, { actorId: row.id, orgId: row.orgId, now: at }, snapshot, event);
    const commit: StepCommit = {
      row,
      machine: kind.machine.id,
      event,
      at,
      plan,
      also: options.also?.(row, plan) ?? [],
      cause: options.cause,
      ...(options.answeredActivity ? { answeredActivity: options.answeredActivity } : {}),
      ...(options.firedTimer ? { firedTimer: options.firedTimer } : {}),
    };
    return { commit };
  } catch (error) {
    return {
      refusal: { code: 'unavailable', detail: `actor ${row.id} could not process ${event.type}; its last good state is kept` },
      broken: error,
    };
  }
}

/**
 * Returns the steps that the events cause, each from the end of the previous one, or the refusal of the first event that is not accepted.
 */
function prepareTurn(deps: StepDeps, found: ActorRow, events: readonly EventInTurn[]): { commits: readonly StepCommit[] } | Refused {
  const commits: StepCommit[] = [];
  let row = found;
  for (const { event, options } of events) {
    const prepared = prepare(deps, row, event, options);
    if (!('commit' in prepared)) return { ...prepared, event, options };
    const { commit } = prepared;
    commits.push(commit);
    const { state } = commit.plan;
    row = { ...row, machine: commit.machine, version: row.version + 1, state, status: state.status === 'done' ? 'done' : 'running' };
  }
  return { commits };
}

/** Returns the incident of an error thrown by a step. */
function toIncident(row: ActorRow, { event, options, broken, quarantine = !isCommand(options) }: Refused, at: EpochMs): Incident {
  const detail = broken instanceof Error ? (broken.stack ?? broken.message) : String(broken);
  return {
    actorId: row.id,
    at,
    kind: quarantine ? 'quarantined' : 'step_threw',
    detail: detail.slice(0, 4_000),
    event: event as Json,
    quarantine,
  };
}

function notTaken(snapshot: AnyMachineSnapshot, { type }: ActorEvent): string {
  const taken = eventsTaken(snapshot);
  return `in its state the actor does not take ${type}${taken.includes(type) ? ' as it is' : `; it takes ${taken.join(', ') || 'nothing'}`}`;
}

/**
 * True if the event comes again after the release of a quarantined actor. Its refusal must not end its timer or activity: the actor may be
 * released before that end is written.
 */
function waitsForRelease({ firedTimer, cause }: DeliverOptions): boolean {
  return firedTimer !== undefined || cause === 'activity' || cause === 'execution';
}

/**
 * True if the event is a command, whose caller receives the refusal. Timers, activities and feeds have no such caller, and would throw
 * again forever.
 */
function isCommand(options: DeliverOptions): boolean {
  return options.firedTimer === undefined && options.cause !== 'activity' && options.cause !== 'feed';
}
