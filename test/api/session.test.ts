// Browser session: a token submitted once becomes a cookie, with the name and attributes that the address requires.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignInLinks, LINK_LIFETIME_MS, type SignInLinks } from '../../src/adapters/identity/sign-in-links.ts';
import { type ApiUnderTest, apiUnderTest, ORIGIN } from './api-under-test.ts';

let api: ApiUnderTest;
let token: string;
beforeAll(async () => {
  api = await apiUnderTest();
  token = await api.token(['agent:read', 'trade:execute', 'risk:manage']);
});
afterAll(() => api.close());

const cookiesOf = (reply: { readonly headers: Readonly<Record<string, unknown>> }): string[] => {
  const found = reply.headers['set-cookie'];
  return found === undefined ? [] : [found].flat().map(String);
};

describe('on http loopback', () => {
  test('a valid token is answered with its subject and set as a cookie for every other route', async () => {
    const reply = await api.call('POST', '/v1/session', { body: { token } });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers['cache-control']).toBe('no-store');
    const [cookie = ''] = cookiesOf(reply);
    expect(cookie).toBe(`sevengate=${token}; Max-Age=3600; Path=/; HttpOnly; SameSite=Strict`);
    const me = await api.call('GET', '/v1/me', { headers: { cookie: cookie.split(';')[0] as string } });
    expect(me.body).toMatchObject({ subject: reply.body.subject, expiresAt: reply.body.expiresAt });
  });

  test('spaces and line breaks around a pasted token are ignored', async () => {
    expect((await api.call('POST', '/v1/session', { body: { token: `  ${token}\n` } })).status).toBe(200);
  });

  test.each([
    ['an unknown one', 'nobodys-token', 401, 'unauthenticated'],
    ['no token at all', 'two words', 401, 'unauthenticated'],
    ['a forged attribute', 'a; Domain=evil.example', 401, 'unauthenticated'],
    ['a header in a token', 'a\r\nset-cookie: b=c', 401, 'unauthenticated'],
    ['a far too long one', 'a'.repeat(9_000), 401, 'unauthenticated'],
    ['an empty one', '', 400, 'malformed'],
    ['a number', 7, 400, 'malformed'],
  ])('%s sets no cookie', async (_, wrong, status, code) => {
    const reply = await api.call('POST', '/v1/session', { body: { token: wrong } });
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect(cookiesOf(reply)).toEqual([]);
  });

  test('an expired token sets no cookie, and one that expires soon lives no longer in the cookie', async () => {
    const expired = await api.call('POST', '/v1/session', { body: { token: api.issue('subject-1', -1) } });
    expect([expired.status, expired.body.code, cookiesOf(expired)]).toEqual([401, 'token_expired', []]);
    const soon = await api.call('POST', '/v1/session', { body: { token: api.issue('subject-1', 90_500) } });
    expect(cookiesOf(soon)[0]).toMatch(/; Max-Age=90;/);
  });

  test('closing it clears both names, with or without a session', async () => {
    for (const headers of [{}, { cookie: `sevengate=${token}`, origin: ORIGIN }]) {
      const reply = await api.call('DELETE', '/v1/session', { headers });
      expect(reply.status).toBe(204);
      expect(cookiesOf(reply).map((cookie) => cookie.split(';')[0])).toEqual(['sevengate=', '__Host-sevengate=']);
      for (const cookie of cookiesOf(reply)) expect(cookie).toMatch(/; Max-Age=0;/);
    }
  });

  test("another site's page can neither open nor close a session", async () => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      const opened = await api.call('POST', '/v1/session', { body: { token }, headers: { origin } });
      const closed = await api.call('DELETE', '/v1/session', { headers: { origin } });
      for (const reply of [opened, closed]) {
        expect([reply.status, reply.body.code], origin).toEqual([403, 'origin_refused']);
        expect(cookiesOf(reply)).toEqual([]);
      }
    }
  });

  test('pages served by the service on loopback may use the cookie, and nobody else by their name', async () => {
    const act = (origin: string, host: string) =>
      api.call('POST', '/v1/agents/emergency-halt', { headers: { cookie: `sevengate=${token}`, origin, host } });
    for (const host of ['127.0.0.1:8080', 'localhost:4711', '[::1]:80', 'localhost']) {
      expect((await act(`http://${host}`, host)).status, host).toBe(200);
    }
    for (const [origin, host] of [
      ['http://evil.example', 'evil.example'],
      ['http://127.0.0.1.evil.example:80', '127.0.0.1.evil.example:80'],
      ['http://localhost:8081', 'localhost:8080'],
      ['https://localhost:8080', 'localhost:8080'],
      ['http://127.0.0.1:8080', 'localhost:8080'],
      ['http://localhost:8080.evil.example', 'localhost:8080.evil.example'],
    ] as const) {
      expect((await act(origin, host)).body.code, `${origin} at ${host}`).toBe('origin_refused');
    }
  });

  test('attempts are limited like wrong credentials', async () => {
    const limited = await apiUnderTest();
    const attempts = await Promise.all(
      Array.from({ length: 130 }, () => limited.call('POST', '/v1/session', { body: { token: 'guess' } })),
    );
    const refused = attempts.filter(({ status }) => status === 429);
    expect(refused.length).toBe(10);
    expect(attempts.every(({ status }) => status === 401 || status === 429)).toBe(true);
    // A caller with a valid token at the same address is not limited by it.
    const good = await limited.token(['agent:read']);
    expect((await limited.call('GET', '/v1/me', { token: good })).status).toBe(200);
    expect((await limited.call('POST', '/v1/session', { body: { token: good } })).status).toBe(200);
    await limited.close();
  });
});

test('anywhere else the cookie is bound to the host and to https', async () => {
  const remote = await apiUnderTest(() => ({}), { loopback: false });
  const good = await remote.token(['agent:read']);
  const opened = await remote.call('POST', '/v1/session', { body: { token: good }, headers: { origin: ORIGIN } });
  expect(cookiesOf(opened)).toEqual([`__Host-sevengate=${good}; Max-Age=3600; Path=/; HttpOnly; Secure; SameSite=Strict`]);
  expect((await remote.call('GET', '/v1/me', { headers: { cookie: `__Host-sevengate=${good}` } })).status).toBe(200);
  expect((await remote.call('GET', '/v1/me', { headers: { cookie: `sevengate=${good}` } })).status).toBe(401);
  const closed = await remote.call('DELETE', '/v1/session', { headers: { origin: ORIGIN } });
  expect(cookiesOf(closed)).toEqual(['__Host-sevengate=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict']);
  await remote.close();
});

test('a machine’s layout is drawn only from the service’s own data', async () => {
  const layout = await api.call('GET', '/v1/machines/agent@1/layout', { token });
  expect(layout.status, layout.text).toBe(200);
  expect(layout.body.boxes.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining(['', 'stage.draft', 'duty.paused', 'feed.lost']),
  );
  expect((await api.call('GET', '/v1/machines/agent@0/layout', { token })).body.code).toBe('not_found');
});

describe('the link that is printed at the start', () => {
  const linked = async (options: { loopback?: boolean } = {}) => {
    let links: SignInLinks | null = null;
    let mint = (): string => '';
    const under = await apiUnderTest(({ clock }) => {
      links = createSignInLinks({ clock, mint: () => mint() });
      return { access: { signInLinks: links } };
    }, options);
    const good = await under.token(['agent:read', 'trade:execute']);
    mint = () => good;
    const redeem = (code: string, headers = {}) => under.call('POST', '/v1/session/link', { body: { code }, headers });
    return { under, good, redeem, links: links as unknown as SignInLinks };
  };

  test('signs its owner in once, with the cookie of a pasted token', async () => {
    const { under, good, redeem, links } = await linked();
    const code = links.issue();
    const other = links.issue();
    const reply = await redeem(code);
    expect(reply.status, reply.text).toBe(200);
    expect(cookiesOf(reply)).toEqual([`sevengate=${good}; Max-Age=3600; Path=/; HttpOnly; SameSite=Strict`]);
    expect(reply.text).not.toContain(good);
    for (const wrong of [code, `${other}x`, 'guess']) {
      const refused = await redeem(wrong);
      expect([refused.status, refused.body.code, cookiesOf(refused)]).toEqual([401, 'unauthenticated', []]);
    }
    // Using one link does not affect the other.
    expect((await redeem(other)).status).toBe(200);
    await under.close();
  });

  test('works for ten minutes, from this machine only, and not from the page of another site', async () => {
    const { under, redeem, links } = await linked();
    const code = links.issue();
    const foreign = await redeem(code, { origin: 'https://evil.example' });
    expect([foreign.status, foreign.body.code, cookiesOf(foreign)]).toEqual([403, 'origin_refused', []]);
    under.clock.advanceTo(under.clock.now() + LINK_LIFETIME_MS - 1);
    const late = links.issue();
    expect((await redeem(code)).status).toBe(200);
    under.clock.advanceTo(under.clock.now() + LINK_LIFETIME_MS);
    expect((await redeem(late)).status).toBe(401);
    await under.close();
    const remote = await linked({ loopback: false });
    expect((await remote.redeem(remote.links.issue())).status).toBe(401);
    await remote.under.close();
  });

  test('guesses are limited like wrong credentials', async () => {
    const { under, redeem } = await linked();
    const attempts = await Promise.all(Array.from({ length: 130 }, () => redeem('guess')));
    expect(attempts.filter(({ status }) => status === 429).length).toBe(10);
    await under.close();
  });
});
