// The runtime for its operators: waiting work, given-up work, incidents, and the operators' actions with author and reason.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createActorStore } from '../../src/adapters/store/actors/actor-store.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, NOW, newId, OURS, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let watcher: string;
let manager: string;
let stranger: string;
let agent: string;
/** Order of a person with an unknown outcome: its chart has no end of quarantine. */
const order = newId();
const [pending, givenUp, left] = [`${order}:3:0`, `${order}:3:1`, `${order}:2:0`];

beforeAll(async () => {
  api = await apiUnderTest();
  watcher = await api.token(['agent:read'], OURS);
  manager = await api.token(['agent:read', 'risk:manage'], OURS);
  stranger = await api.token(['agent:read', 'risk:manage'], THEIRS);
  agent = await createdAgent(api, await api.token(['trade:execute'], OURS));
  const { sql } = api;
  const snapshot = { value: 'unknown', context: {}, status: 'active' };
  await sql`insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${order}, ${OURS}, 'market_order', 'market_order@1', 3, ${sql.json(snapshot)}, 'running')`;
  for (const version of [1, 2, 3])
    await sql`insert into steps (actor_id, version, at, machine, event, to_value) values (${order}, ${version}, ${NOW}, 'market_order@1', '{"type":"x"}', '"unknown"')`;
  await sql`insert into timers (actor_id, timer_id, due_at, event) values (${order}, 'reconcileAfter', ${NOW - 1}, '{"type":"xstate.after.reconcileAfter.market_order@1.unknown"}')`;
  for (const [key, state] of [
    [pending, 'pending'],
    [givenUp, 'given_up'],
    [left, 'given_up'],
  ] as const)
    await sql`insert into activities (key, actor_id, kind, payload, state, attempts, due_at, answer)
      values (${key}, ${order}, 'reconcile_market_order', '{}', ${state}, 9, ${NOW + 320_000}, '{"detail":"nobody answers"}')`;
});
afterAll(() => api.close());

const read = async (path: string, token = watcher) => (await api.call('GET', `/v1/runtime${path}`, { token })).body;
const alerts = async (query = '', token = watcher) => (await api.call('GET', `/v1/alerts${query}`, { token })).body;
const act = (verb: string, body: object, id = order, token = manager) => api.call('POST', `/v1/actors/${id}/${verb}`, { token, body });
const stored = async (key: string) =>
  (await api.sql`select state, attempts, due_at, answer, ended_at from activities where key = ${key}`)[0];
const quarantine = (actorId: string) =>
  createActorStore(api.sql).incident({
    actorId,
    at: NOW,
    kind: 'quarantined',
    detail: 'TypeError: broken\n  at a.ts',
    event: null,
    quarantine: true,
  });

test('pending, given-up and due work is shown only to its own organization', async () => {
  const all = await read('');
  expect(all.actors).toEqual([
    { kind: 'agent', status: 'running', count: 1 },
    { kind: 'market_order', status: 'running', count: 1 },
  ]);
  expect(all.activities).toMatchObject([
    { kind: 'reconcile_market_order', state: 'given_up', count: 2 },
    { kind: 'reconcile_market_order', state: 'pending', count: 1, attempts: 9, firstDueAt: new Date(NOW + 320_000).toISOString() },
  ]);
  expect(all.timers).toMatchObject({ count: 1, overdue: 1 });
  expect((await read('/activities')).items).toMatchObject([{ key: pending, actorId: order, actorKind: 'market_order', isLeft: false }]);
  const first = await read('/activities?state=given_up&limit=1');
  const second = await read(`/activities?state=given_up&limit=1&cursor=${first.nextCursor}`);
  expect([...first.items, ...second.items]).toMatchObject([
    { key: givenUp, isLeft: false, answer: { detail: 'nobody answers' } },
    { key: left, isLeft: true },
  ]);
  expect(second.nextCursor).toBeNull();
  expect((await read('/timers')).items).toMatchObject([{ actorId: order, timerId: 'reconcileAfter' }]);
  for (const list of ['activities', 'timers', 'incidents', 'interventions']) expect((await read(`/${list}`, stranger)).items).toEqual([]);
  expect((await read('', stranger)).actors).toEqual([]);
});

test('long work without a record of its own shows its worker; if its process died, it is no longer running', async () => {
  const [moved, died] = await api.sql<{ id: number }[]>`
    insert into long_work (kind, subject, source, worked_on_by, unit, done, total, begun_at, seen_at)
    select 'archive_move', 'decisions, cuts and observations before 2026-01-01T00:00:00.000Z', 'the database', who, 'rows written or taken away',
      600, 1000, now - 60000, now - age
    from service_clock_ms() as now, (values (1, 'sevengate archive move, process 7', 0), (2, 'worker, process 8', 31000)) as w (n, who, age)
    order by n returning id`;
  await api.sql`
    insert into long_work (kind, subject, venue, instrument, timeframe, source, worked_on_by, unit, done, total, begun_at, seen_at, ended_at)
    select 'backfill', 'spotexchange BTCUSDT 1h', 'spotexchange', 'BTCUSDT', '1h', 'spotexchange', 'worker, for an evaluation, process 8', 'bars', 9, 9,
      now, now, now
    from service_clock_ms() as now`;
  const { items } = await read('/work');
  expect(items).toMatchObject([
    { kind: 'backfill', subject: 'spotexchange BTCUSDT 1h', state: 'done', progress: null, remainingMs: null },
    { kind: 'archive_move', workedOnBy: 'worker, process 8', state: 'silent', progress: { done: 600 }, remainingMs: null },
    { kind: 'archive_move', state: 'running', progress: { done: 600, total: 1_000, unit: 'rows written or taken away' } },
  ]);
  // Six tenths took a minute and the time of this test.
  expect(items[2].remainingMs).toBeGreaterThanOrEqual(40_000);
  expect(await read(`/work/${moved?.id}`)).toMatchObject({
    id: String(moved?.id),
    workedOnBy: 'sevengate archive move, process 7',
    state: 'running',
  });
  expect(await read(`/work/${died?.id}`)).toMatchObject({ state: 'silent', endedAt: null });
  expect(await read('/work/999999999')).toMatchObject({ status: 404, code: 'not_found' });
  expect(await read('/work/first')).toMatchObject({ status: 404, code: 'not_found' });
  // Candle work is listed separately too, alone.
  const candles = await api.call('GET', '/v1/candles/work', { token: await api.token(['market:read'], OURS) });
  expect(candles.body.items).toMatchObject([{ kind: 'backfill', venue: 'spotexchange', instrument: 'BTCUSDT' }]);
});

test('alerts are read from the store page by page, with agent and venue by name, including the service’s and no other organization’s', async () => {
  const announce = (orgId: string | null, actorId: string | null, body: object) => api.owner`
    insert into announcements (channel, org_id, actor_id, at, body) values ('alerts', ${orgId}, ${actorId}, ${NOW}, ${api.owner.json(body as never)})`;
  const before = (await alerts()).items.length;
  expect(before).toBe(0);
  await announce(OURS, agent, { what: 'data_degraded', agentId: agent, venues: ['spotexchange', 'nyse'] });
  await announce(THEIRS, null, { what: 'emergency_halt' });
  await announce(null, null, { what: 'clock_skew', detail: 'the clock is 3 s behind' });
  await announce(OURS, order, { what: 'order_unknown', orderId: order });
  await api.owner`insert into announcements (channel, org_id, actor_id, at, body) values ('agents', ${OURS}, ${agent}, ${NOW}, '{"what":"x"}')`;
  const first = await alerts('?limit=2');
  const second = await alerts(`?limit=2&cursor=${first.nextCursor}`);
  expect(second.nextCursor).toBeNull();
  const name = (await api.call('GET', `/v1/agents/${agent}`, { token: watcher })).body.name;
  const none = { agentId: null, agentName: null, venues: [], detail: null, ofService: false };
  expect([...first.items, ...second.items]).toEqual(
    [
      { ...none, what: 'order_unknown', data: { what: 'order_unknown', orderId: order } },
      { ...none, what: 'clock_skew', detail: 'the clock is 3 s behind', ofService: true, data: expect.any(Object) },
      {
        ...none,
        what: 'data_degraded',
        agentId: agent,
        agentName: name,
        venues: ['spotexchange'],
        data: expect.objectContaining({ agentId: agent }),
      },
    ].map((alert) => ({ at: new Date(NOW).toISOString(), ...alert })),
  );
  expect((await alerts('', stranger)).items.map(({ what }: { what: string }) => what)).toEqual(['clock_skew', 'emergency_halt']);
});

test('an activity is retried at once, unless its actor has moved on, it is foreign, or the reason is missing', async () => {
  expect((await act('retry', { activity: givenUp, reason: ' ' })).status).toBe(400);
  expect((await act('retry', { activity: givenUp, reason: 'x' }, order, watcher)).status).toBe(403);
  expect((await act('retry', { activity: givenUp, reason: 'x' }, order, stranger)).status).toBe(404);
  expect((await act('retry', { activity: givenUp, reason: 'x' }, agent)).status).toBe(404);
  expect(await act('retry', { activity: left, reason: 'x' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('has requested another one') },
  });
  const done = await act('retry', { activity: givenUp, reason: 'the exchange answers again' });
  expect(done).toMatchObject({
    status: 200,
    body: { action: 'retry', activity: givenUp, activities: 1, reason: 'the exchange answers again' },
  });
  expect(await stored(givenUp)).toEqual({ state: 'pending', attempts: 0, due_at: NOW, answer: null, ended_at: null });
  expect(await stored(pending)).toMatchObject({ attempts: 9 });
  expect(await act('reset', { reason: 'all of them' })).toMatchObject({
    status: 200,
    body: { action: 'reset', activity: null, activities: 2 },
  });
  expect(await stored(pending)).toMatchObject({ state: 'pending', attempts: 0, due_at: NOW });
  expect(await stored(left)).toMatchObject({ state: 'given_up' });
  expect(await act('reset', { reason: 'none' }, agent)).toMatchObject({ status: 409 });
});

test('a quarantined actor is stopped with its timers, is released with a reason, and continues; an agent is then paused', async () => {
  const due = () => createActorStore(api.sql).dueTimers(NOW, 10);
  await quarantine(order);
  await quarantine(agent);
  expect(await due()).toEqual([]);
  expect((await read('/incidents')).items).toMatchObject([
    { actorId: agent, actorKind: 'agent', actorStatus: 'quarantined', kind: 'quarantined', detail: 'TypeError: broken' },
    { actorId: order, actorKind: 'market_order' },
  ]);
  expect(await act('retry', { activity: pending, reason: 'x' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('release it first') },
  });
  for (const id of [order, agent]) expect((await act('release', { reason: 'mended' }, id)).status).toBe(200);
  expect((await due()).map(({ actorId }) => actorId)).toEqual([order]);
  expect((await api.call('GET', `/v1/actors/${order}`, { token: watcher })).body).toMatchObject({
    status: 'running',
    version: 5,
    value: 'unknown',
  });
  expect((await api.call('GET', `/v1/agents/${agent}`, { token: watcher })).body).toMatchObject({ paused: true, pauseCause: 'quarantine' });
  expect(await act('release', { reason: 'again' })).toMatchObject({ status: 409 });
  // An answer missed during quarantine can still be retried: a release is no step that moves the actor on.
  expect((await act('retry', { activity: pending, reason: 'after the release' })).status).toBe(200);
  // The agent's own route does the same.
  await quarantine(agent);
  const released = await api.call('POST', `/v1/agents/${agent}/release`, { token: manager });
  expect([released.status, released.body.pauseCause]).toEqual([200, 'quarantine']);
  expect((await read('/interventions')).items.map(({ action, reason }: { action: string; reason: string }) => [action, reason])).toEqual([
    ['retry', 'after the release'],
    ['release', 'mended'],
    ['release', 'mended'],
    ['reset', 'all of them'],
    ['retry', 'the exchange answers again'],
  ]);
  const audit = await api.sql<
    { action: string; target: string }[]
  >`select action, target from audit where action ~ '^actor[.]' order by seq`;
  expect(audit.map(({ action, target }) => [action, target])).toEqual([
    ['actor.retry', givenUp],
    ['actor.reset', order],
    ['actor.release', order],
    ['actor.release', agent],
    ['actor.retry', pending],
  ]);
});

test('an actor that no machine version supports stays in quarantine with the reason', async () => {
  await api.sql`update actors set machine = 'market_order@0' where id = ${order}`;
  await quarantine(order);
  expect(await act('release', { reason: 'hope' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('market_order@0') },
  });
});
