// Instants of requests: every route refuses a date and time that JavaScript cannot read, whatever RFCs allow it.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../api/v1/index.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent } from './api-under-test.ts';

interface Node {
  readonly format?: string;
  readonly properties?: { readonly [name: string]: Node };
}

const INSTANTS = ['2026-12-31T23:59:60Z', '2026-12-31T12:00:00Z[Europe/Berlin]', '2026-12-31T12:00:00+00:00[UTC][u-ca=iso8601]'];

const examples = (JSON.parse(readFileSync('api/examples.json', 'utf8')) as { operations: Record<string, { readonly body?: object }> })
  .operations;

/** Returns the names of the instants among the fields of a schema. */
function instantsOf(schema: unknown): readonly string[] {
  const fields = Object.entries((schema as Node | undefined)?.properties ?? {});
  return fields.filter(([, { format }]) => format === 'date-time').map(([name]) => name);
}

let api: ApiUnderTest;
let token: string;
let agent: string;
beforeAll(async () => {
  api = await apiUnderTest();
  token = await api.token(['market:read', 'agent:read', 'trade:execute', 'risk:manage']);
  agent = await createdAgent(api, token);
});
afterAll(() => api.close());

const taking = ROUTES.flatMap((route) => [
  ...instantsOf(route.schema.querystring).map((field) => [route.name, `query.${field}`, field, route] as const),
  ...instantsOf(route.schema.body).map((field) => [route.name, `$.${field}`, field, route] as const),
]);

describe.each(INSTANTS)('%s', (instant) => {
  test.each(taking)('%s %s', async (_, place, field, { method, url, name }) => {
    const path = url.replaceAll(/:\w+/g, agent);
    const asked = place.startsWith('$')
      ? await api.call(method, path, { token, body: { ...examples[name]?.body, [field]: instant } })
      : await api.call(method, `${path}?${field}=${encodeURIComponent(instant)}`, { token });
    expect([asked.status, asked.body.problems]).toEqual([
      400,
      expect.arrayContaining([expect.objectContaining({ path: place, allowed: 'an ISO 8601 time such as 2026-03-02T14:31:00.000Z' })]),
    ]);
  });
});
