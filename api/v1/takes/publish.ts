/** POST /v1/takes/:id/publish: every organization may read and fork it from now on. */
import type { TakeView } from '../../../actors/take/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { NO_TAKE, TakeBody, takeBody } from './take-body.ts';

export const publishTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/:id/publish',
  name: 'publishTake',
  tag: 'takes',
  summary: 'Publishes a Take',
  description: 'Its conditions, limits and thesis become readable to everybody; its trades do not. It cannot be taken back.',
  cost: 'write',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The Take, published.', schema: TakeBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_TAKE);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: TakeView) => takeBody(view),
        run: (context) => ports.takes.commands.publish(context, id),
      });
    };
  },
});
