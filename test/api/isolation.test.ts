// Two organizations on one service: everything of the other is not found, on every route of the table.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servedRoutes } from '../../api/document/openapi.ts';
import type { Route } from '../../api/route.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { PERMISSIONS } from '../../src/domain/agents/agent.ts';
import { fillTables, organizationTables } from '../harness/filled-tables.ts';
import { rounds } from '../harness/rounds.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, newId, OURS, payload, type Reply, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let ours: string;
/** Ids in rows of the other organization, with their tables. */
const foreign = new Map<string, readonly string[]>();
/** Answers of each GET route without an id, before and after the other organization had data. */
const given = new Map<string, readonly [before: unknown, after: unknown]>();
beforeAll(async () => {
  api = await apiUnderTest();
  ours = await createdAgent(api, await api.token(PERMISSIONS, OURS));
  const tokens = new Map<string, string>();
  for (const entry of everyList) tokens.set(name(entry), await api.token(PERMISSIONS, OURS));
  const answers = async () => {
    const found = new Map<string, unknown>();
    for (const entry of everyList) found.set(name(entry), await asking(entry, entry.url, tokens.get(name(entry)) as string, newId()));
    return found;
  };
  const before = await answers();
  const superuser = openDatabase({ url: api.databaseUrl, role: null, connections: 1, name: 'isolation superuser' });
  await superuser`delete from control where org_id = ${THEIRS}`;
  await superuser`delete from organizations where id = ${THEIRS}`;
  const rows = await fillTables(superuser, await organizationTables(superuser), THEIRS);
  await superuser.end();
  for (const [table, { id }] of rows) if (typeof id === 'string') foreign.set(id, [...(foreign.get(id) ?? []), table]);
  const after = await answers();
  for (const [route, answer] of before) given.set(route, [answer, after.get(route)]);
});
afterAll(() => api.close());

/** Permissions for data that belongs to no organization, mainly market data. */
const NOBODYS: readonly unknown[] = ['public', 'identity', 'market:read'];
const ROUTES = servedRoutes().filter(({ url, permission }) => url.startsWith('/v1/') && !NOBODYS.includes(permission));
const name = (route: Route): string => `${route.method} ${route.url}`;
const withIds = ROUTES.filter(({ url }) => url.includes('/:'));
const lists = ROUTES.filter(({ method, url }) => method === 'GET' && !url.includes('/:'));

const everyList = servedRoutes().filter(({ method, url }) => method === 'GET' && url.startsWith('/v1/') && !url.includes('/:'));

/** Shared catalogs: what an organization lists, launches or registers is public. */
const PUBLIC_BY_DESIGN: Readonly<Record<string, string>> = {};

/**
 * One in so many foreign ids is tried on a route in the suite, besides those of its own kind, the next on its neighbour; all in the proof.
 */
const IDS_APART = rounds({ suite: 6, proof: 1 });
function foreignTo(route: Route, place: number): readonly (readonly [id: string, tables: readonly string[]])[] {
  const kind = (/([a-z-]+)\/:/.exec(route.url)?.[1] ?? '').replace(/s$/, '');
  const itsOwn = (tables: readonly string[]) => kind !== '' && tables.some((table) => table.includes(kind.replaceAll('-', '_')));
  return [...foreign].filter(([, tables], index) => index % IDS_APART === place % IDS_APART || itsOwn(tables));
}

test('data of the other organization changes no byte of our answers, except public data', () => {
  const changed = [...given].filter(([, [before, after]]) => JSON.stringify(before) !== JSON.stringify(after));
  expect(given.size).toBeGreaterThan(60);
  expect(changed.map(([route]) => route).sort()).toEqual(Object.keys(PUBLIC_BY_DESIGN).sort());
});

/** Returns an unused id of the same form and length. */
const absentLike = (id: string): string => (id.startsWith('{') ? id.replaceAll(/\d/g, '0') : newId());

/** Returns what a client sees, without the parts that differ between requests and the requested id. */
function seen({ status, headers, body, text }: Reply, id: string) {
  const told = body?.requestId === undefined ? text : text.replaceAll(body.requestId, 'REQUEST');
  const plain = told.replaceAll(id, 'ID').replaceAll(JSON.stringify(JSON.stringify(id).slice(1, -1)).slice(1, -1), 'ID');
  return { status, plain, headers: { ...headers, 'x-request-id': '', date: '', ratelimit: '', 'retry-after': '' } };
}

async function asking(found: Route, url: string, token: string, id: string): Promise<ReturnType<typeof seen>> {
  const { method, schema, bodyRule } = found;
  const body = method === 'GET' || schema.body === undefined || bodyRule === 'optional' ? {} : { body: payload() };
  return seen(await api.call(method, `${url}${queryOf(found)}`, { token, ...body }), id);
}

/** Returns the query that a route validates before it looks up the id: the smallest numbers. */
function queryOf(route: Route): string {
  const query = route.schema.querystring as { properties: Record<string, { minimum?: number }>; required?: string[] } | undefined;
  const needed = (query?.required ?? []).map((member) => `${member}=${query?.properties[member]?.minimum ?? 0}`);
  return needed.length === 0 ? '' : `?${needed.join('&')}`;
}

test('the other organization has data behind every kind of id', () => {
  for (const table of ['agents', 'proposals', 'books', 'market_orders', 'evaluation_runs', 'delegations'])
    expect([...foreign.values()].flat()).toContain(table);
});

test.each(withIds.map((found, place) => [name(found), found, place] as const))(
  '%s: every foreign id answers byte for byte like a missing one',
  async (_, found, place) => {
    for (const [id, tables] of foreignTo(found, place)) {
      const token = await api.token(PERMISSIONS, OURS);
      const at = (first: string, others: string): string => {
        let place = 0;
        return found.url.replaceAll(/:[A-Za-z]+/g, () => encodeURIComponent(place++ === 0 ? first : others));
      };
      const absent = absentLike(id);
      const answer = await asking(found, at(id, id), token, id);
      if (found.method === 'GET') expect(answer.status, tables.join()).toBe(404);
      expect(answer, tables.join()).toEqual(await asking(found, at(absent, absent), token, absent));
      if (at('a', 'b') === at('a', 'c')) continue;
      // An agent of ours with something of theirs below it.
      expect(await asking(found, at(ours, id), token, id), `ours and ${tables.join()}`).toEqual(
        await asking(found, at(ours, absent), token, absent),
      );
    }
  },
);

test.each(lists.map((found, place) => [name(found), found, place] as const))(
  '%s shows no data of the other organization, for any request',
  async (_, found, place) => {
    const all = [...foreign.keys(), THEIRS];
    const token = await api.token(PERMISSIONS, OURS);
    const plain = await api.call('GET', found.url, { token });
    for (const id of all) expect(plain.text).not.toContain(id);
    const asked = Object.keys((found.schema.querystring as { properties?: object } | undefined)?.properties ?? {});
    for (const parameter of asked.filter((one) => /id$/i.test(one))) {
      for (const [id, tables] of foreignTo(found, place)) {
        const another = await api.token(PERMISSIONS, OURS);
        const ask = (value: string) => asking(found, `${found.url}?${parameter}=${encodeURIComponent(value)}`, another, value);
        expect(await ask(id), `${parameter} of ${tables.join()}`).toEqual(await ask(absentLike(id)));
      }
    }
  },
);

test('no answer was caused by a defect', () => expect(api.defects).toEqual([]));
