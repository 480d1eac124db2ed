// Steps of replay sessions between processes: an API without a worker reaches the session where it runs, and no other.
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ReplayChannel } from '../../../src/adapters/queue/replay-channel.ts';
import { createNewIds } from '../../../src/adapters/new-ids.ts';
import { createReplayHost } from '../../../src/simulation/blind/replay-host.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { testRedis } from '../../harness/redis.ts';
import { waitFor } from '../../harness/wait-for.ts';

const url = await testRedis();
const clock = createLiveClock();
const newId = createNewIds(clock);
const errors: unknown[] = [];
const onError = (error: unknown): void => void errors.push(error);
const SESSION = { orgId: 'ours', agentId: 'agent', runId: 'run' };
/** Code of a session's thread, as far as messages go. */
const THREAD = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ ask, step }) =>
  parentPort.postMessage({ kind: 'answer', ask, outcome: { ok: true, value: JSON.stringify(step) } }));
parentPort.postMessage({ kind: 'ready' });`;
const channels: ReplayChannel[] = [];
const processOf = () => {
  const channel = new ReplayChannel({ url: url as string, clock, newId, onError });
  channels.push(channel);
  return createReplayHost(clock, onError, channel);
};
let worker: Worker;
let hosts: ReturnType<typeof processOf>[] = [];

beforeAll(() => {
  if (url !== null) hosts = [processOf(), processOf()];
});
afterAll(async () => {
  for (const host of hosts) await host.stop();
  for (const channel of channels) channel.close();
  await worker?.terminate();
});

test.skipIf(url === null)('a step reaches the session of another process, and ends with it', async () => {
  const [api, holder] = hosts as [(typeof hosts)[0], (typeof hosts)[0]];
  expect(await api.step(SESSION, null)).toBeNull();
  worker = new Worker(THREAD, { eval: true });
  const held = holder.hold(SESSION, () => {});
  const reading = await waitFor(() => api.step(SESSION, null), { what: 'the session is found' });
  expect(reading).toMatchObject({ refusal: { code: 'unavailable' } });
  held.attach(worker);
  await waitFor(async () => (await api.step(SESSION, null))?.ok === true, { what: 'the session is ready' });
  const step = {
    step: 3,
    answers: [{ side: 'buy', instrument: 'blind:ABCD', notionalUsd: '5', quantity: null, limitPrice: null }, null],
  } as const;
  const many = await Promise.all(Array.from({ length: 50 }, (_, n) => api.step(SESSION, { ...step, step: n + 1 })));
  expect(many.map((answer) => answer?.ok === true && JSON.parse(answer.value).step)).toEqual(many.map((_, n) => n + 1));
  expect(await api.step(SESSION, step)).toEqual({ ok: true, value: JSON.stringify(step) });
  expect(await api.step({ ...SESSION, orgId: 'theirs' }, null)).toBeNull();
  expect(await api.step({ ...SESSION, agentId: 'another' }, null)).toBeNull();
  await api.abandon({ ...SESSION, orgId: 'theirs' });
  expect((await api.step(SESSION, null))?.ok).toBe(true);
  await api.abandon(SESSION);
  expect(await api.step(SESSION, null)).toMatchObject({ refusal: { code: 'state_conflict' } });
  held.release();
  await waitFor(async () => (await api.step(SESSION, null)) === null, { what: 'the session is gone' });
  expect(errors).toEqual([]);
});
