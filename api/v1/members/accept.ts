/** POST /v1/invitations/accept: adds the caller to the organization of an invitation code. */
import { Type } from 'typebox';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf } from '../../shapes.ts';

export const acceptInvitation = defineRoute({
  method: 'POST',
  url: '/v1/invitations/accept',
  name: 'acceptInvitation',
  tag: 'members',
  summary: 'Joins an organization by the code of an invitation',
  description:
    'For a verified identity of the identity provider that belongs to no organization. A code works once. One that is refused counts against the limit for wrong credentials.',
  permission: 'identity',
  cost: 'write',
  schema: { body: objectOf({ code: Type.String({ minLength: 1, maxLength: 64 }) }) },
  answers: { 200: { description: 'The organization that the caller belongs to now.', schema: Type.Object({ orgId: IdText }) } },
  refusals: ['state_conflict'],
  handle: (ports) => async (request, reply) => {
    const { caller } = request;
    if (caller === null) throw new Error('the request has no verified caller');
    const joined = await ports.joining.accept(caller.subject, request.body.code);
    if (joined.ok) return joined.value;
    const { allowed, retryAfterSeconds } = await ports.access.limits.take(`invitations ${caller.subject}`, 'failed_identity');
    if (allowed) return sendRefusal(reply, joined.refusal);
    return sendProblem(reply, 'rate_limited', `too many refused codes; the next one is read in ${retryAfterSeconds} s`, {
      retryAfterSeconds,
    });
  },
});
