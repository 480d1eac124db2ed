// `Location` of 201 answers, and addresses that replaced earlier ones.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servedRoutes } from '../../api/document/openapi.ts';
import { findLocation } from '../../api/http/location.ts';
import { type ApiUnderTest, apiUnderTest, ORIGIN, payload } from './api-under-test.ts';

const ROUTES = servedRoutes();
/** Resources shown only in lists. */
const LISTED_ONLY = [
  '/v1/invitations',
  '/v1/bridge/quote',
  '/v1/wallets',
  '/v1/agents/:id/sign-off',
  '/v1/agents/:id/tokens',
  '/v1/agents/:id/signals',
  '/v1/agents/:id/vault/deposit',
  '/v1/agents/:id/vault/withdraw',
  '/v1/delegations',
];

let api: ApiUnderTest;
let trader: string;
beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['market:read', 'agent:read', 'trade:execute']);
});
afterAll(() => api.close());

test('every route that creates something names the GET that shows it, or its result is only listed', () => {
  const made = ROUTES.filter(({ answers }) => answers[201] !== undefined);
  const gets = ROUTES.filter(({ method }) => method === 'GET').map(({ url }) => url.replaceAll(/:\w+/g, ':'));
  const located = made.map((route) => [route.url, findLocation(route, ROUTES)] as const);
  expect(located.filter(([, path]) => path === null).map(([url]) => url)).toEqual(LISTED_ONLY);
  expect(Object.fromEntries(located)).toMatchObject({
    '/v1/agents': '/v1/agents/{id}',
    '/v1/takes/compile': '/v1/takes/{id}',
    '/v1/launches/dbc/prepare': '/v1/launches/{id}',
    '/v1/launches/:id/claims': '/v1/launches/:id/claims/{id}',
    '/v1/leaderboard/wallets': '/v1/leaderboard/wallets/{address}',
  });
  const lost = located.filter(([, path]) => path !== null && !gets.includes(path.replaceAll(/\{[\w.]+\}|:\w+/g, ':')));
  expect(lost).toEqual([]);
});

test('the path of a 201 answer shows the created resource, to another origin and under a repeated key too', async () => {
  const post = (url: string, body: object, headers = {}) => api.call('POST', url, { token: trader, body, headers });
  const shown = async (location: string | undefined) => (await api.call('GET', location ?? '/', { token: trader })).body.id;
  const headers = { 'idempotency-key': 'made-once', origin: ORIGIN };
  const agent = await post('/v1/agents', payload(), headers);
  expect(agent.headers['location']).toBe(`/v1/agents/${agent.body.id}`);
  expect(agent.headers['access-control-expose-headers']).toContain('location');
  expect((await post('/v1/agents', payload(), headers)).headers['location']).toBe(agent.headers['location']);
  const version = await post(`/v1/agents/${agent.body.id}/versions`, payload({ name: 'Second' }));
  const take = await post('/v1/takes/compile', { thesis: 'Buy AAPLx below $180 with $500' });
  const tokenized = await post('/v1/takes/tokenize', { takeId: take.body.id, as: 'agent', confirm: take.body.open });
  expect([await shown(agent.headers['location']), await shown(version.headers['location'])]).toEqual([agent.body.id, agent.body.id]);
  expect(await shown(take.headers['location'])).toBe(take.body.id);
  expect(await shown(tokenized.headers['location'])).toBe(tokenized.body.agent.id);
});

test('no location is given for a mere launch draft, and if nothing was created', async () => {
  const take = await api.call('POST', '/v1/takes/compile', { token: trader, body: { thesis: 'Buy AAPLx below $170 with $500' } });
  const wish = { takeId: take.body.id, as: 'launch', confirm: take.body.open };
  const draft = await api.call('POST', '/v1/takes/tokenize', { token: trader, body: wish });
  const refused = await api.call('POST', '/v1/agents', { token: trader, body: {} });
  expect([draft.status, draft.headers['location']]).toEqual([201, undefined]);
  expect([refused.status, refused.headers['location']]).toEqual([400, undefined]);
});

test('an old address answers like its replacement, and says until when', async () => {
  const retired = ROUTES.filter((route) => route.retired !== undefined);
  expect(retired.map(({ url, retired: { since, sunset, successor } = {} as never }) => [url, successor.url, since, sunset])).toEqual([
    ['/v1/bridge/transfers/:id/course', '/v1/bridge/transfers/:id/timeline', '2026-11-27', '2027-05-27'],
    ['/v1/agents/:id/vault/course', '/v1/agents/:id/vault/price-history', '2026-11-27', '2027-05-27'],
    ['/v1/launches/:id/course', '/v1/launches/:id/price-history', '2026-11-27', '2027-05-27'],
  ]);
  const { body: agent } = await api.call('POST', '/v1/agents', { token: trader, body: payload() });
  const [now, before] = await Promise.all(
    ['price-history', 'course'].map((part) => api.call('GET', `/v1/agents/${agent.id}/vault/${part}`, { token: trader })),
  );
  expect([before?.status, before?.body]).toEqual([200, now?.body]);
  // RFC 9745: seconds since 1970. RFC 8594: an HTTP date.
  expect(before?.headers).toMatchObject({
    deprecation: '@1795737600',
    sunset: 'Thu, 27 May 2027 00:00:00 GMT',
    link: '<price-history>; rel="successor-version"',
  });
  expect(Object.keys(now?.headers ?? {})).not.toContain('deprecation');
});
