// What-if questions on actors: events applied to a copy at any step change nothing, and an exported history is a test that runs.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runExported } from '../harness/run-exported.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, OURS, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let owner: string;
let stranger: string;
/** Agent that was paused, refused a resume, and had its autonomy changed: versions 1 to 4. */
let agent: string;

beforeAll(async () => {
  api = await apiUnderTest();
  owner = await api.token(['market:read', 'agent:read', 'trade:execute', 'risk:manage'], OURS);
  stranger = await api.token(['agent:read'], THEIRS);
  agent = await createdAgent(api, owner);
  for (const [verb, body] of [
    ['autonomy', { autonomy: 'confirm' }],
    ['pause', {}],
    ['autonomy', { autonomy: 'suggest' }],
  ] as const)
    expect((await api.call('POST', `/v1/agents/${agent}/${verb}`, { token: owner, body })).status).toBeLessThan(300);
});
afterAll(() => api.close());

const ask = (body: object, by = owner, id = agent) => api.call('POST', `/v1/actors/${id}/what-if`, { token: by, body });
const exported = (from: number, to: number, by = owner, id = agent) =>
  api.call('GET', `/v1/actors/${id}/test?from=${from}&to=${to}`, { token: by });
const history = async () => (await api.call('GET', `/v1/agents/${agent}/history`, { token: owner })).body.items;

/** Returns everything of the actors in the database. */
async function written(): Promise<string> {
  const [row] = await api.sql<{ all: string }[]>`
    select concat_ws(' ', (select md5(string_agg(a::text, ';' order by id)) from actors a), (select count(*) from steps), (select count(*) from timers),
      (select count(*) from activities), (select count(*) from announcements), (select count(*) from audit), (select count(*) from incidents)) as all`;
  return row?.all as string;
}

test('an event at a past step leads where it would have led then, and nothing is written', async () => {
  const before = await written();
  const pause = { type: 'pause', cause: 'manual' };
  // The second step changed the autonomy; the third was the pause.
  const early = await ask({ version: 2, events: [pause] });
  expect(early.status, early.text).toBe(200);
  expect(early.body).toMatchObject({ kind: 'agent', machine: 'agent@1', version: 2 });
  const [step] = early.body.steps;
  expect(step).toMatchObject({ taken: true, refusal: null, event: pause });
  expect(JSON.stringify(step.to)).not.toBe(JSON.stringify(step.from));
  expect(step.records.length).toBeGreaterThan(0);
  // The real step gave the same.
  const items = await history();
  expect(items.find(({ version }: { version: number }) => version === 3)).toMatchObject({ event: { type: 'pause' }, to: step.to });
  const late = await ask({ version: 3, events: [pause] });
  expect(late.body.steps[0]).toMatchObject({ taken: false, refusal: { code: 'already_paused' } });
  expect(await written()).toBe(before);
});

test('several events form one branch with the changes of each, which ends at the first refused one', async () => {
  const before = await written();
  const events = [
    { type: 'pause', cause: 'manual' },
    { type: 'autonomy.set', autonomy: 'suggest' },
    { type: 'pause', cause: 'manual' },
    { type: 'autonomy.set', autonomy: 'confirm' },
  ];
  const { body } = await ask({ version: 2, events, at: '2026-03-02T15:00:00.000Z' });
  expect(body.steps.map(({ taken }: { taken: boolean }) => taken)).toEqual([true, true, false]);
  expect(body.steps[1].changes).toContainEqual({ path: 'autonomy', before: 'confirm', after: 'suggest' });
  expect(body.steps[2].refusal.code).toBe('already_paused');
  expect(body.takes).toEqual(expect.arrayContaining(['resume', 'autonomy.set']));
  expect(await written()).toBe(before);
});

test('actors of every kind are listed and read, each by its own organization only', async () => {
  const listed = await api.call('GET', '/v1/actors?kind=agent&status=running&limit=1', { token: owner });
  expect(listed.body.items).toMatchObject([{ id: agent, kind: 'agent', machine: 'agent@1', version: 4, status: 'running' }]);
  expect((await api.call('GET', '/v1/actors?kind=take', { token: owner })).body.items).toEqual([]);
  expect((await api.call('GET', '/v1/actors', { token: stranger })).body.items).toEqual([]);
  const one = await api.call('GET', `/v1/actors/${agent}`, { token: owner });
  expect(one.body).toMatchObject({ id: agent, context: { autonomy: 'suggest', pauseCause: 'operator' }, incidents: [] });
  expect((await api.call('GET', `/v1/actors/${agent}`, { token: stranger })).status).toBe(404);
});

test('any range of the steps is read by version', async () => {
  const stretch = async (from: number, to: number) =>
    (await api.call('GET', `/v1/actors/${agent}/steps?from=${from}&to=${to}`, { token: owner })).body;
  const all = [...(await history())].reverse();
  expect(await stretch(0, 200)).toEqual({ version: 4, items: all });
  expect(await stretch(1, 3)).toEqual({ version: 4, items: all.slice(1, 3) });
  expect(await stretch(4, 100)).toEqual({ version: 4, items: [] });
  for (const [from, to] of [
    [3, 3],
    [0, 201],
  ])
    expect((await api.call('GET', `/v1/actors/${agent}/steps?from=${from}&to=${to}`, { token: owner })).status).toBe(400);
});

test('the account of a step has its changes and writes, like that of the same event in a branch', async () => {
  const before = await written();
  const step = (version: number | string, by = owner) => api.call('GET', `/v1/actors/${agent}/steps/${version}`, { token: by });
  const told = (await step(2)).body;
  expect(told).toMatchObject({ kind: 'agent', version: 2, event: { type: 'autonomy.set', autonomy: 'confirm' }, guards: [] });
  expect(told.changes).toContainEqual({ path: 'autonomy', before: 'research', after: 'confirm' });
  const [branch] = (await ask({ version: 1, events: [told.event], at: told.at })).body.steps;
  expect({ changes: told.changes, records: told.records, timers: told.timers, announcements: told.announcements }).toEqual({
    changes: branch.changes,
    records: branch.records,
    timers: branch.timers,
    announcements: branch.announcements,
  });
  expect((await step(1)).body.changes).toContainEqual({ path: 'autonomy', before: null, after: 'research' });
  expect((await step(5)).status).toBe(404);
  expect((await step('0')).status).toBe(404);
  expect((await step(2, stranger)).status).toBe(404);
  expect(await written()).toBe(before);
});

test('an event without a transition changes nothing, and an unreadable one is refused with a reason', async () => {
  const unknown = await ask({ version: 1, events: [{ type: 'no.such.event' }] });
  expect(unknown.body.steps[0]).toMatchObject({ taken: false, refusal: null, changes: [], records: [] });
  const before = await written();
  for (const events of [[], [{}], [{ type: '' }], [{ type: 7 }], Array.from({ length: 21 }, () => ({ type: 'x' }))])
    expect((await ask({ version: 1, events })).status).toBe(400);
  expect((await ask({ version: 1, events: [{ type: 'gate.passed' }] })).status).toBe(200);
  expect((await ask({ version: 0, events: [{ type: 'x' }] })).status).toBe(400);
  expect(await written()).toBe(before);
});

test('an unreached version, an actor of another organization and a missing one are not found', async () => {
  const events = [{ type: 'pause', cause: 'manual' }];
  expect(await ask({ version: 99, events })).toMatchObject({ status: 404, body: { detail: expect.stringContaining('its last one is 4') } });
  const foreign = await ask({ version: 1, events }, stranger);
  const missing = await ask({ version: 1, events }, stranger, '019a5b1e-7c00-7000-8000-00000000ffff');
  expect(foreign).toMatchObject({ status: 404, body: { detail: missing.body.detail } });
  expect((await exported(0, 4, stranger)).status).toBe(404);
  expect(await exported(3, 3)).toMatchObject({ status: 400 });
  expect(await exported(0, 501)).toMatchObject({ status: 400 });
  expect(await exported(4, 9)).toMatchObject({ status: 404 });
});

test('an exported history is a test that passes unchanged, and fails with another expectation', async () => {
  const [all, end] = [await exported(0, 4), await exported(2, 4)];
  expect([all.status, end.status], all.text + end.text).toEqual([200, 200]);
  const wished = end.text.replace('"autonomy": "suggest"', '"autonomy": "autonomous"');
  expect(wished).not.toBe(end.text);
  const { passed, output } = await runExported({ all: all.text, end: end.text, wished });
  expect(passed, output).toEqual(['all', 'end']);
  for (const from of [1, 3]) expect(output).toContain(`goes from version ${from} to 4 as it did`);
  expect(output).toContain('autonomous');
});

test('actors are searched by name, kind and id, among those of their organization', async () => {
  const named = await createdAgent(api, owner, { name: 'Fifty_% off' });
  const search = async (text: string, by = owner): Promise<readonly string[]> => {
    const { body } = await api.call('GET', `/v1/actors?limit=200&search=${encodeURIComponent(text)}`, { token: by });
    return body.items.map(({ id }: { id: string }) => id);
  };
  expect(await search('fifty_% o')).toEqual([named]);
  // Pattern characters are literal.
  expect(await search('fifty%off')).toEqual([]);
  expect(await search(named.slice(-12))).toContain(named);
  expect(new Set(await search('AGENT'))).toEqual(new Set([named, agent]));
  expect(await search('agent', stranger)).toEqual([]);
  expect((await api.call('GET', '/v1/actors?search=', { token: owner })).status).toBe(400);
});
