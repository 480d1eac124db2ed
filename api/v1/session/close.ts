/** DELETE /v1/session: clears the browser's token. A browser without one gets the same answer. */
import { defineRoute } from '../../route.ts';
import { forgetToken } from './session-cookie.ts';

export const closeSession = defineRoute({
  method: 'DELETE',
  url: '/v1/session',
  name: 'closeSession',
  tag: 'identity',
  summary: "Clears the browser's cookie",
  description: 'The token itself stays valid until it expires.',
  permission: 'public',
  cost: 'read',
  schema: {},
  answers: { 204: { description: 'The cookie is cleared.' } },
  refusals: [],
  handle: (_ports, options) => (_request, reply) => {
    forgetToken(reply, options);
    return reply.header('cache-control', 'no-store').code(204).send();
  },
});
