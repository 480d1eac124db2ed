/** GET /v1/actors/:id/test: exports a range of an actor's history as a test. */
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, versionOf } from '../../shapes.ts';
import { ActorPath, NO_ACTOR } from './actor-body.ts';

export const exportActorTest = defineRoute({
  method: 'GET',
  url: '/v1/actors/:id/test',
  name: 'exportActorTest',
  tag: 'actors',
  summary: "A stretch of an actor's history as a test that vitest runs",
  description:
    'TypeScript for the folder `test/exported` of the repository: the state before the first step, the events with their times, and the result of each. The test passes while the state chart behaves the same. To fix a defect, write the correct result into the test and change the chart until it passes.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    params: ActorPath,
    querystring: objectOf({
      from: versionOf(0, 'The version before the first step of the test; 0 begins with the start.'),
      to: versionOf(1, 'The version of the last step; at most 500 steps.'),
    }),
  },
  answers: { 200: { description: 'The source of the test.', contentType: 'text/plain' } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    if (id === null) return sendProblem(reply, 'not_found', NO_ACTOR);
    const { from, to } = request.query;
    const outcome = await ports.actors.exportTest(memberOf(request).orgId, id, from, to);
    if (!outcome.ok) return sendRefusal(reply, outcome.refusal);
    reply.header('content-disposition', `attachment; filename="${id}-${from}-${to}.test.ts"`);
    return reply.type('text/plain; charset=utf-8').send(outcome.value);
  },
});
