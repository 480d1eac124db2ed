/** State of the runtime: activities, timers, incidents, interventions, alerts and long work. */
import { Type } from 'typebox';
import { INTERVENTIONS, type InterventionCommands } from '../../actors/intervention/commands.ts';
import type { RuntimeReads } from '../../src/adapters/store/actors/runtime-reads.ts';
import type { RecordedIntervention, WorkQueues } from '../../src/adapters/store/actors/runtime-rows.ts';
import type { LongWorkReads } from '../../src/adapters/store/long-work-store.ts';
import { WORK_FIELDS } from '../../src/core/work-fields.ts';
import { VENUES } from '../../src/domain/market/venue.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { LONG_WORK_STATES, type LongWork, longWorkProgress, longWorkState, WORK_KINDS } from '../../src/domain/values/work-progress.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { sendProblem } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { AnyJson, choice, IdText, NullableTime, nullable, objectSchema, pageFields, pageSchema, Time } from '../shapes.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly runtime: {
      readonly reads: RuntimeReads;
      readonly commands: InterventionCommands;
      queues(): Promise<WorkQueues>;
    };
    readonly longWork: LongWorkReads;
  }
}

/** Actor of a record. */
const ofActor = {
  actorId: IdText,
  actorKind: Type.String(),
  actorName: nullable('string', 'Name of the agent, or null for other actors.'),
  actorStatus: choice(['running', 'done', 'quarantined']),
};

const intervention = {
  actorId: IdText,
  action: choice(INTERVENTIONS),
  activity: nullable('string', 'The activity that was retried; null if it was the actor as a whole.'),
  activities: Type.Integer({ description: 'Activities that are tried again.' }),
  reason: Type.String({ description: 'Reason given by the member who intervened.' }),
  subject: Type.String({ description: 'Member who intervened.' }),
  at: Time,
};

export const InterventionBody = Type.Object(intervention, { $id: 'Intervention' });

const RecordedInterventionBody = Type.Object({ ...ofActor, ...intervention }, { $id: 'RecordedIntervention' });

/** Wire shape of an intervention, recorded or just made. */
export function interventionBody<One extends { readonly at: RecordedIntervention['at'] }>({ at, ...one }: One) {
  return { ...one, at: isoTime(at) };
}

const activityState = choice(['pending', 'given_up']);

const ActivityBody = Type.Object(
  {
    ...ofActor,
    key: Type.String({
      description: 'The same at every attempt: the actor, the version of the step that asked for it, and its place in the step.',
    }),
    kind: Type.String(),
    state: activityState,
    attempts: Type.Integer(),
    dueAt: { ...Time, description: 'Time of the next attempt, or of the last one.' },
    createdAt: Time,
    endedAt: { ...NullableTime, description: 'Null while it is pending.' },
    answer: { ...AnyJson, description: 'Reason it was abandoned.' },
    isLeft: Type.Boolean({ description: 'True if its actor has taken a step since. An abandoned activity cannot be retried then.' }),
  },
  { $id: 'WaitingActivity' },
);

const TimerBody = Type.Object({ ...ofActor, timerId: Type.String(), dueAt: Time, event: AnyJson }, { $id: 'WaitingTimer' });

const IncidentBody = Type.Object(
  { ...ofActor, at: Time, kind: Type.String(), detail: Type.String({ description: 'In one line.' }) },
  { $id: 'ActorIncident' },
);

const RuntimeBody = Type.Object(
  {
    at: Time,
    actors: Type.Array(Type.Object({ kind: Type.String(), status: ofActor.actorStatus, count: Type.Integer() })),
    activities: Type.Array(
      Type.Object({
        kind: Type.String(),
        state: activityState,
        count: Type.Integer(),
        attempts: Type.Integer({ description: 'The most of one of them.' }),
        firstDueAt: { ...Time, description: 'Due time of the first of them.' },
      }),
      { description: 'Pending and abandoned activities.' },
    ),
    timers: Type.Object({
      count: Type.Integer(),
      overdue: Type.Integer({ description: 'Overdue timers. Timers of a quarantined actor wait for its release.' }),
      nextDueAt: NullableTime,
    }),
    incidents: Type.Array(Type.Object({ kind: Type.String(), count: Type.Integer(), lastAt: Time }), {
      description: 'Incidents of the last 24 hours.',
    }),
    queues: Type.Object(
      {
        ticks: Type.Array(
          Type.Object({
            periodMs: Type.Integer(),
            shard: Type.Integer(),
            lastSlot: { ...Time, description: 'The last slot that all of its actors were ticked at.' },
            isStalled: Type.Boolean(),
          }),
        ),
        recurring: Type.Array(
          Type.Object({
            name: Type.String(),
            lastSlot: nullable('string', 'The last slot that was done; null before the first.'),
            isUnderWay: Type.Boolean(),
            hasFailed: Type.Boolean({ description: 'True if its last attempt failed.' }),
          }),
        ),
      },
      { description: "Progress of the service's queues." },
    ),
  },
  { $id: 'Runtime' },
);

/** Wire fields of every kind of long work, including candle work. */
export const WORK_RECORD = {
  id: Type.String({ description: 'Id for `GET /v1/runtime/work/{id}`.' }),
  source: Type.String({ description: 'Names of the files, or the venue that is asked.' }),
  workedOnBy: Type.String({ description: 'The command or the part of the service that works, and its process.' }),
  state: choice(LONG_WORK_STATES, '`silent`: no progress report for 30 seconds, so its worker is gone.'),
  begunAt: Time,
  seenAt: { ...Time, description: 'Time of the last progress report.' },
  endedAt: NullableTime,
  error: nullable('string', 'Reason it ended early, or null.'),
  ...WORK_FIELDS,
};

const LongWorkBody = Type.Object(
  {
    kind: choice(
      WORK_KINDS,
      '`import`: of candles from files. `backfill`: candles that a venue is asked for. `event_import`, `fact_import`: events, marks or liquidity from files. `archive_move`: old history moves to archive files. `sandbox_advance`: the time of a sandbox is moved on.',
    ),
    subject: Type.String({ description: 'Subject of the work, in a few words.' }),
    ...WORK_RECORD,
  },
  { $id: 'LongWork' },
);

/** Returns the wire record of long work at the time it was read. */
export function workRecord(work: LongWork) {
  return {
    id: String(work.number),
    source: work.source,
    workedOnBy: work.workedOnBy,
    state: longWorkState(work, work.at),
    begunAt: isoTime(work.begunAt),
    seenAt: isoTime(work.seenAt),
    endedAt: work.endedAt === null ? null : isoTime(work.endedAt),
    error: work.error,
    ...longWorkProgress(work, work.at),
  };
}

function longWorkBody(work: LongWork) {
  return { kind: work.kind, subject: work.subject, ...workRecord(work) };
}

const getRuntime = defineRoute({
  method: 'GET',
  url: '/v1/runtime',
  name: 'getRuntime',
  tag: 'runtime',
  summary: 'Actors, activities, timers, incidents and queues in numbers',
  permission: 'agent:read',
  cost: 'costly',
  schema: {},
  answers: { 200: { description: 'The runtime.', schema: RuntimeBody } },
  refusals: [],
  handle: (ports) => async (request) => {
    const [counts, queues] = await Promise.all([ports.runtime.reads.counts(requireMember(request).orgId), ports.runtime.queues()]);
    const { actors, activities, timers, incidents } = counts;
    return {
      at: isoTime(ports.clock.now()),
      actors,
      activities: activities.map(({ firstDueAt, ...one }) => ({ ...one, firstDueAt: isoTime(firstDueAt) })),
      timers: { ...timers, nextDueAt: timers.nextDueAt === null ? null : isoTime(timers.nextDueAt) },
      incidents: incidents.map(({ lastAt, ...one }) => ({ ...one, lastAt: isoTime(lastAt) })),
      queues: {
        ticks: queues.ticks.map(({ lastSlot, ...one }) => ({ ...one, lastSlot: isoTime(lastSlot) })),
        recurring: queues.recurring.map(({ lastSlot, ...one }) => ({ ...one, lastSlot: lastSlot === null ? null : isoTime(lastSlot) })),
      },
    };
  },
});

const listActivities = defineRoute({
  method: 'GET',
  url: '/v1/runtime/activities',
  name: 'listActivities',
  tag: 'runtime',
  summary: 'Pending and abandoned activities, newest actors first',
  description: 'Finished activities are part of their step: `GET /v1/actors/:id/steps/:version`.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema({ ...pageFields, state: Type.Optional(choice(['pending', 'given_up'], 'Pending unless given.')) }) },
  answers: { 200: { description: 'A page of activities.', schema: pageSchema(ActivityBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { state = 'pending' } = request.query;
    const page = pageOfQuery(request.query, 'activities', POSITIONS.activity);
    const found = await ports.runtime.reads.activities(requireMember(request).orgId, state, page);
    return pageBody(found, 'activities', ({ dueAt, createdAt, endedAt, ...one }) => ({
      ...one,
      dueAt: isoTime(dueAt),
      createdAt: isoTime(createdAt),
      endedAt: endedAt === null ? null : isoTime(endedAt),
    }));
  },
});

const listTimers = defineRoute({
  method: 'GET',
  url: '/v1/runtime/timers',
  name: 'listTimers',
  tag: 'runtime',
  summary: 'Timers of actors, earliest due first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of timers.', schema: pageSchema(TimerBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'timers', POSITIONS.timer);
    const found = await ports.runtime.reads.timers(requireMember(request).orgId, page);
    return pageBody(found, 'timers', ({ dueAt, ...one }) => ({ ...one, dueAt: isoTime(dueAt) }));
  },
});

const listIncidents = defineRoute({
  method: 'GET',
  url: '/v1/runtime/incidents',
  name: 'listIncidents',
  tag: 'runtime',
  summary: 'Incidents inside actors, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of incidents.', schema: pageSchema(IncidentBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'incidents', POSITIONS.number);
    const found = await ports.runtime.reads.incidents(requireMember(request).orgId, page);
    return pageBody(found, 'incidents', ({ id: _, at, ...one }) => ({ ...one, at: isoTime(at) }));
  },
});

const listInterventions = defineRoute({
  method: 'GET',
  url: '/v1/runtime/interventions',
  name: 'listInterventions',
  tag: 'runtime',
  summary: 'Interventions (retry, reset, release) with member and reason, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of interventions.', schema: pageSchema(RecordedInterventionBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'interventions', POSITIONS.number);
    const found = await ports.runtime.reads.interventions(requireMember(request).orgId, page);
    return pageBody(found, 'interventions', ({ number: _, ...one }) => interventionBody(one));
  },
});

const AlertBody = Type.Object(
  {
    at: Time,
    what: Type.String({ description: 'The kind of the alert, such as `data_degraded`.' }),
    agentId: nullable('string', 'The agent that it is about; null of other actors and of the whole service.'),
    agentName: nullable('string', 'Present name of the agent.'),
    venues: Type.Array(Type.String({ enum: [...VENUES] }), { description: 'The venues that it is about; empty if it is about none.' }),
    detail: nullable('string', 'Cause in one sentence, if the alert gives one.'),
    ofService: Type.Boolean({ description: 'It is about the whole service, and every organization is told.' }),
    data: Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: 'The message of the feed `alerts`, unchanged.' }),
  },
  { $id: 'Alert' },
);

const listAlerts = defineRoute({
  method: 'GET',
  url: '/v1/alerts',
  name: 'listAlerts',
  tag: 'runtime',
  summary: 'Alerts of the organization and of the whole service, newest first',
  description: 'Alerts of the feed `alerts`, as far back as feeds can be resumed (`FEED_HISTORY_DAYS`).',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of alerts.', schema: pageSchema(AlertBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'alerts', POSITIONS.announcement);
    const found = await ports.runtime.reads.alerts(requireMember(request).orgId, page);
    return pageBody(found, 'alerts', ({ position: _, at, body, venues, ...alert }) => ({
      at: isoTime(at),
      ...alert,
      venues: VENUES.filter((venue) => venues.includes(venue)),
      data: body,
    }));
  },
});

const listWork = defineRoute({
  method: 'GET',
  url: '/v1/runtime/work',
  name: 'listWork',
  tag: 'runtime',
  summary: 'Imports, backfills and moves to the archive with their progress, newest first',
  description:
    'Shown for a week. Work of less than a second is left out. Evaluations, proposals, transfers and launches carry the same fields in their own records.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of work.', schema: pageSchema(LongWorkBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'work', POSITIONS.number);
    return pageBody(await ports.longWork.list(page, null), 'work', longWorkBody);
  },
});

const getWork = defineRoute({
  method: 'GET',
  url: '/v1/runtime/work/:id',
  name: 'getWork',
  tag: 'runtime',
  summary: 'Progress of one import, backfill or move to the archive',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: objectSchema({ id: Type.String({ maxLength: 100, examples: ['12'] }) }) },
  answers: { 200: { description: 'The work.', schema: LongWorkBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { id } = request.params;
    const work = POSITIONS.number.test(id) ? await ports.longWork.find(Number(id)) : null;
    return work === null ? sendProblem(reply, 'not_found', 'there is no such work, or it ended more than a week ago') : longWorkBody(work);
  },
});

export const runtimeRoutes: RouteGroup = {
  tag: {
    name: 'runtime',
    position: 100,
    description:
      'Pending and abandoned activities, timers, incidents, interventions and background work. Find the actor first, then retry an activity or release a quarantine under **actors**. Interventions require a reason and are recorded.',
  },
  routes: [getRuntime, listActivities, listTimers, listIncidents, listInterventions, listAlerts, listWork, getWork],
};
