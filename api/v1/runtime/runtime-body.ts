/** What waits, what went wrong and who intervened, as the routes of the runtime show it. */
import { Type } from 'typebox';
import { INTERVENTIONS } from '../../../actors/intervention/commands.ts';
import { isoTime } from '../../../src/domain/time.ts';
import { AnyJson, choice, IdText, NullableTime, nullable, Time } from '../../shapes.ts';
import type { RecordedIntervention } from './ports.ts';

/** The actor that something belongs to. */
export const ofActor = {
  actorId: IdText,
  actorKind: Type.String(),
  actorName: nullable('string', 'Of an agent; other actors have none.'),
  actorStatus: choice(['running', 'done', 'quarantined']),
};

const intervention = {
  actorId: IdText,
  action: choice(INTERVENTIONS),
  activity: nullable('string', 'The activity that was retried; null where it was the actor as a whole.'),
  activities: Type.Integer({ description: 'How many activities are tried anew.' }),
  reason: Type.String({ description: 'Why, in the words of whoever intervened.' }),
  subject: Type.String({ description: 'Who intervened.' }),
  at: Time,
};

export const InterventionBody = Type.Object(intervention, { $id: 'Intervention' });

export const RecordedInterventionBody = Type.Object({ ...ofActor, ...intervention }, { $id: 'RecordedIntervention' });

/** Of an intervention, on record or just made. */
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
    dueAt: { ...Time, description: 'When it is tried next, or was tried last.' },
    createdAt: Time,
    endedAt: { ...NullableTime, description: 'Null while it is pending.' },
    answer: { ...AnyJson, description: 'Why it was given up.' },
    isLeft: Type.Boolean({ description: 'Whether its actor has taken a step since: a given-up one cannot be retried then.' }),
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
        firstDueAt: { ...Time, description: 'When the first of them is or was due.' },
      }),
      { description: 'What is to be done outside, and what was given up.' },
    ),
    timers: Type.Object({
      count: Type.Integer(),
      overdue: Type.Integer({ description: 'Those of a quarantined actor wait for its release.' }),
      nextDueAt: NullableTime,
    }),
    incidents: Type.Array(Type.Object({ kind: Type.String(), count: Type.Integer(), lastAt: Time }), {
      description: 'Of the last 24 hours.',
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
            hasFailed: Type.Boolean({ description: 'When it was tried last.' }),
          }),
        ),
      },
      { description: 'How far the work of the whole service is.' },
    ),
  },
  { $id: 'Runtime' },
);
