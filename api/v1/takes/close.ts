/** POST /v1/takes/:id/close: sells the Take's position, whatever its conditions. */
import { TO_STOP } from '../../permission.ts';
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
    'Disarms the Take and sells its position at market within its slippage budget, with a retry every minute until it is sold. Works after a halt too. Waits only while the price is not live.',
  permission: TO_STOP,
  cost: 'emergency',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The Take, disarmed with the reason `closing`; it is `closed` once all is sold.', schema: TakeBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: commandToTake((commands, context, id) => commands.close(context, id)),
});
