// The client with the real API on a real database: answers, problems, keys and lists.
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import type { Agent, AgentDetail, Decision, Quote } from '../../../clients/typescript/src/api.ts';
import { type Client, type ClientOptions, createClient } from '../../../clients/typescript/src/client.ts';
import type { ApiError } from '../../../clients/typescript/src/errors.ts';
import type { Permission } from '../../../src/domain/agents/agent.ts';
import { type ApiUnderTest, apiUnderTest, payload } from '../../api/api-under-test.ts';
import { all, fetchOf, testTiming } from './fixture.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api?.close());

const OPERATOR: readonly Permission[] = ['market:read', 'agent:read', 'trade:execute'];

async function clientOf(permissions: readonly Permission[], options: Partial<ClientOptions> = {}): Promise<Client> {
  const token = await api.token(permissions);
  return createClient({ baseUrl: 'http://service.test', token, fetch: fetchOf(api), timing: testTiming(), ...options });
}
const manifest = (over = {}) => payload(over) as never;
const problemOf = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => Promise.reject(new Error('no problem')),
    (error) => error,
  );

test('an agent is created, read and paused, typed from the document', async () => {
  const client = await clientOf(OPERATOR);
  const { id } = await client.createAgent({ body: manifest({ name: 'Typed' }) });
  const agent = await client.getAgent({ id });
  expectTypeOf(agent).toEqualTypeOf<AgentDetail>();
  expect([agent.name, agent.stage]).toEqual(['Typed', 'draft']);
  expect((await client.listAgents()).items.map(({ name }) => name)).toContain('Typed');
});

test('a change whose answer was lost takes effect once', async () => {
  const send = fetchOf(api);
  let lost = 0;
  const fetch: typeof send = async (url, init) => {
    const response = await send(url, init);
    if (init?.method === 'POST' && lost++ === 0) throw new TypeError('the connection broke');
    return response;
  };
  const client = await clientOf(OPERATOR, { fetch });
  const { id } = await client.createAgent({ body: manifest({ name: 'Once' }) });
  const named = (await all(client.listAgents.items())).filter(({ name }) => name === 'Once');
  expect(named.map((one) => one.id)).toEqual([id]);
  expect(lost).toBe(2);
});

test('a problem of the service arrives completely', async () => {
  const client = await clientOf(OPERATOR);
  const missing = await problemOf(client.getAgent({ id: '00000000-0000-7000-8000-0000000000ff' }));
  expect([missing.status, missing.code, missing.detail]).toEqual([404, 'not_found', 'there is no agent with this id']);
  expect(missing.requestId).toMatch(/^[0-9a-f-]{36}$/);
  const invalid = await problemOf(client.createAgent({ body: manifest({ maxCapitalUsd: -5 }) }));
  expect(invalid.code).toBe('manifest_invalid');
  expect(invalid.fields.map(({ path }) => path)).toEqual(['$.maxCapitalUsd']);
  expect(invalid.wayOut[0]).toMatch(/^\$\.maxCapitalUsd: ./);
  const viewer = await problemOf((await clientOf(['market:read'])).listAgents());
  expect(viewer.code).toBe('permission_missing');
});

test('a list gives every item once over its pages, and refuses a foreign cursor', async () => {
  const client = await clientOf(OPERATOR);
  for (const name of ['One', 'Two', 'Three']) await client.createAgent({ body: manifest({ name }) });
  const pages = await all(client.listAgents.pages({ limit: 2 }));
  const items = await all(client.listAgents.items({ limit: 2 }));
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flatMap((page) => page.items)).toEqual(items);
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  expect((await problemOf(all(client.listAgents.items({ cursor: 'bm8' })))).fields[0]?.path).toBe('query.cursor');
});

test('a token that expires between two calls is asked for again', async () => {
  const member = await api.token(OPERATOR);
  const subject = (await createClient({ baseUrl: 'http://service.test', token: member, fetch: fetchOf(api) }).getMe()).subject;
  const refused: (string | null)[] = [];
  const client = await clientOf(OPERATOR, {
    token(old) {
      refused.push(old);
      return api.issue(subject, old === null ? 1_000 : 3_600_000);
    },
  });
  await client.getMe();
  api.clock.advanceTo(api.clock.now() + 2_000);
  expect((await client.getMe()).subject).toBe(subject);
  expect(refused).toHaveLength(2);
});

test('texts stay texts', async () => {
  expect(await (await clientOf(OPERATOR)).getMetrics()).toBe('up 1\n');
});

test('types match the document', () => {
  type Items<Name extends 'listAgents' | 'listDecisions'> = ReturnType<Client[Name]['items']>;
  expectTypeOf<Items<'listAgents'>>().toExtend<AsyncIterable<Agent>>();
  expectTypeOf<Items<'listDecisions'>>().toExtend<AsyncIterable<Decision>>();
  expectTypeOf<Awaited<ReturnType<Client['closeSession']>>>().toEqualTypeOf<undefined>();
  expectTypeOf<Parameters<Client['getAgent']>[0]>().toEqualTypeOf<{ readonly id: string }>();
  expectTypeOf<Parameters<Client['listAgents']>[0]>().toExtend<{ readonly limit?: number | undefined } | undefined>();
  const quotes = (client: Client) => client.feed('quotes', { instrument: 'AAPLx' }).items();
  expectTypeOf<ReturnType<typeof quotes>>().toExtend<AsyncIterable<Quote>>();
});
