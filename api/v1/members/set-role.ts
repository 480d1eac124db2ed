/** PUT /v1/roles/:name: writes a role of the organization. */
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { PermissionList, RoleBody, RoleText, roleBody } from './member-body.ts';

export const setRole = defineRoute({
  method: 'PUT',
  url: '/v1/roles/:name',
  name: 'setRole',
  tag: 'members',
  summary: 'Writes a role of the organization: a name for a set of permissions',
  description: 'Members who have the role have its new permissions at once. The built-in roles stay as they are.',
  permission: 'members:manage',
  cost: 'write',
  schema: { params: objectOf({ name: RoleText }), body: objectOf({ permissions: PermissionList }) },
  idempotent: true,
  answers: { 200: { description: 'The role as it is now.', schema: RoleBody } },
  refusals: ['state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) =>
      carryOut(request, reply, {
        status: 200,
        answer: roleBody,
        run: (context) => ports.members.commands.setRole(context, request.params.name, request.body.permissions),
      });
  },
});
