/** POST /v1/members/remove: removes a member from the organization. */
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { MemberBody, memberBody, SubjectText } from './member-body.ts';

export const removeMember = defineRoute({
  method: 'POST',
  url: '/v1/members/remove',
  name: 'removeMember',
  tag: 'members',
  summary: 'Takes a member out of the organization',
  description:
    'From the next request on the identity belongs to no organization. What the member did stays on record, and its agents go on.',
  permission: 'members:manage',
  cost: 'write',
  schema: { body: objectOf({ subject: SubjectText }) },
  idempotent: true,
  answers: { 200: { description: 'The member as it was.', schema: MemberBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) =>
      carryOut(request, reply, {
        status: 200,
        answer: memberBody,
        run: (context) => ports.members.commands.remove(context, request.body.subject),
      });
  },
});
