/** POST /v1/members/grant: replaces a member's role or permissions. */
import { Type } from 'typebox';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { MemberBody, memberBody, PermissionList, RoleText, SubjectText } from './member-body.ts';

export const grantMember = defineRoute({
  method: 'POST',
  url: '/v1/members/grant',
  name: 'grantMember',
  tag: 'members',
  summary: 'Gives a member a role or permissions',
  description:
    "Give either `role` or `permissions`. They replace the earlier ones from the member's next request on; open feeds follow within three seconds. Nobody can change permissions of their own.",
  permission: 'members:manage',
  cost: 'write',
  schema: { body: objectOf({ subject: SubjectText, role: Type.Optional(RoleText), permissions: Type.Optional(PermissionList) }) },
  idempotent: true,
  answers: { 200: { description: 'The member as it is now.', schema: MemberBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { subject, role = null, permissions = null } = request.body;
      return carryOut(request, reply, {
        status: 200,
        answer: memberBody,
        run: (context) => ports.members.commands.grant(context, subject, { role, permissions }),
      });
    };
  },
});
