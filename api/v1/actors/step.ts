/** GET /v1/actors/:id/steps/:version: returns a step with its reasons and consequences. */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AnyJson, choice, IdText, NullableTime, objectOf, Time } from '../../shapes.ts';
import { AnyObject, followed, NO_ACTOR } from './actor-body.ts';

const FateBody = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  description: 'Outcome of the activity, or null if it is not stored.',
  required: ['state', 'attempts', 'dueAt', 'answer', 'endedAt'],
  properties: {
    state: choice(['pending', 'done', 'given_up']),
    attempts: Type.Integer(),
    dueAt: { ...Time, description: 'Time of the next attempt, or of the last one.' },
    answer: AnyJson,
    endedAt: NullableTime,
  },
});

const AccountBody = Type.Object(
  {
    kind: Type.String(),
    machine: Type.String({ description: 'The present machine, which took the step again.' }),
    version: Type.Integer(),
    at: Time,
    event: AnyObject,
    status: choice(['active', 'done']),
    guards: Type.Array(
      Type.Object({
        guard: Type.String(),
        params: AnyJson,
        passed: Type.Boolean(),
        inputs: Type.Array(Type.Object({ path: Type.String(), value: AnyJson }), {
          description: "Inputs of the guard: fields of `context` and `event`, and `state` if it asks for the machine's state.",
        }),
      }),
      { description: 'The guards that the step asked, in their order.' },
    ),
    ...followed,
    activities: Type.Array(Type.Object({ kind: Type.String(), payload: AnyObject, fate: FateBody })),
    context: { ...AnyObject, description: 'Context after the step.' },
    takes: Type.Array(Type.String(), { description: 'The events that the machine reacts to after it.' }),
  },
  { $id: 'StepAccount' },
);

export const getActorStep = defineRoute({
  method: 'GET',
  url: '/v1/actors/:id/steps/:version',
  name: 'getActorStep',
  tag: 'actors',
  summary: 'One step of an actor: its guards and their inputs, changes and effects',
  description:
    'Rebuilds the state before the step from the last checkpoint and takes the step again with traced guards. Writes nothing. Answers `state_conflict` if the present machine leads to another state than the stored step.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    params: objectOf({
      id: IdText,
      version: Type.String({ description: 'The version that the step led to.' }),
    }),
  },
  answers: { 200: { description: 'The account of the step.', schema: AccountBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const { version } = request.params;
    if (id === null || !/^[1-9]\d{0,11}$/.test(version)) return sendProblem(reply, 'not_found', NO_ACTOR);
    const outcome = await ports.actors.account(memberOf(request).orgId, id, Number(version));
    if (!outcome.ok) return sendRefusal(reply, outcome.refusal);
    const { at, activities, ...account } = outcome.value;
    const fateOf = ({ fate }: (typeof activities)[number]) =>
      fate === null ? null : { ...fate, dueAt: isoTime(fate.dueAt), endedAt: fate.endedAt === null ? null : isoTime(fate.endedAt) };
    return { ...account, at: isoTime(at), activities: activities.map((one) => ({ ...one, fate: fateOf(one) })) };
  },
});
