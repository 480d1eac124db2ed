/** POST /v1/actors/:id/what-if: what other events would have led to, from any step of an actor. */
import { Type } from 'typebox';
import type { ActorEvent } from '../../../src/domain/actor-step.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AnyJson, choice, objectOf, versionOf } from '../../shapes.ts';
import { ActorPath, AnyObject, followed, NO_ACTOR } from './actor-body.ts';

/** Events of one branch at most. */
const MOST_EVENTS = 20;
const BranchBody = Type.Object(
  {
    kind: Type.String(),
    machine: Type.String({ description: 'The present machine, which the branch is of.' }),
    version: Type.Integer({ description: 'Version at which the branch leaves the history.' }),
    steps: Type.Array(
      Type.Object({
        event: AnyObject,
        from: AnyJson,
        to: AnyJson,
        status: choice(['active', 'done']),
        taken: Type.Boolean({ description: 'False if the machine has no transition for the event there, or every guard says no.' }),
        refusal: Type.Unsafe<object | null>({
          type: ['object', 'null'],
          description: 'Why the actor would refuse the event before its machine sees it. The branch ends with it.',
          properties: { code: { type: 'string' }, detail: { type: 'string' } },
        }),
        ...followed,
        activities: Type.Array(AnyObject),
      }),
    ),
    takes: Type.Array(Type.String(), { description: 'The events that the machine reacts to where the branch ends.' }),
  },
  { $id: 'ActorBranch' },
);

export const askWhatIf = defineRoute({
  method: 'POST',
  url: '/v1/actors/:id/what-if',
  name: 'askWhatIf',
  tag: 'actors',
  summary: 'Simulates other events from any step of an actor',
  description:
    'The state after `version` is rebuilt, and the events are given to a copy of it one after the other. The answer says for each what the state chart would have done: the transition, the changed context, and the records, timers, activities and announcements that a real step would have committed. Nothing is written, timed or carried out. A delay of the chart is an event of its own: its name stands under `timers`.',
  cost: 'read',
  schema: {
    params: ActorPath,
    body: objectOf({
      version: versionOf(1, 'The version of the step that the branch leaves from.'),
      events: Type.Array(
        Type.Unsafe<{ readonly type: string; readonly [key: string]: unknown }>({
          type: 'object',
          required: ['type'],
          properties: { type: { type: 'string', minLength: 1, maxLength: 200 } },
          additionalProperties: true,
        }),
        { minItems: 1, maxItems: MOST_EVENTS },
      ),
      at: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the events. Default: now.' })),
    }),
  },
  answers: { 200: { description: 'The branch.', schema: BranchBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    if (id === null) return sendProblem(reply, 'not_found', NO_ACTOR);
    const { version, events, at } = request.body;
    const wish = { version, events: events as readonly ActorEvent[], at: at === undefined ? null : Date.parse(at) };
    const outcome = await ports.actors.whatIf(memberOf(request).orgId, id, wish);
    return outcome.ok ? outcome.value : sendRefusal(reply, outcome.refusal);
  },
});
