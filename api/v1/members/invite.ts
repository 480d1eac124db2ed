/** POST /v1/invitations: creates a single-use code for joining the organization. */
import { Type } from 'typebox';
import type { NewInvitation } from '../../../actors/members/commands.ts';
import { INVITATION_HOURS } from '../../../src/domain/identity/member.ts';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { invitationBody, MemberName, NewInvitationBody, PermissionList, RoleText } from './member-body.ts';

export const inviteMember = defineRoute({
  method: 'POST',
  url: '/v1/invitations',
  name: 'inviteMember',
  tag: 'members',
  summary: 'Invites a member with a role or permissions',
  description:
    'Give either `role` or `permissions`. The code is shown once and not stored: send it over a channel that you trust. Repeating the request creates another invitation.',
  permission: 'members:manage',
  cost: 'write',
  schema: {
    body: objectOf({
      name: MemberName,
      role: Type.Optional(RoleText),
      permissions: Type.Optional(PermissionList),
      hours: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 720, description: `Hours until it expires. Default: ${INVITATION_HOURS}.` }),
      ),
    }),
  },
  answers: { 201: { description: 'The invitation with its code.', schema: NewInvitationBody } },
  refusals: ['state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { name, role = null, permissions = null, hours = INVITATION_HOURS } = request.body;
      return carryOut(request, reply, {
        status: 201,
        answer: (invited: NewInvitation) => ({ ...invitationBody(invited), code: invited.code }),
        // The answer contains a secret, so it is not remembered.
        run: ({ remember: _, ...context }) => ports.members.commands.invite(context, { name, role, permissions, hours }),
      });
    };
  },
});
