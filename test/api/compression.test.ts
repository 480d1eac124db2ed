// Compressed answers: only the long documents that everybody gets.
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptsGzip } from '../../api/http/compression.ts';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api.close());

const get = (url: string, headers: Readonly<Record<string, string>> = {}) => api.app.inject({ method: 'GET', url, headers });
const GZIP = { 'accept-encoding': 'br, gzip' };

test.each(['/v1/openapi.json', '/v1/asyncapi.json', '/docs/agents', '/docs/market'])(
  '%s is sent compressed to clients that accept it, the first time and later',
  async (url) => {
    const plain = await get(url);
    expect([plain.statusCode, plain.headers['content-encoding'], plain.headers.vary]).toEqual([
      200,
      undefined,
      expect.stringContaining('Accept-Encoding'),
    ]);
    // Two requests at once, with two spellings of the path.
    const written = [url, url.replace('a', '%61')];
    for (const small of [...(await Promise.all(written.map((one) => get(one, GZIP)))), await get(url, GZIP)]) {
      expect([small.statusCode, small.headers['content-encoding']]).toEqual([200, 'gzip']);
      expect(Number(small.headers['content-length'])).toBe(small.rawPayload.length);
      expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
      expect(gunzipSync(small.rawPayload).equals(plain.rawPayload)).toBe(true);
      expect(small.headers['content-type']).toBe(plain.headers['content-type']);
    }
  },
);

test('private answers and short pages are never compressed', async () => {
  const token = await api.token(['market:read', 'agent:read']);
  const headers = { ...GZIP, authorization: `Bearer ${token}` };
  for (const url of ['/v1/me', '/v1/catalog', '/docs/none']) {
    expect([url, (await get(url, headers)).headers['content-encoding']]).toEqual([url, undefined]);
  }
  expect((await get('/v1/catalog', headers)).rawPayload.length).toBeGreaterThan(16 * 1024);
});

test('an unchanged documentation page is not sent again, and its style sheet is cached forever', async () => {
  const page = await get('/docs/agents');
  expect(page.headers['cache-control']).toBe('no-cache');
  const known = await get('/docs/agents', { ...GZIP, 'if-none-match': String(page.headers.etag) });
  expect([known.statusCode, known.body]).toEqual([304, '']);
  const [, style = ''] = /href="(\/docs\/docs-[0-9a-f]{12}\.css)"/.exec(page.body) ?? [];
  expect((await get(style)).headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': expect.stringContaining('immutable'),
  });
});

test.each([
  ['gzip', true],
  ['deflate, gzip;q=0.5', true],
  ['GZIP ; q=1.000', true],
  ['gzip;q=0', false],
  ['br, gzip; q=0.000', false],
  ['x-gzip-like, br', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding %s allows gzip: %s', (accepted, takes) => {
  expect(acceptsGzip(accepted)).toBe(takes);
});
