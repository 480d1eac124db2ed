/** POST /v1/actors/:id/what-if: returns the branch that other events would have led to, from any step of an actor. */
import { Type } from 'typebox';
import type { ActorEvent } from '../../../src/domain/agents/actor-step.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AnyJson, choice, objectOf, versionOf } from '../../shapes.ts';
import { ActorPath, AnyObject, followed, NO_ACTOR } from './actor-body.ts';

/** Maximum events of a branch. */
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
        taken: Type.Boolean({ description: 'False if the state has no transition for the event, or all its guards fail.' }),
        refusal: Type.Unsafe<object | null>({
          type: ['object', 'null'],
          description: 'Reason the actor would refuse the event before its machine sees it. The branch ends here.',
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
    'Rebuilds the state after `version` and sends the events to a copy, one after the other. For each event the answer has the transition, the changed context, and the records, timers, activities and announcements that a real step would have committed. Nothing is stored or executed. To let a delay of the chart pass, send its event, whose name is listed under `timers`.',
  permission: 'agent:read',
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
