/** GET /v1/invitations: lists invitations, newest first. */
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { InvitationBody, invitationBody } from './member-body.ts';

export const listInvitations = defineRoute({
  method: 'GET',
  url: '/v1/invitations',
  name: 'listInvitations',
  tag: 'members',
  summary: 'Invitations, newest first, without their codes',
  permission: 'members:manage',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of invitations.', schema: pageOf(InvitationBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'invitations', POSITIONS.number);
    return pageBody(await ports.members.reads.invitations(memberOf(request).orgId, page), 'invitations', invitationBody);
  },
});
