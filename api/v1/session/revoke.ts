/** POST /v1/session/revoke: revokes the caller's token and those of the same provider session. */

import { refuse } from '../../../src/domain/values/refusal.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { EmptyBody } from '../../shapes.ts';
import { forgetToken } from './session-cookie.ts';

const NOTHING_KEPT = 'this identity belongs to no organization and has no session here: end the session at the identity provider';

export const revokeSession = defineRoute({
  method: 'POST',
  url: '/v1/session/revoke',
  name: 'revokeSession',
  tag: 'identity',
  summary: "Ends the caller's session everywhere",
  description:
    'The token is refused by every process of the service, and so is each other one of the same session of the identity provider (`sid`). Where a token names neither a session nor itself, all tokens of the caller that were issued until now are refused.',
  permission: 'identity',
  cost: 'write',
  schema: { body: EmptyBody },
  bodyRule: 'optional',
  answers: { 204: { description: 'The session has ended, and the cookie is cleared.' } },
  refusals: ['state_conflict'],
  handle: (ports, options) => async (request, reply) => {
    const { caller } = request;
    if (caller === null) throw new Error('the request has no verified caller');
    const { orgId, subject, permissions, claims } = caller;
    if (orgId === null) return sendRefusal(reply, refuse('state_conflict', NOTHING_KEPT).refusal);
    const ended = await ports.members.commands.endSession({ orgId, subject, permissions, requestId: request.id }, claims);
    if (!ended.ok) return sendRefusal(reply, ended.refusal);
    forgetToken(reply, options);
    return reply.code(204).send();
  },
});
