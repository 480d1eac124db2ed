/** POST /v1/takes/:id/close: what it holds is sold, whatever its conditions say. */
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { TakeBody } from './take-body.ts';
import { commandToTake } from './take-command.ts';

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
  handle: commandToTake((commands, context, id) => commands.close(context, id)),
});
