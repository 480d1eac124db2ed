/** GET /v1/me: returns the caller's identity and permissions. */
import { Type } from 'typebox';
import { PERMISSIONS } from '../../../src/domain/agents/agent.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { defineRoute } from '../../route.ts';
import { choice, nullable, Time } from '../../shapes.ts';

const MeBody = Type.Object(
  {
    subject: Type.String(),
    name: nullable('string'),
    orgId: nullable('string', 'Null for an identity that belongs to no organization.'),
    permissions: Type.Array(choice(PERMISSIONS)),
    viewerOnly: Type.Boolean({ description: 'True if nothing but market:read is held.' }),
    expiresAt: Time,
  },
  { $id: 'Me' },
);

export const getMe = defineRoute({
  method: 'GET',
  url: '/v1/me',
  name: 'getMe',
  tag: 'identity',
  summary: 'The caller with its present permissions',
  permission: 'identity',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'The caller.', schema: MeBody } },
  refusals: [],
  handle: () => (request) => {
    const caller = request.caller;
    if (caller === null) throw new Error('the request has no verified caller');
    const { subject, name, orgId, permissions, expiresAt } = caller;
    const viewerOnly = permissions.every((permission) => permission === 'market:read');
    return { subject, name, orgId, permissions, viewerOnly, expiresAt: isoTime(expiresAt) };
  },
});
