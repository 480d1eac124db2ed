/** POST /v1/takes/:id/disarm: stops its evaluation, and cancels its pending proposals. */
import { TO_STOP } from '../../permission.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { TakeBody } from './take-body.ts';
import { commandToTake } from './take-command.ts';

export const disarmTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/:id/disarm',
  name: 'disarmTake',
  tag: 'takes',
  summary: 'Disarms a Take',
  description: 'The position stays open. Armed again, the Take watches its exit conditions again.',
  permission: TO_STOP,
  cost: 'emergency',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The Take, disarmed.', schema: TakeBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: commandToTake((commands, context, id) => commands.disarm(context, id)),
});
