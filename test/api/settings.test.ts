// Settings of a member over HTTP: private to the member, versioned, bounded, and gone with the membership.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LONGEST_SETTING, MOST_SETTINGS } from '../../src/domain/identity/member.ts';
import { type ApiUnderTest, apiUnderTest, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(async () => {
  expect(api.defects).toEqual([]);
  await api.close();
});

const list = async (token: string) => (await api.call('GET', '/v1/me/settings', { token })).body.items;
const keep = (token: string, name: string, version: number, value: string | null) =>
  api.call('PUT', `/v1/me/settings/${name}`, { token, body: { version, value } });

test('a setting is kept for its member alone, and its version refuses an older copy', async () => {
  const [ours, colleague, stranger] = [
    await api.token(['market:read']),
    await api.token(['market:read']),
    await api.token(['market:read'], THEIRS),
  ];
  expect(await list(ours)).toEqual([]);
  expect(await keep(ours, 'views-orders', 0, '{"a":1}')).toMatchObject({
    status: 200,
    body: { name: 'views-orders', version: 1, value: '{"a":1}' },
  });
  expect(await keep(ours, 'views-orders', 1, 'é\\u0041<img src=x>')).toMatchObject({ status: 200, body: { version: 2 } });
  const older = await keep(ours, 'views-orders', 1, 'older');
  expect(older).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  expect(older.body.detail).toBe('setting views-orders has version 2, not 1: read it again and decide which one to keep');
  expect((await keep(ours, 'views-orders', 0, 'as if new')).status).toBe(409);
  expect(await list(ours)).toEqual([{ name: 'views-orders', version: 2, value: 'é\\u0041<img src=x>' }]);
  for (const other of [colleague, stranger]) {
    // One after the other, because each test reads what the one before left.
    // oxlint-disable-next-line no-await-in-loop
    expect(await list(other)).toEqual([]);
    // oxlint-disable-next-line no-await-in-loop
    expect((await keep(other, 'views-orders', 0, 'own')).body.version).toBe(1);
  }
  expect((await keep(ours, 'views-orders', 1, null)).status).toBe(409);
  // oxlint-disable-next-line no-await-in-loop
  for (const version of [2, 2, 0])
    expect(await keep(ours, 'views-orders', version, null)).toMatchObject({ status: 200, body: { version: 0, value: null } });
  expect(await list(ours)).toEqual([]);
});

test('of two writes at once on one version, one is refused', async () => {
  const token = await api.token(['market:read']);
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((value) => keep(token, 'scheme', 0, value)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  expect(await list(token)).toHaveLength(1);
});

test('length, name and number are limited, with an error that says what to do', async () => {
  const token = await api.token(['market:read']);
  const long = await keep(token, 'layout', 0, 'x'.repeat(LONGEST_SETTING + 1));
  expect(long).toMatchObject({ status: 400, body: { code: 'malformed' } });
  expect(long.body.problems[0]).toMatchObject({ path: '$.value', allowed: 'a text of 0 to 16384 characters, or null' });
  expect((await keep(token, 'layout', 0, '𝄞'.repeat(LONGEST_SETTING / 2))).status).toBe(200);
  expect((await keep(token, 'Layout', 0, 'x')).status).toBe(400);
  expect((await keep(token, 'nul', 0, 'a\u0000')).status).toBe(400);
  const rest = Array.from({ length: MOST_SETTINGS - 1 }, (_, place) => keep(token, `n${place}`, 0, ''));
  expect((await Promise.all(rest)).filter(({ status }) => status !== 200)).toEqual([]);
  const full = await keep(token, 'more', 0, 'x');
  expect(full).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  expect(full.body.detail).toBe('you have 64 settings, and no more are kept: remove one by sending it with the value null');
  expect((await keep(token, 'n0', 1, 'a change is no new one')).status).toBe(200);
  expect((await keep(token, 'n0', 2, null)).status).toBe(200);
  expect((await keep(token, 'more', 0, 'x')).status).toBe(200);
});

test('an identity without an organization has none, and settings go with the membership', async () => {
  const nobody = await api.token([], null);
  expect(await list(nobody)).toEqual([]);
  const refused = await keep(nobody, 'scheme', 0, 'dark');
  expect(refused).toMatchObject({ status: 403, body: { code: 'permission_missing' } });
  const [admin, leaver] = [await api.token(['market:read', 'members:manage']), await api.token(['market:read'])];
  expect((await keep(leaver, 'scheme', 0, 'dark')).status).toBe(200);
  const { subject } = (await api.call('GET', '/v1/me', { token: leaver })).body;
  expect((await api.call('POST', '/v1/members/remove', { token: admin, body: { subject } })).status).toBe(200);
  expect(await api.owner`select 1 from member_settings where subject = ${subject}`).toHaveLength(0);
});
