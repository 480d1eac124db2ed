// Inspection of actors with Stately's own client: live steps, the whole life of a past actor, and no other organization's actors.
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { createActorStore } from '../../../src/adapters/store/actors/actor-store.ts';
import type { Sql } from '../../../src/adapters/store/database.ts';
import { type InspectorRelay, startInspectorRelay } from '../../../src/adapters/process/inspector-relay.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { lampKind } from '../../actors/runtime/lamp.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { OURS, openFixture, openFixtureDatabase, type Stage, THEIRS } from './fixture.ts';

const FIRST = '00000000-0000-7000-8000-0000000000a1';
const FOREIGN = '00000000-0000-7000-8000-0000000000b1';
const LATER = '00000000-0000-7000-8000-0000000000a2';
let sql: Sql;
let fixture: Stage;
let runtime: Runtime;
const relays: InspectorRelay[] = [];

beforeAll(async () => {
  sql = await openFixtureDatabase();
  fixture = await openFixture(sql);
  runtime = createRuntime({ store: createActorStore(sql), directory: createDirectory([lampKind]), clock: createLiveClock() });
  for (const [id, org] of [
    [FIRST, OURS],
    [FOREIGN, THEIRS],
  ] as const)
    await runtime.start('lamp', id, org, {}, { cause: 'test' });
});
afterAll(async () => {
  await Promise.all(relays.map((relay) => relay.close()));
  await fixture?.close();
  await sql?.end();
});

/** Returns what Stately's receiver gets from an inspection, through the relay of a visualizer. */
async function received(query = '', subject = 'ours'): Promise<StatelyInspectionEvent[]> {
  const ends: string[] = [];
  const relay = await startInspectorRelay({
    inspection: `ws://127.0.0.1:${fixture.port}/v1/feeds/inspector${query}`,
    token: subject,
    port: 0,
    onEnd: (sentence) => ends.push(sentence),
  });
  relays.push(relay);
  const events: StatelyInspectionEvent[] = [];
  createWebSocketReceiver({ server: relay.address }).subscribe((event) => events.push(event));
  return events;
}

const of = (events: readonly StatelyInspectionEvent[], type: string) => events.filter((event) => event.type === type);
const deliver = async (id: string, event: { type: string; [name: string]: unknown }) =>
  expect((await runtime.deliver(id, event, { cause: 'test' })).ok).toBe(true);

test('running actors are sent with their machines, then every step as its event and resulting snapshot', async () => {
  const events = await received();
  await waitFor(() => events.length > 0, { what: 'the first actor' });
  const [actor] = of(events, '@xstate.actor') as { definition: string; snapshot: { value: object; context: object } }[];
  expect(actor).toMatchObject({ sessionId: FIRST, rootId: FIRST, name: `lamp ${FIRST.slice(-8)}`, _version: '0.7.2' });
  expect(actor?.snapshot).toEqual({ status: 'active', value: 'dark', context: { presses: 0, bill: null } });
  // The machine's own configuration, which a visualizer draws.
  expect(Object.keys(JSON.parse(actor?.definition ?? '{}').states)).toEqual(['dark', 'lit']);

  await deliver(FIRST, { type: 'count' });
  await deliver(FIRST, { type: 'press', by: 'ann' });
  await runtime.start('lamp', LATER, OURS, {}, { cause: 'test' });
  await deliver(FOREIGN, { type: 'press', by: 'ann' });
  await deliver(LATER, { type: 'press', by: 'ann' });
  await waitFor(() => of(events, '@xstate.snapshot').length === 4, { what: 'the snapshots of four steps' });
  expect(events.map((event) => [event.type, event.sessionId, 'event' in event ? event.event.type : ''])).toEqual([
    ['@xstate.actor', FIRST, ''],
    ['@xstate.event', FIRST, 'count'],
    ['@xstate.snapshot', FIRST, 'count'],
    ['@xstate.event', FIRST, 'press'],
    ['@xstate.snapshot', FIRST, 'press'],
    ['@xstate.actor', LATER, ''],
    ['@xstate.event', LATER, 'started'],
    ['@xstate.snapshot', LATER, 'started'],
    ['@xstate.event', LATER, 'press'],
    ['@xstate.snapshot', LATER, 'press'],
  ]);
  const snapshots = of(events, '@xstate.snapshot') as { snapshot: { value: object; context: object } }[];
  expect(snapshots[1]?.snapshot).toEqual({ status: 'active', value: 'lit', context: { presses: 2, bill: null } });
});

test('one actor is sent with its past, and continues live', async () => {
  const [whole, tail] = [await received(`?actorId=${FIRST}&from=0`), await received(`?actorId=${FIRST}&from=2`)];
  await waitFor(() => of(whole, '@xstate.snapshot').length === 3 && of(tail, '@xstate.snapshot').length === 1, { what: 'the past' });
  expect(of(whole, '@xstate.event').map((event) => 'event' in event && event.event.type)).toEqual(['started', 'count', 'press']);
  expect(of(tail, '@xstate.event').map((event) => 'event' in event && event.event.type)).toEqual(['press']);
  expect([of(whole, '@xstate.actor').length, of(tail, '@xstate.actor').length]).toEqual([1, 1]);
  await deliver(FIRST, { type: 'count' });
  await deliver(LATER, { type: 'count' });
  for (const [events, steps] of [
    [whole, 4],
    [tail, 2],
  ] as const)
    await waitFor(() => of(events, '@xstate.snapshot').length === steps, { what: 'the next step' });
  const last = of(whole, '@xstate.snapshot').at(-1) as { snapshot: { context: object } };
  expect(last.snapshot.context).toEqual({ presses: 3, bill: null });
  expect(new Set([...whole, ...tail].map(({ sessionId }) => sessionId))).toEqual(new Set([FIRST]));
});

test('actors of another organization are hidden, and a caller who may not see agents is refused before the socket opens', async () => {
  const foreign = await received(`?actorId=${FIRST}&from=0`, 'theirs');
  const own = await received('', 'theirs');
  await waitFor(() => own.length > 0, { what: 'their own actor' });
  expect(own.map(({ sessionId }) => sessionId)).toEqual([FOREIGN]);
  expect(foreign).toEqual([]);
  const status = (query: string, subject: string) =>
    new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${fixture.port}/v1/feeds/inspector${query}`, {
        headers: { authorization: `Bearer ${subject}` },
      });
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
      socket.on('error', () => {});
    });
  expect(await status('', 'nobody')).toBe(403);
  for (const query of ['?from=0', '?actorId=x', `?actorId=${FIRST}&from=-1`, '?unknown=1'])
    expect(await status(query, 'ours'), query).toBe(400);
  expect(fixture.defects).toEqual([]);
});
