/** Members, roles and invitations on the wire. */
import { Type } from 'typebox';
import { PERMISSIONS } from '../../../src/domain/agents/agent.ts';
import { type Invitation, type MemberRole, type MemberView, ROLE_NAME } from '../../../src/domain/identity/member.ts';
import { isoTime, isoTimeOrNull } from '../../../src/domain/values/time.ts';
import { choice, IdText, NullableTime, nullable, objectOf, shownText, Time } from '../../shapes.ts';

export const PermissionList = Type.Array(choice(PERMISSIONS), { minItems: 1, maxItems: PERMISSIONS.length, uniqueItems: true });
export const SubjectText = Type.String({ minLength: 1, maxLength: 255, description: 'The subject of the identity provider (`sub`).' });
export const RoleText = Type.String({ pattern: ROLE_NAME.source, examples: ['risk_manager'] });
export const MemberName = shownText(120);
export const InvitationPath = objectOf({ id: IdText });

const granted = {
  role: nullable('string', 'Null if the permissions were named one by one.'),
  permissions: Type.Array(choice(PERMISSIONS)),
};
export const MemberBody = Type.Object({ subject: Type.String(), name: Type.String(), ...granted }, { $id: 'Member' });
export const RoleBody = Type.Object(
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
export const InvitationBody = Type.Object(invitation, { $id: 'Invitation' });
export const NewInvitationBody = Type.Object(
  { ...invitation, code: Type.String({ description: 'Shown here only. Whoever holds it joins, once.' }) },
  { $id: 'NewInvitation' },
);

export const memberBody = ({ subject, name, role, permissions }: MemberView) => ({ subject, name, role, permissions: [...permissions] });
export const roleBody = ({ name, permissions, builtIn }: MemberRole) => ({ name, permissions: [...permissions], builtIn });

/** Returns an invitation without its code. */
export function invitationBody({ id, name, role, permissions, invitedBy, acceptedBy, ...times }: Invitation) {
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
