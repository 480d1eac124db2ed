// Client of a failing service: typed errors, retries only if safe, bounded pauses, immediate aborts.
import { afterEach, expect, test } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../../clients/typescript/src/client.ts';
import { ApiError, NetworkError } from '../../../clients/typescript/src/errors.ts';
import { runReplay } from '../../../clients/typescript/src/replay.ts';
import { PLATFORM_TIMING } from '../../../clients/typescript/src/timing.ts';
import { latch } from '../../harness/latch.ts';
import { waitFor } from '../../harness/wait-for.ts';
import {
  type Answering,
  type AnsweringServer,
  all,
  answering,
  cutOff,
  hangUp,
  html,
  json,
  problem,
  silence,
  type TestTiming,
  testTiming,
  truncated,
} from './fixture.ts';

let server: AnsweringServer;
let timing: TestTiming;
afterEach(() => server?.close());

async function clientOf(answers: readonly Answering[], options: Partial<ClientOptions> = {}): Promise<Client> {
  server = await answering(...answers);
  timing = testTiming();
  return createClient({ baseUrl: server.url, token: 'a-token', timing, ...options });
}

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );
const ME = { subject: 'operator' };
const agent = { body: { name: 'hunter' } } as never;

test('a problem is an error with its code, its fields and the way out', async () => {
  const api = await clientOf([
    problem(
      422,
      'blocked_by_risk',
      {},
      {
        problems: [{ path: 'body.side', problem: 'got "hold"', allowed: 'buy or sell' }],
        rejections: [{ code: 'exposure', limit: '5', before: '4', after: '9', suggestion: 'lower the quantity to 1' }],
        checks: [
          { name: 'sharpe', observed: 1.2, rule: 'above', limit: 1.8, passed: false },
          { name: 'drawdown', observed: 3, rule: 'below', limit: 10, passed: true },
        ],
        questions: ['For how long?'],
      },
    ),
  ]);
  const error = (await caught(api.placePaperOrder({ body: {} as never }))) as ApiError;
  expect(error).toBeInstanceOf(ApiError);
  expect([error.status, error.code, error.detail, error.requestId]).toEqual([422, 'blocked_by_risk', 'this is blocked_by_risk', 'r-1']);
  expect(error.message).toBe('422 blocked_by_risk: this is blocked_by_risk');
  expect(error.fields).toEqual([{ path: 'body.side', problem: 'got "hold"', allowed: 'buy or sell' }]);
  expect(error.wayOut).toEqual([
    'body.side: buy or sell',
    'lower the quantity to 1',
    'sharpe: above 1.8 is needed, observed 1.2',
    'For how long?',
  ]);
  expect(server.asked).toHaveLength(1);
});

test.each([
  ['429 with Retry-After in seconds', problem(429, 'rate_limited', { 'retry-after': '7' }), 7_000],
  ['503 with Retry-After as a date', problem(503, 'unavailable', { 'retry-after': 'Mon, 02 Mar 2026 14:31:09 GMT' }), 9_000],
  ['a page of a proxy that is busy', html(502), 500],
  ['a connection that ends without an answer', hangUp, 500],
  ['an answer that is cut off', cutOff, 500],
])('%s: a read is repeated after its pause', async (_, failure, pauseMs) => {
  const api = await clientOf([failure, json(ME)]);
  expect(await api.getMe()).toEqual(ME);
  expect(server.asked).toHaveLength(2);
  expect(timing.pauses).toEqual([pauseMs]);
});

test('retries are bounded, their pauses double, and the last failure is thrown', async () => {
  const api = await clientOf([html(503)]);
  const error = (await caught(api.getMe())) as NetworkError;
  expect(error).toBeInstanceOf(NetworkError);
  expect([error.failure, error.status]).toEqual(['foreign', 503]);
  expect(server.asked).toHaveLength(5);
  expect(timing.pauses).toEqual([500, 1_000, 2_000, 4_000]);
});

test('a wait of minutes is not waited for', async () => {
  const api = await clientOf([problem(429, 'rate_limited', { 'retry-after': '600' })]);
  const error = (await caught(api.getMe())) as ApiError;
  expect([error.code, error.retryAfterMs, error.wayOut]).toEqual(['rate_limited', 600_000, ['ask again in 600 s']]);
  expect(server.asked).toHaveLength(1);
});

test('a change is repeated under its one key, also while the first is still running', async () => {
  const api = await clientOf([hangUp, problem(409, 'idempotency_in_flight'), json({ id: 'a-1' }, 201)]);
  expect(await api.createAgent(agent)).toEqual({ id: 'a-1' });
  const keys = server.asked.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

test.each([hangUp, cutOff, html(503), problem(429, 'rate_limited'), problem(503, 'unavailable')])(
  'a change without a key is never repeated (%#)',
  async (failure) => {
    const api = await clientOf([failure, json({})]);
    expect(await caught(api.inviteMember({ body: { name: 'Nora' } }))).toBeInstanceOf(Error);
    expect(server.asked).toHaveLength(1);
  },
);

test.each([
  ['HTML in place of JSON', html(200)],
  ['JSON that ends in the middle', truncated],
])('%s is not an answer of the service', async (_, answer) => {
  const api = await clientOf([answer]);
  const error = (await caught(api.getMe())) as NetworkError;
  expect([error.failure, error.status]).toEqual(['foreign', 200]);
  expect(server.asked).toHaveLength(1);
});

test('a redirect is not followed: the token is not sent elsewhere', async () => {
  const elsewhere = await answering(json(ME));
  const api = await clientOf([(response) => void response.writeHead(302, { location: elsewhere.url }).end()]);
  expect(((await caught(api.getMe())) as NetworkError).failure).toBe('foreign');
  expect(elsewhere.asked).toEqual([]);
  await elsewhere.close();
});

test('a missing service is unreachable', async () => {
  const api = await clientOf([silence], { retries: 0 });
  await server.close();
  expect(((await caught(api.getMe())) as NetworkError).failure).toBe('unreachable');
});

test('an answer that never comes ends with a timeout', async () => {
  const api = await clientOf([silence], { retries: 0 });
  const asked = caught(api.getMe());
  await waitFor(() => server.asked.length === 1, { what: 'the request' });
  timing.expire();
  expect(((await asked) as NetworkError).failure).toBe('timeout');
});

test('an abort ends a call at once, during and before the request', async () => {
  const api = await clientOf([silence]);
  const abort = new AbortController();
  const asked = caught(api.getMe({}, { signal: abort.signal }));
  await waitFor(() => server.asked.length === 1, { what: 'the request' });
  abort.abort(new Error('enough'));
  expect(await asked).toEqual(new Error('enough'));
  expect(await caught(api.getMe({}, { signal: abort.signal }))).toEqual(new Error('enough'));
  expect(server.asked).toHaveLength(1);
});

test('a refused token is requested again, once for all refused calls, and the call continues', async () => {
  const refused: (string | null)[] = [];
  let given = 0;
  const api = await clientOf([problem(401, 'token_expired'), problem(401, 'token_expired'), json(ME)], {
    token(old) {
      refused.push(old);
      return `token-${++given}`;
    },
  });
  expect(await Promise.all([api.getMe(), api.getMe()])).toEqual([ME, ME]);
  expect(refused).toEqual([null, 'token-1']);
  const sent = server.asked.map(({ headers }) => headers.authorization);
  expect(sent).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2', 'Bearer token-2']);
});

test('a change with a refused token is repeated under its key', async () => {
  let given = 0;
  const api = await clientOf([problem(401, 'token_expired'), json({ id: 'a-1' }, 201)], { token: () => `token-${++given}` });
  expect(await api.createAgent(agent)).toEqual({ id: 'a-1' });
  expect(new Set(server.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('a token that stays refused is an error, and is requested again with the next call', async () => {
  const tokens = ['old', 'old', 'old', 'new'];
  const api = await clientOf([problem(401, 'token_expired'), problem(401, 'token_expired'), json(ME)], {
    token: () => tokens.shift() ?? '',
  });
  expect(((await caught(api.getMe())) as ApiError).code).toBe('token_expired');
  expect(tokens).toEqual(['old', 'new']);
});

test('a token that cannot be read is read again with the next call', async () => {
  let reads = 0;
  const api = await clientOf([json(ME)], {
    token() {
      if (++reads === 1) throw new Error('the file is gone');
      return 'a-token';
    },
  });
  expect(((await caught(api.getMe())) as Error).message).toBe('the file is gone');
  expect(await api.getMe()).toEqual(ME);
});

test.each(['', ' ', 'two words', 'line\nbreak'])('the token %j is refused without being quoted', async (token) => {
  const api = await clientOf([json(ME)], { token: () => token });
  const error = (await caught(api.getMe())) as Error;
  expect(error.message).toBe('the token is empty, or holds blanks or characters beyond ASCII');
  expect(server.asked).toEqual([]);
});

test('readiness that is refused is still an answer', async () => {
  const api = await clientOf([json({ ready: false, parts: [] }, 503)]);
  expect(await api.getReadiness()).toEqual({ ready: false, parts: [] });
});

test('an answer without a body is undefined', async () => {
  const api = await clientOf([(response) => void response.writeHead(204).end()]);
  expect(await api.closeSession()).toBe(undefined);
});

test('a replay goes on after transient failures, and not after a refusal', async () => {
  const session = { id: 'agent', sessionId: 'session' };
  const last = json({ step: 1, done: true, slots: [] });
  const api = await clientOf([problem(503, 'unavailable', { 'retry-after': '2' }), hangUp, last, problem(409, 'state_conflict')]);
  await runReplay(api, session, () => () => null, timing);
  expect([server.asked.length, timing.pauses]).toEqual([3, [2_000, 1_000]]);
  expect(await caught(runReplay(api, session, () => () => null, timing))).toBeInstanceOf(ApiError);
  expect(server.asked.length).toBe(4);
});

test('a call without a time limit waits for its answer', async () => {
  const late: Answering = (response) => void setTimeout(() => json({ subject: 'late' })(response), 50);
  const api = await clientOf([late], { timing: PLATFORM_TIMING, timeoutMs: Number.POSITIVE_INFINITY });
  expect(await api.getMe()).toEqual({ subject: 'late' });
});

const page = (items: readonly number[], nextCursor: string | null) => json({ items, nextCursor });

test('a list is read page by page and item by item, through a failure in the middle', async () => {
  const api = await clientOf([page([1, 2], 'second'), problem(503, 'unavailable'), page([3], null)]);
  expect(await all(api.listAgents.items({ limit: 2 }))).toEqual([1, 2, 3]);
  expect(server.asked.map(({ url }) => url)).toEqual(['/v1/agents?limit=2', ...Array(2).fill('/v1/agents?limit=2&cursor=second')]);
});

test('leaving a list requests no further page', async () => {
  const api = await clientOf([page([1, 2], 'second')]);
  for await (const item of api.listAgents.items()) if (item) break;
  for await (const { items } of api.listAgents.pages()) if (items) break;
  expect(server.asked.map(({ url }) => url)).toEqual(['/v1/agents', '/v1/agents']);
});

test.each(['pages', 'items'] as const)('a list that is left while it waits for one of its %s ends its request', async (kind) => {
  const gone = latch();
  const api = await clientOf([(response) => void response.on('close', gone.release)]);
  const reader = api.listAgents[kind]()[Symbol.asyncIterator]();
  const next = reader.next();
  await waitFor(() => server.asked.length === 1, { what: 'the request' });
  await reader.return?.();
  expect(await next).toEqual({ done: true, value: undefined });
  await gone.released;
});

test('a list whose cursor is refused midway names it', async () => {
  const refusedCursor = problem(
    400,
    'malformed',
    {},
    { problems: [{ path: 'query.cursor', problem: 'no cursor of this list', allowed: 'nextCursor' }] },
  );
  const api = await clientOf([page([1], 'second'), refusedCursor]);
  const seen: unknown[] = [];
  const error = (await caught(
    (async () => {
      for await (const item of api.listAgents.items()) seen.push(item);
    })(),
  )) as ApiError;
  expect(seen).toEqual([1]);
  expect(error.fields[0]?.path).toBe('query.cursor');
});

test('an aborted list throws the reason of its signal', async () => {
  const api = await clientOf([page([1], 'second'), silence]);
  const abort = new AbortController();
  const seen = caught(all(api.listAgents.items({}, { signal: abort.signal })));
  await waitFor(() => server.asked.length === 2, { what: 'the second page' });
  abort.abort(new Error('enough'));
  expect(await seen).toEqual(new Error('enough'));
});
