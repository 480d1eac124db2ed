// Pages under /docs: every operation and every error once, in three columns without a script, and no broken link.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentedRoutes, TAGS } from '../../api/document/openapi.ts';
import { PROBLEMS } from '../../src/domain/values/problems.ts';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';

let api: ApiUnderTest;
let pages: ReadonlyMap<string, string>;
beforeAll(async () => {
  api = await apiUnderTest();
  const names = ['', 'errors', ...TAGS.map(({ name }) => name)];
  const bodies = await Promise.all(names.map(async (name) => (await api.app.inject(`/docs/${name}`)).body));
  pages = new Map(names.map((name, at) => [name, bodies[at] as string]));
});
afterAll(() => api.close());

test('each operation is on the page of its tag, with its samples in three tabs', () => {
  for (const route of documentedRoutes()) {
    const [, after = ''] = (pages.get(route.tag) ?? '').split(`<section class="operation" id="${route.name}">`);
    const own = after.split('</section>')[0] ?? '';
    expect(own, route.name).toContain(`<b data-method="${route.method}">`);
    expect(
      [...own.matchAll(/<label [^>]*>(\w+)<\/label>/g)].map(([, tab]) => tab),
      route.name,
    ).toEqual(['curl', 'TypeScript', 'Python']);
    for (const code of route.refusals) expect(own, route.name).toContain(`/docs/errors#${code}`);
  }
});

test('each section has a name and a position of its own', () => {
  for (const fact of ['name', 'position'] as const) expect(new Set(TAGS.map((tag) => tag[fact])).size, fact).toBe(TAGS.length);
});

test('each error has its cause and its fix', () => {
  const rows = [...(pages.get('errors') ?? '').matchAll(/<tr id="(\w+)">(.*?)<\/tr>/g)].map(([, code, row = '']) => [
    code,
    [...row.matchAll(/<td>(.+?)<\/td>/g)].length,
  ]);
  expect(rows).toEqual(Object.keys(PROBLEMS).map((code) => [code, 3]));
});

test('no page has a script, and no link or anchor is broken', async () => {
  for (const [name, body] of pages) {
    expect(body, name).not.toMatch(/<script|javascript:| on\w+=/);
    expect(body, name).not.toMatch(/undefined|\[object/);
    const links = new Set([...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link));
    for (const link of links) {
      const [path = '', place] = link.split('#');
      const target = path === '' ? body : (pages.get(path.replace(/^\/docs\/?/, '')) ?? '');
      if (place !== undefined) expect(target.includes(`id="${place}"`), `${name}: ${link}`).toBe(true);
      else if (path !== '/') expect((await api.app.inject(path)).statusCode, `${name}: ${link}`).toBe(200);
    }
  }
});
