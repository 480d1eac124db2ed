// What a client receives from the running service: moving quotes, changing agents, steps, alerts, heartbeats.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXAMPLE } from '../../src/sandbox/example-organization.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type FeedSocket, type Frame, openSocket, readEvents } from './feed-clients.ts';
import { launch, sevengate } from './running-service.ts';
import { joinService, type SharedService } from './shared-service.ts';

let service: SharedService;
/** Open from the first test to the last. */
let socket: FeedSocket;
let openedAt = 0;
let agents: { id: string; name: string }[] = [];

beforeAll(async () => {
  service = await joinService('live-feeds');
  for (const { manifest } of EXAMPLE.agents) {
    const made = await service.post('/v1/agents', manifest);
    expect(made.status, made.text).toBe(201);
  }
  agents = (await service.get('/v1/agents')).body.items;
  socket = await openSocket(service.url, service.token('operator'));
  openedAt = Date.now();
});

afterAll(async () => {
  await socket?.close();
  await service?.leave();
});

const agent = (name: string): string => agents.find((one) => one.name === name)?.id as string;
const pauseAndResume = async (id: string): Promise<void> => {
  expect((await service.post(`/v1/agents/${id}/pause`)).status).toBe(200);
  expect((await service.post(`/v1/agents/${id}/resume`, undefined, 'risk-manager')).status).toBe(200);
};

test('quotes start with a snapshot and move', async () => {
  socket.send({ op: 'subscribe', id: 1, channel: 'quotes', params: { instruments: ['spotexchange:BTCUSDT', 'spotchain:AAPLx'] } });
  const answer = await socket.frame('the answer', ({ id }) => id === 1);
  expect(answer).toMatchObject({ type: 'subscribed', channel: 'quotes', cursor: null });
  const snapshot = await socket.frame('the snapshot', ({ channel, type }) => channel === 'quotes' && type === 'snapshot');
  const first = snapshot.data.find(({ instrument }: Frame) => instrument === 'BTCUSDT');
  expect(first).toMatchObject({ kind: 'quote', venue: 'spotexchange', quality: 'live', flags: [] });
  expect(snapshot.data.every(({ instrument }: Frame) => ['BTCUSDT', 'AAPLx'].includes(instrument))).toBe(true);
  const quotes = () => socket.updates('quotes').flatMap(({ data }) => [data].flat()) as Frame[];
  await waitFor(() => new Set(quotes().map(({ bid }) => bid)).size >= 3, { what: 'three different prices', deadlineMs: 15_000 });
  expect(quotes().every(({ instrument }) => ['BTCUSDT', 'AAPLx'].includes(instrument))).toBe(true);
  const times = quotes().flatMap(({ instrument, receivedAt }) => (instrument === 'BTCUSDT' ? [Date.parse(receivedAt)] : []));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const { seq } = snapshot;
  expect(socket.updates('quotes').map((frame) => frame.seq)).toEqual(socket.updates('quotes').map((_, index) => seq + 1 + index));
});

test('`sevengate inspect` gives a visualizer an actor with its past and its next step, until it is interrupted', async () => {
  const id = agent('Perpetual carry');
  const { version } = (await service.get(`/v1/actors/${id}`)).body;
  const folder = mkdtempSync(join(tmpdir(), 'live-feeds-'));
  const token = join(folder, 'operator.token');
  writeFileSync(token, service.token('operator'), { mode: 0o600 });
  const args = ['--json', '--service', service.url, '--token', token, '--actor', id, '--from', '0'];
  const inspect = launch({ command: 'inspect', args, home: service.home });
  const [, address = ''] = await inspect.said(/"address":"(ws:[^"]+)"/);
  expect(address).toMatch(/^ws:\/\/127\.0\.0\.1:\d+/);
  const events: StatelyInspectionEvent[] = [];
  const told = createWebSocketReceiver({ server: address }).subscribe((event) => events.push(event));
  const snapshots = () => events.filter(({ type }) => type === '@xstate.snapshot').length;
  await waitFor(() => snapshots() >= version, { what: 'its past' });
  expect(events[0]).toMatchObject({ type: '@xstate.actor', sessionId: id });
  await pauseAndResume(id);
  await waitFor(() => snapshots() >= version + 2, { what: 'the pause and the resume' });
  told.unsubscribe();
  expect((await inspect.stop('SIGINT')).code).toBe(0);
  rmSync(folder, { recursive: true });
  expect(await sevengate(['inspect', '--service', service.url, '--from', '3'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--from needs --actor'),
  });
});

test('a pause and a resume show on the agents and the inspect channel, and in the history', async () => {
  const id = agent('Crypto trend');
  socket.send({ op: 'subscribe', id: 2, channel: 'agents' });
  socket.send({ op: 'subscribe', id: 3, channel: 'inspect', params: { actorId: id } });
  const snapshot = await socket.frame('how the agents stand', ({ channel, type }) => channel === 'agents' && type === 'snapshot');
  expect(snapshot.data.map(({ name, paused }: Frame) => [name, paused]).sort()).toEqual([
    ['Crypto trend', false],
    ['Discount hunter', false],
    ['Perpetual carry', false],
  ]);
  await socket.frame('the answer', (frame) => frame.id === 3);
  await pauseAndResume(id);
  await waitFor(() => socket.updates('agents').length >= 2, { what: 'both changes' });
  expect(socket.updates('agents').map(({ data }) => [data.agentId, data.what, data.duty, data.pauseCause])).toEqual([
    [id, 'paused', 'paused', 'operator'],
    [id, 'resumed', 'active', null],
  ]);
  const duties = () => socket.updates('inspect').filter(({ data }) => ['pause', 'resume'].includes(data.event.type));
  await waitFor(() => duties().length >= 2, { what: 'both steps' });
  expect(duties().map(({ data }) => [data.event.type, data.from.duty, data.to.duty])).toEqual([
    ['pause', 'active', 'paused'],
    ['resume', 'paused', 'active'],
  ]);
  const { items } = (await service.get(`/v1/agents/${id}/history`)).body;
  // On a busy machine, steps of a late venue may come in between.
  const written = items.filter(({ event }: Frame) => ['pause', 'resume'].includes(event.type));
  expect(written.slice(0, 2).map(({ event, version }: Frame) => [event.type, version])).toEqual(
    duties()
      .map(({ data }) => [data.event.type, data.version])
      .reverse(),
  );
});

test('a client that was away resumes from its cursor: nothing lost, nothing repeated', async () => {
  const id = agent('Perpetual carry');
  const params = { actorId: id };
  const first = await openSocket(service.url, service.token('viewer'));
  first.send({ op: 'subscribe', id: 'a', channel: 'inspect', params });
  await first.frame('the answer', (frame) => frame.id === 'a');
  await pauseAndResume(id);
  await waitFor(() => first.updates('inspect').length >= 2, { what: 'two steps' });
  const before = first.updates('inspect');
  await first.close();
  await pauseAndResume(id);

  const { cursor } = before[0];
  const second = await openSocket(service.url, service.token('viewer'));
  second.send({ op: 'subscribe', id: 'b', channel: 'inspect', params, from: cursor });
  await waitFor(() => second.updates('inspect').length >= 3, { what: 'what came after the first step' });
  await pauseAndResume(id);
  await waitFor(() => second.updates('inspect').length >= 5, { what: 'the steps of now' });
  const versions = [before[0], ...second.updates('inspect')].map(({ data }) => data.version);
  expect(versions).toEqual(versions.map((_, index) => versions[0] + index));
  // Server-sent events resume from the same cursor by Last-Event-ID.
  const events = await readEvents(service.url, `channel=inspect&actorId=${id}`, service.token('viewer'), cursor);
  const steps = () => events.events.filter(({ data }) => data.type === 'update');
  await waitFor(() => steps().length >= 5, { what: 'the same steps as events' });
  expect(steps().map(({ data }) => data.data)).toEqual(second.updates('inspect').map(({ data }) => data));
  expect(steps().map(({ id: eventId }) => eventId)).toEqual(second.updates('inspect').map((frame) => frame.cursor));
  events.close();
  await second.close();
});

test("a browser's own reader of events is served with the cookie", async () => {
  const source = new EventSource(`${service.url}/v1/feeds/sse?channel=quotes&venue=evmvenue&instrument=BTC`, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, cookie: `sevengate=${service.token('viewer')}` } }),
  });
  const received: Frame[] = [];
  source.onmessage = ({ data }) => received.push(JSON.parse(data));
  try {
    await waitFor(() => received.some(({ type }) => type === 'update'), { what: 'an update', deadlineMs: 10_000 });
    expect(received.find(({ type }) => type === 'snapshot').data).toMatchObject([{ venue: 'evmvenue', instrument: 'BTC' }]);
  } finally {
    source.close();
  }
});

test('a token in the URL, a foreign origin and no token at all open nothing', async () => {
  const token = service.token('operator');
  await expect(openSocket(service.url, null)).rejects.toThrow('401');
  await expect(openSocket(service.url, null, {}, `?access_token=${token}&token=${token}`)).rejects.toThrow('401');
  const inUrl = await fetch(`${service.url}/v1/feeds/sse?channel=quotes&access_token=${token}`);
  expect(inUrl.status).toBe(401);
  await expect(openSocket(service.url, token, { origin: 'https://evil.example' })).rejects.toThrow('403');
  await expect(openSocket(service.url, null, { cookie: `sevengate=${token}`, origin: 'https://evil.example' })).rejects.toThrow('403');
  // A cookie without an Origin could come from a foreign page.
  await expect(openSocket(service.url, null, { cookie: `sevengate=${token}` })).rejects.toThrow('403');
  await expect(openSocket(service.url, 'a.b.c')).rejects.toThrow('401');
});

test('a forbidden or invalid subscription is refused and the socket stays open', async () => {
  const errors = () => socket.frames.filter(({ type }) => type === 'error');
  const before = errors().length;
  socket.send('{"op":');
  socket.send({ op: 'subscribe', id: 'x', channel: 'quots' });
  socket.send({ op: 'subscribe', id: 'y', channel: 'agents', params: { agent: 'all' } });
  socket.send({ op: 'subscribe', id: 'z', channel: 'decisions', from: 'yesterday' });
  socket.send({ op: 'ping', id: 'p' });
  await socket.frame('the pong', ({ id, type }) => id === 'p' && type === 'pong');
  await waitFor(() => errors().length >= before + 4, { what: 'four refusals' });
  expect(
    errors()
      .slice(before)
      .map(({ id, code }) => [id, code]),
  ).toEqual([
    [undefined, 'malformed'],
    ['x', 'unknown_channel'],
    ['y', 'invalid_params'],
    ['z', 'invalid_cursor'],
  ]);
});

test('a heartbeat comes every 15 seconds', async () => {
  const beat = await socket.frame('a heartbeat', ({ type }) => type === 'heartbeat', 18_000);
  const afterMs = Date.parse(beat.at) - openedAt;
  // The heartbeat is the service's, not the connection's: the first may come early, never late.
  expect(afterMs).toBeLessThanOrEqual(80_000);
});
