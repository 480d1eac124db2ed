// Identity of a caller: one credential, verified, with the present grants of the database.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servedRoutes } from '../../api/document/openapi.ts';
import { refuse } from '../../src/domain/values/refusal.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, ORIGIN, OURS, payload } from './api-under-test.ts';

let api: ApiUnderTest;
let token: string;
beforeAll(async () => {
  api = await apiUnderTest();
  token = await api.token(['market:read', 'agent:read', 'trade:execute']);
});
afterAll(() => api.close());

const me = (headers: Record<string, string>) => api.call('GET', '/v1/me', { headers });

describe('the credential', () => {
  test('is accepted in Authorization, in the cookie and, on loopback, in the plain cookie', async () => {
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { authorization: `bearer ${token}` },
      { cookie: `__Host-sevengate=${token}` },
      { cookie: `theme=dark; sevengate=${token}; other=1` },
    ]) {
      expect((await me(headers as Record<string, string>)).body).toMatchObject({ orgId: OURS, viewerOnly: false });
    }
  });

  test('is refused in every other form', async () => {
    const expired = api.issue('late', -1);
    const table: readonly (readonly [Record<string, string>, number, string])[] = [
      [{}, 401, 'unauthenticated'],
      [{ authorization: '' }, 401, 'unauthenticated'],
      [{ authorization: token }, 401, 'unauthenticated'],
      [{ authorization: 'Bearer ' }, 401, 'unauthenticated'],
      [{ authorization: `Basic ${token}` }, 401, 'unauthenticated'],
      [{ authorization: `Bearer ${token} ${token}` }, 401, 'unauthenticated'],
      [{ authorization: `Bearer ${token},x` }, 401, 'unauthenticated'],
      [{ authorization: `Bearer ${token}x` }, 401, 'unauthenticated'],
      [{ authorization: `Bearer ${'a'.repeat(9_000)}` }, 401, 'unauthenticated'],
      [{ authorization: `Bearer ${expired}` }, 401, 'token_expired'],
      [{ cookie: 'sevengate=' }, 401, 'unauthenticated'],
      [{ cookie: `Sevengate=${token}` }, 401, 'unauthenticated'],
      [{ cookie: `sevengate=${token}; sevengate=${token}` }, 401, 'unauthenticated'],
      [{ cookie: `sevengate=${token}; __Host-sevengate=${token}` }, 401, 'unauthenticated'],
      [{ cookie: `sevengate=${expired}` }, 401, 'token_expired'],
      [{ cookie: `sevengate=${token}`, authorization: `Bearer ${token}` }, 400, 'ambiguous_credentials'],
      [{ cookie: `__Host-sevengate=x`, authorization: 'Bearer y' }, 400, 'ambiguous_credentials'],
    ];
    for (const [headers, status, code] of table) {
      const reply = await me(headers);
      expect([reply.status, reply.body.code], JSON.stringify(headers).slice(0, 90)).toEqual([status, code]);
      if (status === 401) expect(reply.headers['www-authenticate']).toContain('Bearer');
      expect(reply.text).not.toContain(token);
    }
    expect((await api.call('GET', `/v1/me?token=${token}&access_token=${token}`)).status).toBe(401);
  });

  test('without the keys the answer is 503, and no caller is counted as guessing', async () => {
    const keyless = await apiUnderTest(() => ({ access: { verifyToken: async () => refuse('unavailable', 'the keys cannot be had') } }));
    for (let i = 0; i < 200; i++) {
      const reply = await keyless.call('GET', '/v1/me', { token: 'x' });
      if (reply.status !== 503) expect([i, reply.status]).toEqual([i, 503]);
    }
    await keyless.close();
  });

  test('only a halt and a pause are accepted by a clock that may be wrong', async () => {
    const asked: [string, boolean][] = [];
    let route = '';
    const strict = await apiUnderTest((ports) => ({
      access: {
        async verifyToken(token, toStop = false) {
          asked.push([route, toStop]);
          return ports.access.verifyToken(token);
        },
      },
    }));
    const token = await strict.token(['trade:execute']);
    for (const { method, url, permission } of servedRoutes()) {
      if (permission === 'public') continue;
      route = `${method} ${url}`;
      await strict.app.inject({ method, url, headers: { authorization: `Bearer ${token}` } });
    }
    const stopping = asked.filter(([, toStop]) => toStop).map(([name]) => name);
    expect(stopping.sort()).toEqual(['POST /v1/agents/:id/pause', 'POST /v1/agents/emergency-halt']);
    expect(asked.length).toBeGreaterThan(100);
    await strict.close();
  });

  test('while the provider is silent its last keys allow reads, pauses and the halt, but no other trading request', async () => {
    let silent = false;
    const doubtful = await apiUnderTest((ports) => ({
      access: {
        async verifyToken(token) {
          const verified = await ports.access.verifyToken(token);
          return verified.ok ? { ok: true, value: { ...verified.value, readOnly: silent } } : verified;
        },
      },
    }));
    const all = await doubtful.token(['market:read', 'agent:read', 'trade:execute', 'risk:manage']);
    const id = await createdAgent(doubtful, all);
    const ask = async (method: 'GET' | 'POST', url: string, body?: unknown) => {
      const reply = await doubtful.call(method, url, body === undefined ? { token: all } : { token: all, body });
      return [reply.status, reply.body.code];
    };
    silent = true;
    for (const url of ['/v1/me', '/v1/quotes', '/v1/agents', `/v1/agents/${id}`]) expect(await ask('GET', url)).toEqual([200, undefined]);
    expect(await ask('POST', `/v1/agents/${id}/pause`)).toEqual([200, undefined]);
    for (const [url, body] of [
      ['/v1/agents', payload()],
      [`/v1/agents/${id}/versions`, payload()],
      [`/v1/agents/${id}/autonomy`, { autonomy: 'suggest' }],
      [`/v1/agents/${id}/resume`, undefined],
    ] as const) {
      expect([url, ...(await ask('POST', url, body))]).toEqual([url, 503, 'unavailable']);
    }
    expect(await ask('POST', '/v1/agents/emergency-halt')).toEqual([200, undefined]);
    // Without the permission the caller is told that, not to wait.
    const viewer = await doubtful.token(['market:read']);
    expect((await doubtful.call('POST', `/v1/agents/${id}/resume`, { token: viewer })).status).toBe(403);
    silent = false;
    expect(await ask('POST', `/v1/agents/${id}/resume`)).toEqual([200, undefined]);
    await doubtful.close();
  });

  test('except on loopback only the __Host- cookie counts', async () => {
    const strict = await apiUnderTest(undefined, { loopback: false });
    const other = await strict.token(['market:read']);
    expect((await strict.call('GET', '/v1/me', { headers: { cookie: `sevengate=${other}` } })).status).toBe(401);
    const reply = await strict.call('GET', '/v1/me', { headers: { cookie: `__Host-sevengate=${other}` } });
    expect(reply.status).toBe(200);
    expect(reply.headers['strict-transport-security']).toContain('max-age');
    await strict.close();
  });
});

describe('grants', () => {
  test('an identity without a member row is a viewer without an organization', async () => {
    const viewer = await api.token([], null);
    const reply = await api.call('GET', '/v1/me', { token: viewer });
    expect(reply.body).toMatchObject({ orgId: null, name: null, permissions: ['market:read'], viewerOnly: true });
    expect((await api.call('GET', '/v1/quotes', { token: viewer })).status).toBe(200);
    const refused = await api.call('GET', '/v1/agents', { token: viewer });
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_missing']);
    expect(refused.body.detail).toContain('agent:read');
  });

  test('a changed grant applies to the next request', async () => {
    const subject = 'changing';
    await api.owner`insert into members (subject, org_id, name, permissions) values (${subject}, ${OURS}, 'c', ${['agent:read']}::text[])`;
    const own = api.issue(subject);
    expect((await api.call('GET', '/v1/agents', { token: own })).status).toBe(200);
    await api.owner`update members set permissions = '{market:read}' where subject = ${subject}`;
    expect((await api.call('GET', '/v1/agents', { token: own })).status).toBe(403);
  });

  test('a token that expires between two requests stops counting', async () => {
    const short = api.issue('short-lived', 1_000);
    expect((await api.call('GET', '/v1/me', { token: short })).status).toBe(200);
    api.clock.advanceTo(api.clock.now() + 1_000);
    expect((await api.call('GET', '/v1/me', { token: short })).body.code).toBe('token_expired');
  });
});

describe('origins', () => {
  const create = (headers: Record<string, string>) => api.call('POST', '/v1/agents', { body: payload(), headers });

  test('an unsafe request with the cookie needs an allowed Origin, exactly', async () => {
    const cookie = `sevengate=${token}`;
    expect((await create({ cookie, origin: ORIGIN })).status).toBe(201);
    for (const origin of [
      undefined,
      'null',
      'https://evil.example',
      'https://console.example.evil.example',
      'https://sub.console.example',
      'http://console.example',
      'https://console.example:8443',
      'https://console.example/',
      'HTTPS://CONSOLE.EXAMPLE',
      '*',
      'https://xconsole.example',
    ]) {
      const reply = await create({ cookie, ...(origin === undefined ? {} : { origin }) });
      expect([reply.status, reply.body.code], String(origin)).toEqual([403, 'origin_refused']);
    }
    expect((await create({ cookie, origin: ORIGIN, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  test('with Authorization the Origin does not matter, because no browser sends it by itself', async () => {
    expect((await create({ authorization: `Bearer ${token}` })).status).toBe(201);
    expect((await create({ authorization: `Bearer ${token}`, origin: 'https://evil.example' })).status).toBe(201);
  });

  test('a form of another site changes nothing', async () => {
    const form = { cookie: `sevengate=${token}`, origin: 'https://evil.example', 'content-type': 'text/plain' };
    expect((await api.call('POST', '/v1/agents/emergency-halt', { raw: '{}', headers: form })).status).toBe(403);
  });

  test('only an allowed origin may read answers', async () => {
    const allowed = await api.call('GET', '/v1/me', { token, headers: { origin: ORIGIN } });
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    });
    for (const origin of ['null', 'https://evil.example', 'https://console.example.evil.example']) {
      const reply = await api.call('GET', '/v1/me', { token, headers: { origin } });
      expect(reply.headers['access-control-allow-origin'], origin).toBeUndefined();
    }
    const preflight = await api.call('OPTIONS', '/v1/agents', { headers: { origin: ORIGIN, 'access-control-request-method': 'POST' } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-methods']).toContain('POST');
    for (const header of ['idempotency-key', 'prefer']) expect(preflight.headers['access-control-allow-headers']).toContain(header);
    const refused = await api.call('OPTIONS', '/v1/agents', { headers: { origin: 'https://evil.example' } });
    expect(refused.headers['access-control-allow-origin']).toBeUndefined();
  });
});
