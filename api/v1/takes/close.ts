/** POST /v1/takes/:id/close: what it holds is sold, whatever its conditions say. */
import type { TakeView } from '../../../actors/take/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { NO_TAKE, TakeBody, takeBody } from './take-body.ts';

export const closeTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/:id/close',
  name: 'closeTake',
  tag: 'takes',
  summary: 'Closes the position of a Take',
  description:
    'It is disarmed, and its position is sold at the market within its slippage budget, tried again every minute until it is gone. Risk lets reductions pass after a halt too; only a price that is not live holds it up.',
  cost: 'emergency',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The Take, disarmed with the reason `closing`; it is `closed` once all is sold.', schema: TakeBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_TAKE);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: TakeView) => takeBody(view),
        run: (context) => ports.takes.commands.close(context, id),
      });
    };
  },
});
