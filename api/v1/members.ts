/** Members of the organization, their roles, and invitations. */
import { Type } from 'typebox';
import { type MemberCommands, type NewInvitation, NO_INVITATION } from '../../actors/members/commands.ts';
import type { OrganizationMembers } from '../../src/adapters/store/callers/organization-members.ts';
import { PERMISSIONS } from '../../src/domain/agents/agent.ts';
import { INVITATION_HOURS, type Invitation, type MemberRole, type MemberView, ROLE_NAME } from '../../src/domain/identity/member.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import { isoTime, isoTimeOrNull } from '../../src/domain/values/time.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { sendProblem, sendRefusal } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { choice, EmptyBody, IdText, NullableTime, nullable, objectSchema, pageFields, pageSchema, shownText, Time } from '../shapes.ts';

declare module '../route.ts' {
  interface ApiPorts {
    /** The members of one organization. */
    readonly members: {
      readonly reads: Pick<OrganizationMembers, 'list' | 'roles' | 'invitations'>;
      readonly commands: MemberCommands;
    };
    /** Commands of an identity that belongs to no organization yet. */
    readonly joining: {
      accept(subject: string, code: string): Promise<Outcome<{ readonly orgId: string }>>;
    };
  }
}

const PermissionList = Type.Array(choice(PERMISSIONS), { minItems: 1, maxItems: PERMISSIONS.length, uniqueItems: true });
const SubjectText = Type.String({ minLength: 1, maxLength: 255, description: 'The subject of the identity provider (`sub`).' });
const RoleText = Type.String({ pattern: ROLE_NAME.source, examples: ['risk_manager'] });
const MemberName = shownText(120);
const InvitationPath = objectSchema({ id: IdText });

const granted = {
  role: nullable('string', 'Null if the permissions were named one by one.'),
  permissions: Type.Array(choice(PERMISSIONS)),
};
const MemberBody = Type.Object({ subject: Type.String(), name: Type.String(), ...granted }, { $id: 'Member' });
const RoleBody = Type.Object(
  { name: Type.String(), permissions: Type.Array(choice(PERMISSIONS)), builtIn: Type.Boolean() },
  { $id: 'MemberRole' },
);
const invitation = {
  id: IdText,
  name: Type.String(),
  ...granted,
  invitedBy: Type.String(),
  createdAt: Time,
  expiresAt: Time,
  acceptedBy: nullable('string'),
  acceptedAt: NullableTime,
  revokedAt: NullableTime,
};
const InvitationBody = Type.Object(invitation, { $id: 'Invitation' });
const NewInvitationBody = Type.Object(
  { ...invitation, code: Type.String({ description: 'Shown here only. Whoever holds it joins, once.' }) },
  { $id: 'NewInvitation' },
);

const memberBody = ({ subject, name, role, permissions }: MemberView) => ({ subject, name, role, permissions: [...permissions] });
const roleBody = ({ name, permissions, builtIn }: MemberRole) => ({ name, permissions: [...permissions], builtIn });

/** Returns an invitation without its code. */
function invitationBody({ id, name, role, permissions, invitedBy, acceptedBy, ...times }: Invitation) {
  const { createdAt, expiresAt, acceptedAt, revokedAt } = times;
  return {
    id,
    name,
    role,
    permissions: [...permissions],
    invitedBy,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    acceptedBy,
    acceptedAt: isoTimeOrNull(acceptedAt),
    revokedAt: isoTimeOrNull(revokedAt),
  };
}

const listMembers = defineRoute({
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
  handle: (ports) => async (request) => ({ items: (await ports.members.reads.list(requireMember(request).orgId)).map(memberBody) }),
});

const grantMember = defineRoute({
  method: 'POST',
  url: '/v1/members/grant',
  name: 'grantMember',
  tag: 'members',
  summary: 'Gives a member a role or permissions',
  description:
    "Give either `role` or `permissions`. They replace the earlier ones from the member's next request on; open feeds follow within three seconds. Nobody can change permissions of their own.",
  permission: 'members:manage',
  cost: 'write',
  schema: { body: objectSchema({ subject: SubjectText, role: Type.Optional(RoleText), permissions: Type.Optional(PermissionList) }) },
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

const removeMember = defineRoute({
  method: 'POST',
  url: '/v1/members/remove',
  name: 'removeMember',
  tag: 'members',
  summary: 'Takes a member out of the organization',
  description:
    'From the next request on the identity belongs to no organization. What the member did stays on record, and its agents go on.',
  permission: 'members:manage',
  cost: 'write',
  schema: { body: objectSchema({ subject: SubjectText }) },
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

const revokeTokens = defineRoute({
  method: 'POST',
  url: '/v1/members/revoke-tokens',
  name: 'revokeTokens',
  tag: 'members',
  summary: 'Revokes the tokens of a member',
  description:
    'Every token that was issued until now is refused from its next request on, by every process of the service; open feeds end within three seconds. The member may sign in again: remove it to keep it out.',
  permission: 'members:manage',
  cost: 'write',
  schema: { body: objectSchema({ subject: SubjectText }) },
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

const listRoles = defineRoute({
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
  handle: (ports) => async (request) => ({ items: (await ports.members.reads.roles(requireMember(request).orgId)).map(roleBody) }),
});

const setRole = defineRoute({
  method: 'PUT',
  url: '/v1/roles/:name',
  name: 'setRole',
  tag: 'members',
  summary: 'Writes a role of the organization: a name for a set of permissions',
  description: 'Members who have the role have its new permissions at once. The built-in roles stay as they are.',
  permission: 'members:manage',
  cost: 'write',
  schema: { params: objectSchema({ name: RoleText }), body: objectSchema({ permissions: PermissionList }) },
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

const listInvitations = defineRoute({
  method: 'GET',
  url: '/v1/invitations',
  name: 'listInvitations',
  tag: 'members',
  summary: 'Invitations, newest first, without their codes',
  permission: 'members:manage',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of invitations.', schema: pageSchema(InvitationBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'invitations', POSITIONS.number);
    return pageBody(await ports.members.reads.invitations(requireMember(request).orgId, page), 'invitations', invitationBody);
  },
});

const inviteMember = defineRoute({
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
    body: objectSchema({
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

const acceptInvitation = defineRoute({
  method: 'POST',
  url: '/v1/invitations/accept',
  name: 'acceptInvitation',
  tag: 'members',
  summary: 'Joins an organization by the code of an invitation',
  description:
    'For a verified identity of the identity provider that belongs to no organization. A code works once. One that is refused counts against the limit for wrong credentials.',
  permission: 'identity',
  cost: 'write',
  schema: { body: objectSchema({ code: Type.String({ minLength: 1, maxLength: 64 }) }) },
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

const revokeInvitation = defineRoute({
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

export const memberRoutes: RouteGroup = {
  tag: {
    name: 'members',
    position: 30,
    description:
      'Members, roles and invitations of your organization. Invite with `POST /v1/invitations` and send the code over a channel that you trust: it is shown once. Permission changes apply to the next request of the member. You cannot change your own permissions.',
  },
  routes: [
    listMembers,
    grantMember,
    removeMember,
    revokeTokens,
    listRoles,
    setRole,
    listInvitations,
    inviteMember,
    acceptInvitation,
    revokeInvitation,
  ],
};
