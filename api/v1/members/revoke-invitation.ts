/** POST /v1/invitations/:id/revoke: revokes an invitation. */
import { NO_INVITATION } from '../../../actors/members/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { EmptyBody } from '../../shapes.ts';
import { InvitationBody, InvitationPath, invitationBody } from './member-body.ts';

export const revokeInvitation = defineRoute({
  method: 'POST',
  url: '/v1/invitations/:id/revoke',
  name: 'revokeInvitation',
  tag: 'members',
  summary: 'Revokes an invitation that nobody has accepted',
  permission: 'members:manage',
  cost: 'write',
  schema: { params: InvitationPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The invitation as it is now.', schema: InvitationBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_INVITATION);
      return carryOut(request, reply, {
        status: 200,
        answer: invitationBody,
        run: (context) => ports.members.commands.revokeInvitation(context, id),
      });
    };
  },
});
