/** Members, roles, invitations and revoked tokens, over the API and around it, on a real database. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { API_ROLE, asOrganization } from '../../src/adapters/store/callers/as-organization.ts';
import { acceptInvitation } from '../../src/adapters/store/callers/organization-members.ts';
import { openDatabase, type Sql, type Transaction } from '../../src/adapters/store/database.ts';
import { isTakenBack } from '../../src/domain/identity/member.ts';
import { sha256Hex } from '../../src/domain/values/canonical-json.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type ApiUnderTest, apiUnderTest, OURS, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
/** Token that manages our members. */
let admin: string;
let callers: Sql;
/** Connections of the API that work for us. */
let own: Sql;
beforeAll(async () => {
  api = await apiUnderTest();
  callers = openDatabase({ url: api.databaseUrl, role: API_ROLE, name: 'members test', connections: 2 });
  own = asOrganization(callers, OURS);
  admin = await api.token(['market:read', 'members:manage']);
});
afterAll(async () => {
  expect(api.defects).toEqual([]);
  await callers.end({ timeout: 1 });
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

type Work<Value> = (sql: Transaction) => Promise<Value>;

/** Answer of the second work, which begins while the first one's transaction is open and ends after its commit. */
async function meanwhile<Value>(first: Work<unknown>, onFirst: Sql, second: Work<Value>, onSecond: Sql): Promise<Value> {
  let answer: Promise<unknown> = Promise.resolve();
  let ended = false;
  await onFirst.begin(async (transaction) => {
    await first(transaction);
    answer = onSecond.begin(second);
    const settle = () => (ended = true);
    answer.then(settle, settle);
    const waits = () =>
      api.owner`select 1 from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()`;
    await waitFor(async () => ended || (await waits()).length > 0, { what: 'the second transaction waits or ends' });
  });
  return (await answer) as Value;
}

const changeMember =
  (asker: string, target: string, role: string | null, granted: readonly string[] | null): Work<unknown> =>
  async (sql) =>
    (await sql`select change_member(${OURS}, ${asker}, ${target}, ${role}, ${granted as string[] | null}::text[]) as refusal`)[0]?.[
      'refusal'
    ];
const accept =
  (subject: string, code: string): Work<unknown> =>
  async (sql) =>
    (await sql`select refusal from accept_invitation(${subject}, ${sha256Hex(code)}, ${api.clock.now()})`)[0]?.['refusal'];

test('of two managers who remove each other at once, one stays', async () => {
  const [one, other] = [await joined('administrator'), await joined('administrator')];
  const second = changeMember(other.subject, one.subject, null, null);
  expect(await meanwhile(changeMember(one.subject, other.subject, null, null), own, second, own)).toBe('this needs members:manage');
  expect((await me(one.token)).orgId).toBe(OURS);
});

test('a role that is narrowed while somebody joins with it or is granted it gives its new permissions only', async () => {
  const permissions = ['market:read', 'risk:manage'];
  await api.call('PUT', '/v1/roles/day_desk', { token: admin, body: { permissions } });
  const { subject: manager } = await me(admin);
  const { code } = (await post('/v1/invitations', admin, { name: 'late', role: 'day_desk' })).body;
  const token = await api.token([], null);
  const { subject } = await me(token);
  const narrow: Work<unknown> = (sql) => sql`select set_member_role(${OURS}, ${manager}, 'day_desk', array['market:read'])`;
  expect(await meanwhile(narrow, own, accept(subject, code), api.sql)).toBeNull();
  expect((await me(token)).permissions).toEqual(['market:read']);
  // Granted with the permissions that were read before.
  expect(await own.begin(changeMember(manager, subject, 'day_desk', permissions))).toBe('role day_desk has just changed: grant it again');
  expect((await me(token)).permissions).toEqual(['market:read']);
});

test('one identity that accepts two invitations at once joins by one of them', async () => {
  const invite = async (name: string) => (await post('/v1/invitations', admin, { name, role: 'viewer' })).body.code;
  const [first, second] = [await invite('one'), await invite('two')];
  const { subject } = await me(await api.token([], null));
  const answer = meanwhile(accept(subject, first), api.sql, accept(subject, second), api.sql);
  expect(await answer).toBe('this identity belongs to an organization already');
});

test('a removed manager cannot come back by an invitation of their own', async () => {
  const { token, subject } = await joined('administrator');
  const { code, id } = (await post('/v1/invitations', token, { name: 'a friend', role: 'administrator' })).body;
  expect((await post('/v1/members/remove', admin, { subject })).status).toBe(200);
  expect((await post('/v1/invitations/accept', token, { code })).body.detail).toContain('the invitation was revoked');
  const { items } = (await api.call('GET', '/v1/invitations', { token: admin })).body;
  expect(items.find((one: { id: string }) => one.id === id)).toMatchObject({ acceptedAt: null, revokedAt: expect.any(String) });
});

test('the database refuses what the API never requests', async () => {
  const outsider = (await me(await api.token(['trade:execute', 'risk:manage']))).subject;
  const { subject } = await joined('viewer');
  const all = ['risk:manage', 'trade:execute', 'members:manage'];
  const [asked] = await own<{ refusal: string }[]>`select change_member(${OURS}, ${outsider}, ${subject}, null, ${all}::text[]) as refusal`;
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
});
