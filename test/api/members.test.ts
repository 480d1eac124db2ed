/** Members, roles, invitations and revoked tokens, over the API and around it, on a real database. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { API_ROLE, asOrganization } from '../../src/adapters/store/callers/as-organization.ts';
import { acceptInvitation } from '../../src/adapters/store/callers/organization-members.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { isTakenBack } from '../../src/domain/identity/member.ts';
import { type ApiUnderTest, apiUnderTest, OURS, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
/** Token that manages our members. */
let admin: string;
beforeAll(async () => {
  api = await apiUnderTest();
  admin = await api.token(['market:read', 'members:manage']);
});
afterAll(async () => {
  expect(api.defects).toEqual([]);
  await api.close();
});

const post = (url: string, token: string, body?: unknown) => api.call('POST', url, { token, ...(body === undefined ? {} : { body }) });
const me = async (token: string) => (await api.call('GET', '/v1/me', { token })).body;

/** Returns token and subject of a new identity that joined us by an invitation with a role. */
async function joined(role: string): Promise<{ readonly token: string; readonly subject: string }> {
  const invited = await post('/v1/invitations', admin, { name: `new ${role}`, role });
  const token = await api.token([], null);
  expect(await post('/v1/invitations/accept', token, { code: invited.body.code })).toMatchObject({ status: 200, body: { orgId: OURS } });
  return { token, subject: (await me(token)).subject };
}

test('an invitation admits one identity, once, with its role', async () => {
  const invited = await post('/v1/invitations', admin, { name: 'Rosa Risk', role: 'risk_manager', hours: 2 });
  expect(invited).toMatchObject({ status: 201, body: { role: 'risk_manager', acceptedBy: null } });
  const listed = await api.call('GET', '/v1/invitations', { token: admin });
  expect(JSON.stringify(listed.body)).not.toContain(invited.body.code);
  const [first, second] = [await api.token([], null), await api.token([], null)];
  expect(await post('/v1/invitations/accept', first, { code: 'guessed' })).toMatchObject({ status: 409 });
  expect(await post('/v1/invitations/accept', first, { code: invited.body.code })).toMatchObject({ status: 200 });
  expect(await me(first)).toMatchObject({
    name: 'Rosa Risk',
    orgId: OURS,
    permissions: ['market:read', 'agent:read', 'trade:execute', 'risk:manage'],
  });
  expect((await post('/v1/invitations/accept', second, { code: invited.body.code })).body.detail).toContain('accepted already');
  expect((await post('/v1/invitations/accept', first, { code: invited.body.code })).status).toBe(409);
});

test('a revoked or expired invitation admits nobody, and nobody joins two organizations', async () => {
  const stranger = await api.token([], null);
  const revoked = (await post('/v1/invitations', admin, { name: 'a', permissions: ['market:read'] })).body;
  expect(await post(`/v1/invitations/${revoked.id}/revoke`, admin)).toMatchObject({ status: 200, body: { revokedAt: expect.any(String) } });
  expect((await post(`/v1/invitations/${revoked.id}/revoke`, admin)).status).toBe(409);
  expect((await post('/v1/invitations/accept', stranger, { code: revoked.code })).body.detail).toContain('revoked');
  const theirs = await api.token(['market:read'], THEIRS);
  const open = (await post('/v1/invitations', admin, { name: 'b', role: 'viewer', hours: 1 })).body;
  expect((await post('/v1/invitations/accept', theirs, { code: open.code })).body.detail).toContain('belongs to an organization already');
  const late = await acceptInvitation(api.sql, 'late', 'f'.repeat(64), api.clock.now());
  expect(late).toEqual({ refusal: 'no invitation has this code' });
  // Data of another organization is not found.
  const theirAdmin = await api.token(['members:manage'], THEIRS);
  expect((await post(`/v1/invitations/${open.id}/revoke`, theirAdmin)).status).toBe(404);
});

test('a custom role is a set of permissions; its members follow its changes', async () => {
  const role = (permissions: string[]) => api.call('PUT', '/v1/roles/night_desk', { token: admin, body: { permissions } });
  expect(await role(['market:read', 'agent:read'])).toMatchObject({ status: 200, body: { name: 'night_desk', builtIn: false } });
  const { token } = await joined('night_desk');
  expect((await me(token)).permissions).toEqual(['market:read', 'agent:read']);
  await role(['market:read', 'agent:read', 'trade:execute']);
  expect((await me(token)).permissions).toContain('trade:execute');
  expect((await api.call('PUT', '/v1/roles/viewer', { token: admin, body: { permissions: ['risk:manage'] } })).status).toBe(409);
  const roles = (await api.call('GET', '/v1/roles', { token: admin })).body.items.map(({ name }: { name: string }) => name);
  expect(roles).toEqual(['viewer', 'operator', 'risk_manager', 'administrator', 'night_desk']);
});

test('only another member grants and removes permissions, never oneself, and a removed member is out at once', async () => {
  const { token, subject } = await joined('operator');
  expect(await post('/v1/members/grant', admin, { subject, role: 'viewer' })).toMatchObject({ status: 200, body: { role: 'viewer' } });
  expect((await me(token)).permissions).toEqual(['market:read', 'agent:read']);
  expect((await post('/v1/members/grant', admin, { subject, role: 'nothing' })).status).toBe(400);
  expect((await post('/v1/members/grant', admin, { subject, role: 'viewer', permissions: ['risk:manage'] })).status).toBe(400);
  const own = (await me(admin)).subject;
  expect((await post('/v1/members/grant', admin, { subject: own, role: 'risk_manager' })).body.detail).toContain('nobody changes');
  expect((await post('/v1/members/remove', admin, { subject: own })).status).toBe(409);
  expect((await post('/v1/members/remove', admin, { subject })).status).toBe(200);
  expect(await me(token)).toMatchObject({ orgId: null, permissions: ['market:read'] });
  expect((await post('/v1/members/remove', admin, { subject })).status).toBe(404);
});

test('an ended session is refused with each of its tokens, and a member’s tokens can be revoked', async () => {
  const { subject } = await joined('operator');
  const [phone, laptop] = [api.issue(subject, 600_000, 'phone'), api.issue(subject, 600_000, 'laptop')];
  const phoneToo = api.issue(subject, 900_000, 'phone');
  expect((await post('/v1/session/revoke', phone)).status).toBe(204);
  for (const token of [phone, phoneToo]) expect((await api.call('GET', '/v1/me', { token })).status).toBe(401);
  expect((await api.call('GET', '/v1/me', { token: laptop })).status).toBe(200);
  expect((await post('/v1/members/revoke-tokens', admin, { subject })).status).toBe(200);
  expect((await api.call('GET', '/v1/me', { token: laptop })).body.detail).toContain('was revoked');
  api.clock.advanceTo(api.clock.now() + 1_000);
  expect((await api.call('GET', '/v1/me', { token: api.issue(subject) })).status).toBe(200);
  expect(isTakenBack({ issuedAt: 5, sessionId: null, tokenId: 'a' }, [{ before: 9, sessionId: null, tokenId: 'b' }])).toBe(false);
});

test('the database refuses what the API never requests', async () => {
  const outsider = (await me(await api.token(['trade:execute', 'risk:manage']))).subject;
  const { subject } = await joined('viewer');
  const callers = openDatabase({ url: api.databaseUrl, role: API_ROLE, name: 'members test', connections: 1 });
  try {
    const own = asOrganization(callers, OURS);
    const all = ['risk:manage', 'trade:execute', 'members:manage'];
    const [asked] = await own<
      { refusal: string }[]
    >`select change_member(${OURS}, ${outsider}, ${subject}, null, ${all}::text[]) as refusal`;
    expect(asked?.refusal).toBe('this needs members:manage');
    const administrator = (await me(admin)).subject;
    await expect(async () => own`select change_member(${THEIRS}, ${administrator}, ${subject}, null, ${all}::text[])`).rejects.toThrow(
      /does not work for/,
    );
    await expect(async () => own`update members set permissions = ${all}::text[] where subject = ${subject}`).rejects.toThrow(
      /permission denied/,
    );
    await expect(async () => own`insert into invitations (id) values (gen_random_uuid())`).rejects.toThrow(/permission denied/);
    await expect(async () => own`select accept_invitation('x', 'y', 1)`).rejects.toThrow(/permission denied/);
    await expect(async () => own`delete from token_revocations`).rejects.toThrow(/permission denied/);
  } finally {
    await callers.end({ timeout: 1 });
  }
});
