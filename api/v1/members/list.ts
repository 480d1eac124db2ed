/** GET /v1/members: lists the organization's members and their permissions. */
import { Type } from 'typebox';
import { memberOf } from '../../caller.ts';
import { defineRoute } from '../../route.ts';
import { MemberBody, memberBody } from './member-body.ts';

export const listMembers = defineRoute({
  method: 'GET',
  url: '/v1/members',
  name: 'listMembers',
  tag: 'members',
  summary: 'The members of the organization, in the order of their subjects',
  permission: 'members:manage',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'All members.', schema: Type.Object({ items: Type.Array(MemberBody) }) } },
  refusals: [],
  handle: (ports) => async (request) => ({ items: (await ports.members.reads.list(memberOf(request).orgId)).map(memberBody) }),
});
