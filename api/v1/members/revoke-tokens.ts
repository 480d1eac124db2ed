/** POST /v1/members/revoke-tokens: revokes every token that a member has been issued so far. */
import { Type } from 'typebox';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { SubjectText } from './member-body.ts';

export const revokeTokens = defineRoute({
  method: 'POST',
  url: '/v1/members/revoke-tokens',
  name: 'revokeTokens',
  tag: 'members',
  summary: 'Revokes the tokens of a member',
  description:
    'Every token that was issued until now is refused from its next request on, by every process of the service; open feeds end within three seconds. The member may sign in again: remove it to keep it out.',
  permission: 'members:manage',
  cost: 'write',
  schema: { body: objectOf({ subject: SubjectText }) },
  idempotent: true,
  answers: { 200: { description: 'The tokens are revoked.', schema: Type.Object({ subject: Type.String() }) } },
  refusals: ['not_found'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) =>
      carryOut(request, reply, {
        status: 200,
        answer: ({ subject }) => ({ subject }),
        run: (context) => ports.members.commands.revokeTokens(context, request.body.subject),
      });
  },
});
