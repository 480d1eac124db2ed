/** POST /v1/takes/:id/disarm: it is evaluated no more, and what it proposed and nobody began is cancelled. */
import type { TakeView } from '../../../actors/take/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { NO_TAKE, TakeBody, takeBody } from './take-body.ts';

export const disarmTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/:id/disarm',
  name: 'disarmTake',
  tag: 'takes',
  summary: 'Disarms a Take',
  description: 'Its position stays open; armed again, it goes on watching its exit conditions.',
  cost: 'emergency',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The Take, disarmed.', schema: TakeBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_TAKE);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: TakeView) => takeBody(view),
        run: (context) => ports.takes.commands.disarm(context, id),
      });
    };
  },
});
