// Names of object prototypes and extreme numbers in every input of every operation: no answer is a 500.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRateLimits, DEFAULT_POLICIES } from '../../api/http/rate-limits.ts';
import { ROUTES } from '../../api/v1/index.ts';
import { rounds } from '../harness/rounds.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent } from './api-under-test.ts';

/** One in so many strange values is sent to a route in the suite, the next to its neighbour; all in the proof. */
const VALUES_APART = rounds({ suite: 6, proof: 1 });
const NAMES = ['__proto__', 'constructor', 'toString'];
const NUMBERS = ['1e308', '-1e308', '9007199254740993', '2147483648', '-1', '0.5'];

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
interface Node {
  readonly type?: string;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly properties?: { readonly [name: string]: Node };
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}
interface Example {
  readonly url?: string;
  readonly body?: Json;
}

const examples = (JSON.parse(readFileSync('api/examples.json', 'utf8')) as { operations: Record<string, Example> }).operations;

/** Yields bodies that differ from an example in one value, as JSON text, so that numbers beyond JavaScript's range are sent unchanged. */
function* changed(value: Json): Generator<string> {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    for (const [place, item] of items.slice(0, 2).entries())
      for (const other of changed(item)) yield `[${items.map((each, at) => (at === place ? other : JSON.stringify(each))).join(',')}]`;
  } else if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value);
    for (const [name, item] of entries)
      for (const other of changed(item))
        yield `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${key === name ? other : JSON.stringify(each)}`).join(',')}}`;
  } else if (typeof value === 'number') yield* NUMBERS;
  else yield* NAMES.map((name) => JSON.stringify(name));
}

let api: ApiUnderTest;
let token: string;
let agent: string;
beforeAll(async () => {
  const plenty = { limit: 1_000_000, windowSeconds: 60 };
  api = await apiUnderTest(() => ({
    access: { limits: createRateLimits({ ...DEFAULT_POLICIES, write: plenty, costly: plenty, emergency: plenty, read: plenty }) },
  }));
  token = await api.token(['market:read', 'agent:read', 'trade:execute', 'risk:manage']);
  agent = await createdAgent(api, token);
});
afterAll(() => api.close());

async function statusOf(method: string, url: string, body?: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const answer = await api.app.inject({ method: method as 'POST', url, headers, ...(body === undefined ? {} : { payload: body }) });
  return answer.statusCode;
}

const answered = ROUTES.filter(({ url }) => !url.includes('*')).map(
  (route, place) => [`${route.method} ${route.url}`, route, place] as const,
);

describe('no 500', () => {
  test.each(answered)('%s', async (_, route, place) => {
    const { params, querystring, body } = route.schema as { params?: Node; querystring?: Node; body?: Node };
    const own = route.url.replace(/:\w+/g, agent);
    const asked: [url: string, body?: string][] = [];
    if (params !== undefined) for (const name of NAMES) asked.push([route.url.replace(/:\w+/g, name)]);
    for (const field of Object.keys(querystring?.properties ?? {}))
      for (const value of [...NAMES, ...NUMBERS]) asked.push([`${own}?${field}=${value}`]);
    if (body !== undefined) {
      const example = examples[route.name]?.body ?? {};
      const fields = { ...Object.fromEntries(Object.keys(body.properties ?? {}).map((name) => [name, 'x'])), ...(example as object) };
      for (const text of new Set([...changed(example), ...changed(fields)])) asked.push([own, text]);
    }
    const defects: string[] = [];
    for (const [url, text] of asked.filter((_value, at) => at % VALUES_APART === place % VALUES_APART)) {
      const status = await statusOf(route.method, url, text);
      if (status === 500) defects.push(`${url} ${text ?? ''}`);
    }
    expect(defects).toEqual([]);
  });
});

/** Positions that fit the form of some list and that no list has. */
const POSITIONS = ['1', '999999999999999', '9999999999999999.9', '99999999999999999999:1', '1:999999999999999999', '9999-99-99'];
const NO_ID = '-'.repeat(36);
const WITH_NO_ID = [`${NO_ID}:1:1`, `1|${NO_ID}`, `999999999999999|${NO_ID}`, `1|${NO_ID}|x`];

/** Returns the names of the lists in the file of each route with a cursor. */
function listNames(): Map<string, readonly string[]> {
  const files = (readdirSync('api/v1', { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
  return new Map(
    files.flatMap((name) => {
      const text = readFileSync(`api/v1/${name}`, 'utf8');
      const lists = [...text.matchAll(/pageOfQuery\([^,]+, '([^']+)'/g)].map(([, list = '']) => list);
      return [...text.matchAll(/^  name: '(\w+)',$/gm)].map(([, route = '']) => [route, lists] as const);
    }),
  );
}

test('an invented cursor is refused, or lists what it points to', async () => {
  const lists = listNames();
  const reader = await api.token(['market:read', 'agent:read', 'members:manage']);
  const defects: string[] = [];
  let read = 0;
  for (const { name, url, schema } of ROUTES) {
    const { properties = {} } = (schema.querystring ?? {}) as Node;
    if (!('cursor' in properties)) continue;
    const series = 'timeframe' in properties ? '&venue=spotexchange&instrument=BTCUSDT&timeframe=1h' : '';
    for (const list of lists.get(name) ?? [])
      for (const position of [...POSITIONS, ...WITH_NO_ID]) {
        const cursor = Buffer.from(`${list} ${position}`).toString('base64url');
        const path = `${url.replace(/:\w+/g, agent)}?cursor=${cursor}${series}`;
        const { statusCode } = await api.app.inject({ method: 'GET', url: path, headers: { authorization: `Bearer ${reader}` } });
        if (statusCode === 200) read++;
        if (statusCode >= 500) defects.push(`${url} ${list} ${position}`);
      }
  }
  expect(defects).toEqual([]);
  expect(read).toBeGreaterThan(50);
});

test('positions cannot be closed for instruments named like object prototypes', async () => {
  for (const instrument of NAMES)
    expect(await statusOf('POST', `/v1/agents/${agent}/close`, JSON.stringify({ instrument, limitPrice: '1' }))).toBeLessThan(500);
});

test('a branch cannot start from an impossible version', async () => {
  const body = JSON.stringify({ version: 1, events: [{ type: 'pause' }] }).replace('1', '1e308');
  expect(await statusOf('POST', `/v1/actors/${agent}/what-if`, body)).toBe(400);
});

test('every number in a request has a maximum', () => {
  const unbounded: string[] = [];
  const look = (node: Node, path: string): void => {
    const { maximum = node.exclusiveMaximum } = node;
    if ((node.type === 'integer' || node.type === 'number') && !(Math.abs(maximum ?? Number.POSITIVE_INFINITY) <= Number.MAX_SAFE_INTEGER))
      unbounded.push(path);
    for (const [name, child] of Object.entries(node.properties ?? {})) look(child, `${path}.${name}`);
    for (const child of node.anyOf ?? []) look(child, path);
    if (node.items !== undefined) look(node.items, `${path}[]`);
  };
  for (const route of ROUTES) for (const [part, schema] of Object.entries(route.schema)) look(schema as Node, `${route.name} ${part}`);
  expect(unbounded).toEqual([]);
});
