// The halt and the pause while the main thread is blocked, and after their own thread has ended.
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type EmergencyListener, startEmergencyListener } from '../../src/adapters/process/emergency-listener.ts';
import { createMemberStore } from '../../src/adapters/store/callers/member-store.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { createIdentityProvider, SANDBOX_AUDIENCE } from '../../src/sandbox/identity/provider.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { payload } from '../api/api-under-test.ts';
import { testDatabase } from '../harness/postgres.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { actorsOn } from '../world/actor-world.ts';

const ORG = '00000000-0000-7000-8000-00000000000a';
const AGENTS = 20;
const HOUR_MS = 3_600_000;
/** Client that waits for a line and then sends requests one after the other. It prints each status, duration and time. */
const CLIENT = `
  const [url, token, count] = process.argv.slice(1);
  console.log('started');
  await new Promise((told) => process.stdin.once('data', told));
  process.stdin.unref();
  for (let i = 0; i < Number(count); i++) {
    const began = performance.now();
    const answer = await fetch(url, { method: 'POST', headers: { authorization: 'Bearer ' + token } });
    await answer.text();
    console.log(answer.status, Math.round(performance.now() - began), Date.now());
  }`;

const clock = createLiveClock();
const folder = mkdtempSync(join(tmpdir(), 'emergency-'));
const errors: object[] = [];
const observed: { readonly route: string; readonly status: number }[] = [];
const ids: string[] = [];
const threads: Worker[] = [];
let databaseUrl: string;
let sql: Sql;
let provider: Awaited<ReturnType<typeof createIdentityProvider>>;
let emergency: EmergencyListener;
let token: string;
let reader: string;
/** Expired an hour and a half ago. */
let expired: string;

/** Starts a listener on a machine whose clock is wrong by `aheadMs`. */
function listenerAhead(aheadMs: number): Promise<EmergencyListener> {
  return startEmergencyListener(
    {
      home: null,
      aheadMs,
      appUrl: databaseUrl,
      apiUrl: databaseUrl,
      identity: { issuer: provider.issuer, audience: SANDBOX_AUDIENCE, jwksUrl: provider.jwksUrl },
      host: '127.0.0.1',
      port: 0,
      loopback: true,
      allowedOrigins: [],
      version: '0.0.0',
    },
    {
      clock,
      log: { info: () => {}, error: (what: object) => errors.push(what) } as never,
      metrics: { observe: ({ route, status }) => observed.push({ route, status }) },
      begin(workerData) {
        const thread = new Worker(new URL('../../src/boot/threads/emergency-thread.mjs', import.meta.url), { workerData });
        threads.push(thread);
        return thread;
      },
    },
  );
}

beforeAll(async () => {
  let agoMs = 0;
  databaseUrl = await testDatabase();
  sql = openDatabase({ url: databaseUrl, connections: 4, name: 'emergency test' });
  provider = await createIdentityProvider({ folder, clock: { ...clock, now: () => clock.now() - agoMs }, port: 0 });
  // Only the owner can add members.
  const owner = openDatabase({ url: databaseUrl, role: null, connections: 1, name: 'emergency test owner' });
  const members = createMemberStore(owner);
  await members.ensureOrganization(ORG, 'ours');
  await members.grant('operator', { orgId: ORG, name: 'operator', permissions: ['agent:read', 'trade:execute'] });
  await members.grant('reader', { orgId: ORG, name: 'reader', permissions: ['agent:read'] });
  await owner.end({ timeout: 1 });
  const mint = (subject: string) => provider.keys.mintToken({ subject, audience: SANDBOX_AUDIENCE, lifetimeS: 3_600 });
  [token, reader] = [mint('operator'), mint('reader')];
  agoMs = 2.5 * HOUR_MS;
  expired = mint('operator');
  agoMs = 0;
  const { commands } = actorsOn(sql, clock);
  const read = readManifest(payload());
  if (!read.ok) throw new Error('the manifest is refused');
  for (let i = 0; i < AGENTS; i++) {
    const made = await commands.create({ orgId: ORG, subject: 'operator', permissions: [], requestId: `r${i}` }, read.manifest);
    if (made.ok) ids.push(made.value.id);
  }
  emergency = await listenerAhead(0);
});
afterAll(async () => {
  await emergency.stop();
  await provider.close();
  await sql.end({ timeout: 1 });
  rmSync(folder, { recursive: true });
});

const post = (path: string, bearer = token) =>
  fetch(`${emergency.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${bearer}` } });

/** Starts a client in another process, and lets it begin. `answers` has its output once it has ended. */
async function client(path: string, count: number): Promise<{ answers: Promise<{ status: number; ms: number; at: number }[]> }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CLIENT, `${emergency.url}${path}`, token, String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  let printed = '';
  child.stdout.on('data', (part: Buffer) => (printed += part.toString()));
  const answers = once(child, 'close').then(() =>
    printed
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number))
      .map(([status = 0, ms = 0, at = 0]) => ({ status, ms, at })),
  );
  await new Promise((written) => child.stdin.write('begin\n', written));
  return { answers };
}

test('only a permitted caller can pause an agent', async () => {
  expect((await post(`/v1/agents/${ids[0]}/pause`, reader)).status).toBe(403);
  expect((await post(`/v1/agents/${ids[0]}/pause`, 'nonsense')).status).toBe(401);
  expect((await post('/v1/agents')).status).toBe(404);
  const paused = await post(`/v1/agents/${ids[0]}/pause`);
  expect([paused.status, ((await paused.json()) as { pauseCause: string }).pauseCause]).toEqual([200, 'operator']);
  await waitFor(() => observed.some(({ route, status }) => route === '/v1/agents/:id/pause' && status === 200), {
    what: 'the measurement of the pause',
  });
});

test('the halt answers within a second while the main thread is blocked for three', async () => {
  await post('/v1/agents/emergency-halt');
  const { answers } = await client('/v1/agents/emergency-halt', 30);
  const until = performance.now() + 3_000;
  while (performance.now() < until);
  const releasedAt = Date.now();
  const found = await answers;
  expect(found.map(({ status }) => status)).toEqual(Array(30).fill(200));
  expect(found.filter(({ at }) => at < releasedAt).length).toBeGreaterThan(0);
  const slowest = found.map(({ ms }) => ms).sort((a, b) => b - a)[0] as number;
  expect(slowest).toBeLessThan(1_000 * PATIENCE);
  const [row] = await sql<{ paused: number }[]>`select count(*)::int as paused from agents where pause_cause is not null`;
  expect(row?.paused).toBe(AGENTS);
});

test('a thread that ends is restarted at the same address', async () => {
  const before = emergency.url;
  await threads.at(-1)?.terminate();
  await waitFor(() => !emergency.isUp, { what: 'the end of the thread' });
  await waitFor(() => emergency.isUp, { what: 'the next thread' });
  expect(emergency.url).toBe(before);
  expect((await post('/v1/agents/emergency-halt')).status).toBe(200);
  expect(errors.length).toBeGreaterThan(0);
});

test('a thread that the machine cannot start is tried again', async () => {
  const virtual = createVirtualClock(0);
  const begun: EventEmitter[] = [];
  let tries = 0;
  const listener = await startEmergencyListener({ host: '127.0.0.1', port: 0 } as never, {
    clock: virtual,
    log: { info: () => {}, error: () => {} },
    metrics: { observe: () => {} },
    begin() {
      if (++tries === 2) throw new Error('the machine has no thread left');
      const thread = Object.assign(new EventEmitter(), { terminate: async () => 0 });
      begun.push(thread);
      setImmediate(() => thread.emit('message', { kind: 'listening', port: 4_711 }));
      return thread as never;
    },
  });
  begun[0]?.emit('exit', 1);
  expect(listener.isUp).toBe(false);
  await virtual.settleTo(10_000);
  expect([tries, listener.isUp]).toEqual([3, true]);
  await listener.stop();
});

test.each([
  ['ahead', 2 * HOUR_MS],
  ['behind', -2 * HOUR_MS],
])('a halt and a pause work while the machine’s clock is two hours %s', async (_, aheadMs) => {
  const wrong = await listenerAhead(aheadMs);
  onTestFinished(() => wrong.stop());
  const ask = async (path: string, bearer: string): Promise<number> => {
    const answer = await fetch(`${wrong.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${bearer}` } });
    await answer.text();
    return answer.status;
  };
  expect(await ask('/v1/agents/emergency-halt', token)).toBe(200);
  // Pausing again is refused, also with the right clock.
  expect(await ask(`/v1/agents/${ids[0]}/pause`, token)).toBe((await post(`/v1/agents/${ids[0]}/pause`)).status);
  expect(await ask('/v1/agents/emergency-halt', reader)).toBe(403);
  expect(await ask('/v1/agents/emergency-halt', 'nonsense')).toBe(401);
  // Expired three and a half hours ago by this clock; by a slow clock it seems valid.
  expect(await ask('/v1/agents/emergency-halt', expired)).toBe(aheadMs > 0 ? 401 : 200);
});
