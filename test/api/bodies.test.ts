// Hostile bodies on every route with a body: the answer is below 500, no value is coerced, and nothing changes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRateLimits, DEFAULT_POLICIES } from '../../api/http/rate-limits.ts';
import { parseStrictYaml } from '../../api/http/strict-yaml.ts';
import { ROUTES } from '../../api/v1/index.ts';
import { rounds } from '../harness/rounds.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, OURS, payload } from './api-under-test.ts';

let api: ApiUnderTest;
let token: string;
let agent: string;
beforeAll(async () => {
  const plenty = { limit: 100_000, windowSeconds: 60 };
  api = await apiUnderTest(() => ({
    access: { limits: createRateLimits({ ...DEFAULT_POLICIES, write: plenty, costly: plenty, emergency: plenty }) },
  }));
  token = await api.token(['agent:read', 'trade:execute', 'risk:manage']);
  agent = await createdAgent(api, token);
});
afterAll(() => api.close());

const manifest = (over: Record<string, unknown>) => JSON.stringify(payload(over));
const withNumber = (literal: string) => JSON.stringify(payload({ maxCapitalUsd: 'HERE' })).replace('"HERE"', literal);
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** Name, body, and the content type if it is not JSON. No route may accept any of them. */
type Hostile = [name: string, body: string | Buffer, contentType?: string];
const HOSTILE: Hostile[] = [
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '3'],
  ['a text', '"x"'],
  ['a list', '[]'],
  ['a list of a manifest', `[${manifest({})}]`],
  ['not JSON', '{'],
  ['a trailing comma', '{"a":1,}'],
  ['single quotes', "{'a':1}"],
  ['a comment', '{"a":1 /* x */}'],
  ['two documents', '{} {}'],
  ['NaN', '{"a":NaN}'],
  ['a hexadecimal number', '{"a":0x10}'],
  ['a leading zero', '{"a":01}'],
  ['a plus sign', '{"a":+1}'],
  ['an unfinished text', '{"a":"x'],
  ['a raw control character', '{"a":"x\ny"}'],
  ['a bad escape', '{"a":"\\x41"}'],
  ['a duplicate key', '{"maxCapitalUsd":1,"maxCapitalUsd":2}'],
  ['an escaped duplicate key', '{"a":1,"\\u0061":2}'],
  ['a NUL in a text', manifest({ name: 'a\u0000b' })],
  ['a NUL in a key', '{"a\\u0000":1}'],
  ['a lone surrogate', '{"name":"\\ud800"}'],
  ['a lone low surrogate', '{"name":"\\udc00x"}'],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ['17 levels', `{"a":${deep(16)}}`],
  ['10,000 levels', deep(10_000)],
  ['30,000 open braces', '{"a":'.repeat(12_000)],
  ['__proto__', '{"__proto__":{"isAdmin":true}}'],
  ['an escaped __proto__', '{"__pr\\u006fto__":{"isAdmin":true}}'],
  ['constructor.prototype', '{"constructor":{"prototype":{"isAdmin":true}}}'],
  ['2^53 + 1', withNumber('9007199254740993')],
  ['1e400', withNumber('1e400')],
  ['-1e400', withNumber('-1e400')],
  ['1e-400', withNumber('1e-400')],
  ['30 digits', withNumber('0.123456789012345678901234567890')],
  ['null where a number belongs', manifest({ maxCapitalUsd: null })],
  ['true where a number belongs', manifest({ maxCapitalUsd: true })],
  ['a list where a number belongs', manifest({ maxCapitalUsd: [5] })],
  ['a text where a number belongs', manifest({ stopLossPct: '4' })],
  ['an object where a number belongs', manifest({ maxOpenPositions: { $gt: 0 } })],
  ['a fraction where a whole number belongs', manifest({ maxOpenPositions: 1.5 })],
  ['a negative limit', manifest({ maxCapitalUsd: -1 })],
  ['an unknown field', manifest({ riskLimits: { maxWeight: 1 } })],
  ['a stage', manifest({ stage: 'live' })],
  ['an organization', manifest({ orgId: OURS })],
  ['an owner', manifest({ ownerId: 'x', createdBy: 'x' })],
  ['a passed flag', manifest({ passed: true })],
  ['a mandate in a condition', manifest({ entryConditions: [{ type: 'premium_below', pct: -1, maxDailyDrawdownPct: 99 }] })],
  ['an unknown condition', manifest({ entryConditions: [{ type: 'always' }] })],
  ['a condition that is a text', manifest({ entryConditions: ['premium_below'] })],
  ['10,000 conditions', manifest({ entryConditions: Array(5_000).fill({}) })],
  ['a universe of texts that are not symbols', manifest({ universe: ["'; drop table agents; --"] })],
  ['a universe of numbers', manifest({ universe: [1, 2] })],
  ['a key of 60 KiB', `{"${'k'.repeat(60_000)}":1}`],
  ['5,000 unknown keys', `{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":1`).join(',')}}`],
  ['larger than 64 KiB', JSON.stringify({ name: 'x'.repeat(70_000) })],
  ['a form', 'a=1', 'application/x-www-form-urlencoded'],
  ['a plain text', manifest({}), 'text/plain'],
  ['JSON of another kind', manifest({}), 'application/vnd.api+json'],
  ['a tab in the content type', manifest({ stage: 'live' }), 'application/json\t; charset=utf-8'],
  ['an upper-case content type', manifest({ stage: 'live' }), 'APPLICATION/JSON'],
  ['a trailing semicolon', manifest({ stage: 'live' }), 'application/json;'],
  ['a multipart body', '--x\r\n\r\n{}\r\n--x--', 'multipart/form-data; boundary=x'],
  ['YAML: a list', '- 1', 'application/yaml'],
  ['YAML: two documents', 'a: 1\n---\nb: 2', 'application/yaml'],
  ['YAML: a duplicate key', 'a: 1\na: 2', 'application/yaml'],
  ['YAML: a tag', 'a: !!js/function "function(){}"', 'application/yaml'],
  [
    'YAML: a billion laughs',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
      .split('')
      .map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefghij'[i]}`).join(',')}]`)
      .join('\n')}`,
    'application/yaml',
  ],
  ['YAML: an endless alias', 'a: &a\n  b: *a', 'application/yaml'],
  ['YAML: 30,000 brackets', `a: ${'['.repeat(30_000)}`, 'application/yaml'],
  ['YAML: 3,000 indented levels', Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'application/yaml'],
  ['YAML: infinity', 'maxCapitalUsd: .inf', 'application/yaml'],
  ['YAML: an octal number', 'maxCapitalUsd: 0o17', 'application/yaml'],
  ['YAML: lost digits', 'maxCapitalUsd: 9007199254740993', 'application/yaml'],
  ['YAML: __proto__', '__proto__: { isAdmin: true }', 'application/yaml'],
  ['YAML: a key that is a list', '? [a]\n: 1', 'application/yaml'],
];

const takers = ROUTES.filter(({ method }) => method === 'POST');

/**
 * One in so many bodies is sent to a route in the suite, the next to its neighbour; all in the proof. The agents' route always gets all.
 */
const BODIES_APART = rounds({ suite: 4, proof: 1 });
const bodiesFor = (url: string, place: number): readonly Hostile[] =>
  HOSTILE.filter((_, index) => url === '/v1/agents' || index % BODIES_APART === place % BODIES_APART);

describe.each(takers.map((route, place) => [route.url, route, place] as const))('POST %s', (url, route, place) => {
  test('refuses each of them, and none leaves anything behind', async () => {
    const path = url.replace(':id', agent);
    const before = await fingerprint();
    for (const [name, raw, contentType = 'application/json'] of bodiesFor(url, place)) {
      const reply = await api.call('POST', path, { token, raw, headers: { 'content-type': contentType } });
      const said = `${name}: ${reply.text}`;
      expect(reply.status, said).toBeGreaterThanOrEqual(400);
      expect(reply.status, said).toBeLessThan(500);
      expect(reply.status, said).not.toBe(429);
      expect(reply.headers['content-type'], said).toContain('application/problem+json');
      expect(reply.body.detail.length, said).toBeGreaterThan(5);
      expect(({} as Record<string, unknown>)['isAdmin'], said).toBeUndefined();
    }
    expect(await fingerprint()).toBe(before);
    expect(route.method).toBe('POST');
  });
});

/** Returns everything that a request could have changed. */
async function fingerprint(): Promise<string> {
  const [row] = await api.sql<{ mark: string }[]>`
    select concat_ws('/', (select count(*) from agents), (select count(*) from manifests), (select count(*) from steps), (select count(*) from audit),
      (select string_agg(epoch::text, ',') from control), (select count(*) from idempotency_keys)) as mark`;
  return row?.mark ?? '';
}

test('invalid YAML is refused with the sentence that the command line gives too', async () => {
  const refused = HOSTILE.filter(([name]) => name.startsWith('YAML'));
  expect(refused.length).toBeGreaterThan(10);
  for (const [name, raw, contentType = ''] of refused) {
    const reply = await api.call('POST', '/v1/agents', { token, raw, headers: { 'content-type': contentType } });
    expect(() => parseStrictYaml(raw.toString()), name).toThrow(reply.body.detail);
  }
});

test('the list of hostile bodies is long, and none of them caused a defect', () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(40);
  expect(api.defects).toEqual([]);
});

test('a route that needs no body takes none, an empty one and {}', async () => {
  for (const more of [{}, { raw: '' }, { body: {} }]) {
    const id = await createdAgent(api, token);
    expect((await api.call('POST', `/v1/agents/${id}/pause`, { token, ...more })).status).toBe(200);
  }
});

test('16 levels, BMP and astral text, and long exact numbers are accepted', async () => {
  const reply = await api.call('POST', '/v1/agents', {
    token,
    raw: withNumber('50000.000').replace('Discount hunter', 'Größe \\ud83d\\ude00 😀'),
  });
  expect(reply.body).toMatchObject({ name: 'Größe 😀 😀' });
  const sixteen = await api.call('POST', '/v1/agents', { token, raw: `{"a":${deep(15)}}` });
  expect(sixteen.body.code).toBe('manifest_invalid');
});

test('a refusal names the place, the value and what would be right', async () => {
  const cases: readonly (readonly [string, string, RegExp, RegExp])[] = [
    ['{"a":{"b":[1,2,{"c":1,"c":2}]}}', '$.a.b[2]', /"c" occurs twice/, /once/],
    ['{"a":1e999}', '$.a', /1e999/, /15 significant/],
    ['{"a":[tru]}', '$.a[0]', /character 7/, /JSON value/],
  ];
  for (const [raw, path, problem, allowed] of cases) {
    const reply = await api.call('POST', '/v1/agents', { token, raw });
    expect(reply.body.problems).toHaveLength(1);
    expect(reply.body.problems[0].path).toBe(path);
    expect(reply.body.problems[0].problem).toMatch(problem);
    expect(reply.body.problems[0].allowed).toMatch(allowed);
  }
});
