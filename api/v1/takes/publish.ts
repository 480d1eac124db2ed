/** POST /v1/takes/:id/publish: lets every organization read and fork it from now on. */
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { TakeBody } from './take-body.ts';
import { commandToTake } from './take-command.ts';

export const publishTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/:id/publish',
  name: 'publishTake',
  tag: 'takes',
  summary: 'Publishes a Take',
  description: 'Makes conditions, limits and thesis readable to every organization, not its trades. This cannot be undone.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The Take, published.', schema: TakeBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: commandToTake((commands, context, id) => commands.publish(context, id)),
});
