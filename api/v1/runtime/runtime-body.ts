/** Wire shapes of the runtime routes: waiting work, incidents and interventions. */
import { Type } from 'typebox';
import { INTERVENTIONS } from '../../../actors/intervention/commands.ts';
import type { RecordedIntervention } from '../../../src/adapters/store/actors/runtime-rows.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { AnyJson, choice, IdText, NullableTime, nullable, Time } from '../../shapes.ts';

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

export const RecordedInterventionBody = Type.Object({ ...ofActor, ...intervention }, { $id: 'RecordedIntervention' });

/** Wire shape of an intervention, recorded or just made. */
export function interventionBody<One extends { readonly at: RecordedIntervention['at'] }>({ at, ...one }: One) {
  return { ...one, at: isoTime(at) };
}

const state = choice(['pending', 'given_up']);

export const ActivityBody = Type.Object(
  {
    ...ofActor,
    key: Type.String({
      description: 'The same at every attempt: the actor, the version of the step that asked for it, and its place in the step.',
    }),
    kind: Type.String(),
    state,
    attempts: Type.Integer(),
    dueAt: { ...Time, description: 'Time of the next attempt, or of the last one.' },
    createdAt: Time,
    endedAt: { ...NullableTime, description: 'Null while it is pending.' },
    answer: { ...AnyJson, description: 'Reason it was abandoned.' },
    isLeft: Type.Boolean({ description: 'True if its actor has taken a step since. An abandoned activity cannot be retried then.' }),
  },
  { $id: 'WaitingActivity' },
);

export const TimerBody = Type.Object({ ...ofActor, timerId: Type.String(), dueAt: Time, event: AnyJson }, { $id: 'WaitingTimer' });

export const IncidentBody = Type.Object(
  { ...ofActor, at: Time, kind: Type.String(), detail: Type.String({ description: 'In one line.' }) },
  { $id: 'ActorIncident' },
);

export const RuntimeBody = Type.Object(
  {
    at: Time,
    actors: Type.Array(Type.Object({ kind: Type.String(), status: ofActor.actorStatus, count: Type.Integer() })),
    activities: Type.Array(
      Type.Object({
        kind: Type.String(),
        state,
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
