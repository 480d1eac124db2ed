/** GET /v1/actors/:id/steps: returns a range of an actor's committed steps, by version. */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, Time, versionOf } from '../../shapes.ts';
import { StepBody } from '../agents/history.ts';
import { ActorPath, NO_ACTOR } from './actor-body.ts';

/** Maximum steps of an answer. */
const MOST_STEPS = 200;

const StretchBody = Type.Object(
  {
    version: Type.Integer({ description: 'Current version of the actor.' }),
    items: Type.Array(StepBody, { description: 'Oldest first.' }),
    archived: Type.Optional(
      Type.Object(
        { at: Time, file: Type.String() },
        { description: 'Time and archive file of the move, if the actor has ended and its steps were moved.' },
      ),
    ),
  },
  { $id: 'StepStretch', description: 'Versions created by a quarantine have no step.' },
);

export const listActorSteps = defineRoute({
  method: 'GET',
  url: '/v1/actors/:id/steps',
  name: 'listActorSteps',
  tag: 'actors',
  summary: "Any stretch of an actor's committed steps, by version",
  description: `Returns at most ${MOST_STEPS} steps after version \`from\` up to version \`to\`.`,
  permission: 'agent:read',
  cost: 'read',
  schema: {
    params: ActorPath,
    querystring: objectOf({
      from: versionOf(0, 'The version before the first step of the stretch.'),
      to: versionOf(1, 'The version of its last step.'),
    }),
  },
  answers: { 200: { description: 'The stretch.', schema: StretchBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { from, to } = request.query;
    if (to <= from || to - from > MOST_STEPS)
      return sendProblem(reply, 'malformed', `$.to: the range must end after its start, ${from}, and holds at most ${MOST_STEPS} steps`);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.actors.reads.steps(memberOf(request).orgId, id, from, to);
    if (found === null) return sendProblem(reply, 'not_found', NO_ACTOR);
    const { version, items, archived } = found;
    const moved = archived === null ? {} : { archived: { ...archived, at: isoTime(archived.at) } };
    return { version, items: items.map((step) => ({ ...step, at: isoTime(step.at) })), ...moved };
  },
});
