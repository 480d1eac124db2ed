/** POST /v1/actors/:id/retry, /reset and /release: what a person does to an actor beside its state chart, with the reason. */
import { Type } from 'typebox';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { InterventionBody, interventionBody } from '../runtime/runtime-body.ts';
import { ActorPath, NO_ACTOR } from './actor-body.ts';

const Reason = Type.String({ minLength: 1, maxLength: 500, pattern: '\\S', description: 'Why; kept for good, with who it was.' });
const ANSWER = { 200: { description: 'What is on record now.', schema: InterventionBody } } as const;

export const retryActivity = defineRoute({
  method: 'POST',
  url: '/v1/actors/:id/retry',
  name: 'retryActivity',
  tag: 'actors',
  summary: 'Has one activity of an actor tried again at once',
  description:
    'A pending activity is tried now, and its attempts are counted from none. One that was given up is tried again only while its actor has taken no step since it asked for it; else the actor has gone on, and `state_conflict` says so.',
  cost: 'write',
  schema: {
    params: ActorPath,
    body: objectOf({
      activity: Type.String({ pattern: '^[0-9a-f-]{36}:\\d{1,12}:\\d{1,6}$', description: 'The key of the activity.' }),
      reason: Reason,
    }),
  },
  idempotent: true,
  answers: ANSWER,
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_ACTOR);
      const { activity, reason } = request.body;
      const run = (context: Parameters<typeof ports.runtime.commands.retry>[0]) =>
        ports.runtime.commands.retry(context, id, activity, reason);
      return carryOut(request, reply, { status: 200, answer: interventionBody, run });
    };
  },
});

export const resetActor = onWholeActor(
  'reset',
  'Counts the attempts of all pending activities of an actor from none, and has them tried at once',
);

export const releaseActor = onWholeActor(
  'release',
  'Takes an actor of any kind out of quarantine',
  'An agent is paused then, with the cause `quarantine`, until somebody other than its creator resumes it. Another actor goes on where it stood, with the timers that it had; what it was not told meanwhile is under its activities that were given up. A cause that is still there quarantines it again.',
);

function onWholeActor(action: 'reset' | 'release', summary: string, description?: string) {
  return defineRoute({
    method: 'POST',
    url: `/v1/actors/:id/${action}`,
    name: `${action}Actor`,
    tag: 'actors',
    summary,
    ...(description === undefined ? {} : { description }),
    cost: 'write',
    schema: { params: ActorPath, body: objectOf({ reason: Reason }) },
    idempotent: true,
    answers: ANSWER,
    refusals: ['not_found', 'state_conflict'],
    handle: (ports) => {
      const carryOut = onceOnly(ports);
      return (request, reply) => {
        const id = idInPath(request.params);
        if (id === null) return sendProblem(reply, 'not_found', NO_ACTOR);
        const { reason } = request.body;
        return carryOut(request, reply, {
          status: 200,
          answer: interventionBody,
          run: (context) => ports.runtime.commands[action](context, id, reason),
        });
      };
    },
  });
}
