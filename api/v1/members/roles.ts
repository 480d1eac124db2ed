/** GET /v1/roles: lists the roles for members. */
import { Type } from 'typebox';
import { memberOf } from '../../caller.ts';
import { defineRoute } from '../../route.ts';
import { RoleBody, roleBody } from './member-body.ts';

export const listRoles = defineRoute({
  method: 'GET',
  url: '/v1/roles',
  name: 'listRoles',
  tag: 'members',
  summary: 'The built-in roles, and those of the organization',
  permission: 'members:manage',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'All roles.', schema: Type.Object({ items: Type.Array(RoleBody) }) } },
  refusals: [],
  handle: (ports) => async (request) => ({ items: (await ports.members.reads.roles(memberOf(request).orgId)).map(roleBody) }),
});
