// Errors: one form, a code of the list, no internals; and limits that say when to retry.
import { once } from 'node:events';
import net from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { addressKey, createRateLimits, DEFAULT_POLICIES } from '../../api/http/rate-limits.ts';
import { sendRefusal } from '../../api/problem.ts';
import { TIMEOUT_MS } from '../../api/server.ts';
import { attributionInWords } from '../../api/shapes.ts';
import type { RiskRejection } from '../../src/domain/agents/decision.ts';
import { PROBLEMS } from '../../src/domain/values/problems.ts';
import { REFUSING_PORT } from '../harness/ports.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, NOW, newId, payload, type Reply } from './api-under-test.ts';

const OLD: RiskRejection = {
  code: 'stale_reference_feed',
  limit: 'a live reference price',
  before: 'stale, carried_forward, 37380000 ms old',
  after: 'stale, carried_forward, 37380000 ms old',
  suggestion: 'wait for a live reference price',
};
const OLD_REFERENCE = { code: 'blocked_by_risk', detail: 'the reference is 37380000 ms old', rejections: [OLD] } as const;

let api: ApiUnderTest;
let token: string;
beforeAll(async () => {
  api = await apiUnderTest(undefined, {
    timeoutMs: TIMEOUT_MS,
    extend: [
      (app: FastifyInstance) => {
        app.get('/test/defect', { config: { permission: 'public' } }, () => {
          throw new Error('select secret from vault at /home/someone/x.ts:12');
        });
        app.get('/test/odd', { config: { permission: 'public' } }, () =>
          Promise.reject(Object.assign(new Error('syntax error near "x"'), { code: '42601' })),
        );
        app.get('/test/old', { config: { permission: 'public' } }, (_request, reply) => sendRefusal(reply, OLD_REFERENCE));
      },
    ],
  });
  token = await api.token(['market:read', 'agent:read', 'trade:execute', 'risk:manage']);
});
afterAll(() => api.close());

function expectProblem(reply: Reply, status: number, code: string): void {
  expect([reply.status, reply.body?.code], reply.text).toEqual([status, code]);
  expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(reply.body).toMatchObject({ type: `urn:sevengate:problem:${code}`, status, title: PROBLEMS[code as keyof typeof PROBLEMS].title });
  expect(reply.body.requestId).toBe(reply.headers['x-request-id']);
  expect(reply.body.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(reply.body.detail.length).toBeGreaterThan(5);
  expect(reply.text).not.toMatch(/select |at .*\.ts|node_modules|stack/i);
}

test('ages in a refusal are in words, and the record keeps milliseconds', async () => {
  const { status, body } = await api.call('GET', '/test/old');
  const words = 'stale, carried_forward, 10 h old';
  expect([status, body.detail]).toEqual([422, 'the reference is 10 h old']);
  expect(body.rejections).toEqual([{ ...OLD, before: words, after: words }]);
  const simulated = attributionInWords({ verdict: 'blocked', rejections: [OLD] });
  expect(simulated?.rejections).toEqual(body.rejections);
  expect(OLD.before).toContain('37380000 ms old');
});

test('every class of error has the same form', async () => {
  const id = await createdAgent(api, token);
  const viewer = await api.token([], null);
  const body = payload();
  await api.call('POST', '/v1/agents', { token, body, headers: { 'idempotency-key': 'used' } });
  const table: readonly (readonly [Promise<Reply>, number, string])[] = [
    [api.call('POST', '/v1/agents', { token, raw: '{' }), 400, 'malformed'],
    [api.call('GET', '/v1/agents?limit=x', { token }), 400, 'malformed'],
    [api.call('POST', '/v1/agents', { token, body: {} }), 400, 'manifest_invalid'],
    [api.call('POST', '/v1/agents', { token, raw: `{"a":${'['.repeat(20)}${']'.repeat(20)}}` }), 400, 'body_too_deep'],
    [api.call('GET', '/v1/me', { headers: { authorization: 'Bearer x', cookie: 'sevengate=y' } }), 400, 'ambiguous_credentials'],
    [api.call('GET', '/v1/me'), 401, 'unauthenticated'],
    [api.call('GET', '/v1/me', { token: api.issue('old', -5) }), 401, 'token_expired'],
    [api.call('POST', '/v1/agents', { token: viewer, body }), 403, 'permission_missing'],
    [api.call('POST', '/v1/agents', { body, headers: { cookie: `sevengate=${token}` } }), 403, 'origin_refused'],
    [api.call('GET', '/v1/nothing', { token }), 404, 'not_found'],
    [api.call('GET', '/V1/me', { token }), 404, 'not_found'],
    [api.call('GET', '/v1/me/', { token }), 404, 'not_found'],
    [api.call('GET', `/v1/agents/${newId()}`, { token }), 404, 'not_found'],
    [api.call('DELETE', `/v1/agents/${id}`, { token }), 405, 'method_not_allowed'],
    [api.call('PATCH', '/v1/me', { token, raw: '{' }), 405, 'method_not_allowed'],
    [api.call('POST', `/v1/agents/${id}/resume`, { token }), 409, 'not_paused'],
    [api.call('POST', '/v1/agents', { token, raw: JSON.stringify({ x: 'x'.repeat(66_000) }) }), 413, 'body_too_large'],
    [api.call('POST', '/v1/agents', { token, raw: 'a', headers: { 'content-type': 'text/html' } }), 415, 'unsupported_media_type'],
    [
      api.call('POST', `/v1/agents/${id}/autonomy`, { token, raw: 'autonomy: suggest', headers: { 'content-type': 'application/yaml' } }),
      415,
      'unsupported_media_type',
    ],
    [
      api.call('POST', '/v1/agents', { token, body: payload({ name: 'other' }), headers: { 'idempotency-key': 'used' } }),
      422,
      'idempotency_mismatch',
    ],
    [api.call('GET', '/test/defect'), 500, 'internal_error'],
    [api.call('GET', '/test/odd'), 500, 'internal_error'],
  ];
  for (const [call, status, code] of table) expectProblem(await call, status, code);
  expect(api.defects.splice(0)).toHaveLength(2);
});

test('an unexpected database refusal is an internal error without details', async () => {
  await api.owner`revoke select on long_work from sevengate_app, sevengate_api`;
  try {
    const reply = await api.call('GET', '/v1/runtime/work', { token: await api.token(['agent:read']) });
    expectProblem(reply, 500, 'internal_error');
    expect(reply.text).not.toContain('long_work');
    expect(api.defects.splice(0)).toMatchObject([{ message: 'permission denied for table long_work' }]);
  } finally {
    await api.owner`grant select on long_work to sevengate_app, sevengate_api`;
  }
  expect((await api.call('GET', '/v1/runtime/work', { token: await api.token(['agent:read']) })).status).toBe(200);
});

test('a change refused by a full disk is answered 503, and accepted once there is space', async () => {
  await api.owner`
    create function no_room() returns trigger language plpgsql as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`;
  await api.owner`create trigger no_room before insert on audit for each statement execute function no_room()`;
  try {
    const reply = await api.call('POST', '/v1/agents', { token, body: payload() });
    expectProblem(reply, 503, 'unavailable');
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  } finally {
    await api.owner`drop function no_room() cascade`;
  }
  expect((await api.call('POST', '/v1/agents', { token, body: payload() })).status).toBe(201);
  expect(api.defects).toEqual([]);
});

test('the wrong method lists the right ones', async () => {
  expect((await api.call('DELETE', '/v1/agents', { token })).headers['allow']).toBe('GET, HEAD, POST');
  expect((await api.call('PUT', `/v1/agents/${newId()}/pause`, { token })).headers['allow']).toBe('POST');
});

test('every code has a status and a title of its own', () => {
  for (const { status } of Object.values(PROBLEMS)) expect(status).toBeGreaterThanOrEqual(400);
  const titles = Object.values(PROBLEMS).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test('every answer carries the headers that keep browsers safe, and private ones are not stored', async () => {
  const reply = await api.call('GET', '/v1/me', { token });
  expect(reply.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  });
  expect(reply.headers['x-powered-by']).toBeUndefined();
});

test('without a database every route that needs it answers 503 with Retry-After, and the probes still answer', async () => {
  const down = await apiUnderTest(
    () => ({
      operation: { readiness: async () => ({ ready: false, parts: [{ name: 'database', ok: false, detail: 'connection refused' }] }) },
    }),
    {},
    `postgres://nobody:x@127.0.0.1:${REFUSING_PORT}/none`,
  );
  const own = down.issue('someone');
  for (const reply of [
    await down.call('GET', '/v1/quotes', { token: own }),
    await down.call('POST', '/v1/agents/emergency-halt', { token: own }),
  ]) {
    expectProblem(reply, 503, 'unavailable');
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }
  expect((await down.call('GET', '/healthz')).body).toEqual({ status: 'ok' });
  const ready = await down.call('GET', '/readyz');
  expect([ready.status, ready.body.parts[0].name]).toEqual([503, 'database']);
  expect(down.defects).toEqual([]);
  await down.close();
});

describe('limits', () => {
  const small = {
    ...DEFAULT_POLICIES,
    read: { limit: 5, windowSeconds: 5 },
    write: { limit: 2, windowSeconds: 4 },
    emergency: { limit: 10, windowSeconds: 10 },
    failed_identity: { limit: 3, windowSeconds: 3 },
  };
  let limited: ApiUnderTest;
  beforeAll(async () => {
    limited = await apiUnderTest(() => ({ access: { limits: createRateLimits(small) } }));
  });
  afterAll(() => limited.close());
  // Limit windows use the machine's time, which the test controls here.
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: (time += 60_000) }));
  afterEach(() => vi.useRealTimers());
  let time = NOW;

  test('a subject that asks too much is told when to retry, and then may', async () => {
    const own = await limited.token(['market:read']);
    const other = await limited.token(['market:read']);
    for (let i = 0; i < 5; i++) {
      const reply = await limited.call('GET', '/v1/me', { token: own });
      expect(reply.headers['ratelimit']).toBe(`"read";r=${4 - i};t=5`);
      expect(reply.headers['ratelimit-policy']).toBe('"read";q=5;w=5');
    }
    const refused = await limited.call('GET', '/v1/me', { token: own });
    expectProblem(refused, 429, 'rate_limited');
    expect(refused.headers['retry-after']).toBe('5');
    expect((await limited.call('GET', '/v1/me', { token: other })).status).toBe(200);
    vi.setSystemTime(time + 5_000);
    expect((await limited.call('GET', '/v1/me', { token: own })).status).toBe(200);
  });

  test('a caller at every other limit can still pause and halt, at least ten times a minute', async () => {
    const own = await limited.token(['agent:read', 'trade:execute']);
    const id = await createdAgent(limited, own);
    await createdAgent(limited, own);
    expect((await limited.call('POST', '/v1/agents', { token: own, body: payload() })).status).toBe(429);
    for (let i = 0; i < 8; i++) await limited.call('GET', '/v1/me', { token: own });
    expect((await limited.call('GET', '/v1/me', { token: own })).status).toBe(429);
    expect((await limited.call('POST', `/v1/agents/${id}/pause`, { token: own })).status).toBe(200);
    for (let i = 0; i < 9; i++) expect((await limited.call('POST', '/v1/agents/emergency-halt', { token: own })).status).toBe(200);
    expect((await limited.call('POST', '/v1/agents/emergency-halt', { token: own })).status).toBe(429);
  });

  test('a caller with wrong tokens must wait, and others at the address need not', async () => {
    const own = await limited.token(['market:read']);
    for (let i = 0; i < 3; i++) expect((await limited.call('GET', '/v1/me', { token: `guess${i}` })).status).toBe(401);
    for (let i = 0; i < 6; i++) {
      const refused = await limited.call('GET', '/v1/me', { token: `more${i}` });
      expectProblem(refused, 429, 'rate_limited');
      expect(refused.headers['connection']).toBe('close');
    }
    expect((await limited.call('POST', '/v1/session', { body: { token: 'guess' } })).status).toBe(429);
    expect((await limited.call('GET', '/v1/me', { token: own })).status).toBe(200);
    expect((await limited.call('POST', '/v1/session', { body: { token: own } })).status).toBe(200);
    expect((await limited.call('GET', '/v1/me', { token: await limited.token(['market:read']) })).status).toBe(200);
  });

  test('a limit that would block halting is refused at the start', () => {
    const emergency = (limit: number, windowSeconds: number) => () =>
      createRateLimits({ ...DEFAULT_POLICIES, emergency: { limit, windowSeconds } });
    expect(emergency(9, 10)).toThrow(/10 requests a minute/);
    expect(emergency(60, 600)).toThrow(/not 6/);
  });

  test('the probe is never limited, the other public routes are, by address', async () => {
    for (let i = 0; i < 12; i++) expect((await limited.call('GET', '/healthz')).status).toBe(200);
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await limited.call('GET', '/metrics')).status);
    expect(statuses).toContain(429);
  });
});

test('one sender is one address, or one network of IPv6', () => {
  expect(addressKey('203.0.113.9')).toBe('address 203.0.113.9');
  expect(addressKey('::ffff:203.0.113.9')).toBe('address ::ffff:203.0.113.9');
  expect(addressKey('2001:db8:1:2:aaaa::1')).toBe('address 2001:db8:1:2::/64');
  expect(addressKey('2001:db8:1:2:bbbb:1:2:3')).toBe(addressKey('2001:db8:1:2::9'));
  expect(addressKey('2001:db8::1')).toBe('address 2001:db8:0:0::/64');
  expect(addressKey('::1')).toBe(addressKey('::2'));
});

test('on a real socket: non-HTTP data and endless headers get a problem and do not hang', async () => {
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as net.AddressInfo;
  const talk = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = '';
      const socket = net.connect(port, '127.0.0.1', () => socket.end(text));
      socket.on('data', (chunk) => {
        answer += chunk.toString();
      });
      socket.on('close', () => resolve(answer)).on('error', reject);
    });
  expect(await talk('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*"code":"malformed"/s);
  expect(await talk(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  expect(await talk('GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*"code":"malformed"/s);
});

test('only the service itself serves the documentation', async () => {
  const page = await api.app.inject('/docs/');
  expect(page.statusCode).toBe(200);
  const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(3);
  // Only the service registers the terminal.
  for (const link of links.filter((one) => one !== '/')) {
    expect(link).not.toMatch(/^(https?:)?\/\//);
    expect((await api.app.inject(new URL(link, 'http://x/docs/').pathname)).statusCode, link).toBe(200);
  }
  const document = await api.call('GET', '/v1/openapi.json');
  expect(document.body.openapi).toBe('3.1.0');
});

test('a silent or slow peer is dropped; a connection outlives its handler, so that the 503 arrives', () => {
  expect(api.app.server.timeout).toBe(15_000);
  expect(api.app.server.requestTimeout).toBe(10_000);
  expect(api.app.initialConfig).toMatchObject({ handlerTimeout: 10_000 });
});

test('a body that arrives too slowly is dropped in time, whatever its sender does', async () => {
  const slow = await apiUnderTest(() => ({}), { timeoutMs: 1_000 });
  await slow.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = slow.app.server.address() as net.AddressInfo;
  const began = performance.now();
  const answer = await new Promise<string>((resolve) => {
    let received = '';
    // Half-open on purpose: the sender does not close when told to.
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.write(`POST /v1/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`),
    );
    const drip = setInterval(() => socket.write(' '), 100);
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(drip);
      resolve(received);
    });
  });
  // By the timeout of arrival or of the handler: both are the same here.
  expect(answer).toMatch(/^HTTP\/1\.1 (408|503) /);
  expect(performance.now() - began).toBeLessThan(30_000);
  await slow.close();
});

test('an idle connection is closed without an answer; a request that waited unread is answered', async () => {
  const quick = await apiUnderTest(() => ({}), { timeoutMs: 1_000 });
  await quick.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = quick.app.server.address() as net.AddressInfo;
  const open = async (): Promise<{ readonly socket: net.Socket; readonly received: Promise<string> }> => {
    const accepted = once(quick.app.server, 'connection');
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => {});
    const received = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
    await Promise.all([accepted, once(socket, 'connect')]);
    return { socket, received };
  };
  // A browser opens connections in advance: an unsolicited answer would be taken for that of its next request.
  const silent = await open();
  expect(await silent.received).toBe('');

  const late = await open();
  late.socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  // Longer than a request may take to arrive, while this one is already here.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
  expect(await late.received).toMatch(/^HTTP\/1\.1 200 /);
  await quick.close();
});

test('a connection is not closed while its request is handled, however long nothing is sent', async () => {
  let [quiet, twice] = [0, () => {}];
  const waiting = await apiUnderTest(() => ({
    operation: {
      metrics: {
        contentType: 'text/plain',
        observe: () => {},
        render: () => new Promise<string>((resolve) => (twice = () => resolve('at last\n'))),
      },
    },
  }));
  waiting.app.server.setTimeout(20);
  waiting.app.server.on('timeout', () => ++quiet === 2 && setImmediate(twice));
  await waiting.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = waiting.app.server.address() as net.AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } });
  expect([answer.status, await answer.text()]).toEqual([200, 'at last\n']);
  // A connection without a request is still closed.
  const silent = net.connect(port, '127.0.0.1');
  await once(silent.resume(), 'close');
  expect(silent.bytesRead).toBe(0);
  await waiting.close();
});

test('measurements are written once a second, however many clients scrape', async () => {
  let rendered = 0;
  const asked = await apiUnderTest(() => ({
    operation: {
      metrics: {
        contentType: 'text/plain',
        observe: () => {},
        render: async () => `rendered ${++rendered}\n`,
      },
    },
  }));
  const texts = async (count: number) =>
    new Set((await Promise.all(Array.from({ length: count }, () => asked.call('GET', '/metrics')))).map(({ text }) => text));
  expect(await texts(50)).toEqual(new Set(['rendered 1\n']));
  asked.clock.advanceTo(asked.clock.now() + 1_000);
  expect(await texts(50)).toEqual(new Set(['rendered 2\n']));
  await asked.close();
});

test('a NUL in a query or a path is refused early, and never reaches the database', async () => {
  for (const url of [
    '/v1/intelligence/events?symbol=A%00',
    '/v1/social-feed?platform=%00',
    '/v1/quotes?instrument=a%00b',
    '/v1/prediction-markets?text=%00',
  ])
    expect([url, (await api.call('GET', url, { token })).status]).toEqual([url, 400]);
  for (const url of [
    '/v1/prediction-markets/a%00b',
    '/v1/agents/a%00b',
    '/v1/books/a%00b/fills',
    '/v1/perps/a%00b',
    '/v1/spotchain/orders/%00',
  ])
    expect([url, (await api.call('GET', url, { token })).status]).toEqual([url, 404]);
});

test('a body that is too large is answered with its route’s limit', async () => {
  const raw = JSON.stringify({ signedTransaction: 'A'.repeat(300_000) });
  const answer = await api.call('POST', '/v1/spotchain/orders/01900000-0000-7000-8000-000000000001/execute', { token, raw });
  expect([answer.status, answer.body.code, answer.body.detail]).toEqual([413, 'body_too_large', 'the body is larger than 262144 bytes']);
  const plain = await api.call('POST', '/v1/agents', { token, raw });
  expect([plain.status, plain.body.detail]).toEqual([413, 'the body is larger than 65536 bytes']);
});

test('a list of the wrong length is answered with the allowed length', async () => {
  const asked = await api.call('POST', '/v1/portfolio/impact', { token, body: { allocations: [] } });
  expect(asked.body.problems).toEqual([{ path: '$.allocations', problem: 'got an empty list', allowed: 'a list of 1 to 20 items' }]);
});
