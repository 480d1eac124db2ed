/** POST /v1/actors/:id/retry, /reset and /release: interventions of a person outside an actor's state chart, with a reason. */
import { type Static, type TObject, Type } from 'typebox';
import type { CommandContext } from '../../../actors/agent/commands.ts';
import type { InterventionCommands } from '../../../actors/intervention/command-handler.ts';
import type { Intervention, InterventionAction } from '../../../actors/intervention/commands.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { InterventionBody, interventionBody } from '../runtime/runtime-body.ts';
import { ActorPath, NO_ACTOR } from './actor-body.ts';

const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '\\S',
  description: 'Reason of the intervention. Recorded for good with the caller.',
});
const ANSWER = { 200: { description: 'The intervention as recorded.', schema: InterventionBody } } as const;

export const retryActivity = intervention({
  action: 'retry',
  name: 'retryActivity',
  summary: 'Retries one activity of an actor at once',
  description:
    'Runs a pending activity now and resets its attempt count. An abandoned activity can be retried only if its actor has taken no step since; otherwise the answer is `state_conflict`.',
  body: objectOf({
    activity: Type.String({ pattern: '^[0-9a-f-]{36}:\\d{1,12}:\\d{1,6}$', description: 'The key of the activity.' }),
    reason: Reason,
  }),
  run: (commands, context, id, { activity, reason }) => commands.retry(context, id, activity, reason),
});

export const resetActor = intervention({
  action: 'reset',
  name: 'resetActor',
  summary: 'Resets the attempts of all pending activities of an actor and retries them at once',
  body: objectOf({ reason: Reason }),
  run: (commands, context, id, { reason }) => commands.reset(context, id, reason),
});

export const releaseActor = intervention({
  action: 'release',
  name: 'releaseActor',
  summary: 'Takes an actor of any kind out of quarantine',
  description:
    'An agent stays paused with the cause `quarantine` until somebody other than its creator resumes it. Any other actor continues from its last state with its timers; results that it missed are listed under its abandoned activities. If the cause is still present, the actor is quarantined again.',
  body: objectOf({ reason: Reason }),
  run: (commands, context, id, { reason }) => commands.release(context, id, reason),
});

function intervention<Body extends TObject>(of: {
  readonly action: InterventionAction;
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly body: Body;
  readonly run: (commands: InterventionCommands, context: CommandContext, id: string, body: Static<Body>) => Promise<Outcome<Intervention>>;
}) {
  const { action, name, summary, description, body, run } = of;
  return defineRoute({
    method: 'POST',
    url: `/v1/actors/:id/${action}`,
    name,
    tag: 'actors',
    summary,
    ...(description === undefined ? {} : { description }),
    permission: 'risk:manage',
    cost: 'write',
    schema: { params: ActorPath, body },
    idempotent: true,
    answers: ANSWER,
    refusals: ['not_found', 'state_conflict'],
    handle: (ports) => {
      const carryOut = onceOnly(ports);
      return (request, reply) => {
        const id = idInPath(request.params);
        if (id === null) return sendProblem(reply, 'not_found', NO_ACTOR);
        return carryOut(request, reply, {
          status: 200,
          answer: interventionBody,
          run: (context) => run(ports.runtime.commands, context, id, request.body as Static<Body>),
        });
      };
    },
  });
}
