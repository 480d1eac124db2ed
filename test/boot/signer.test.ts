// Signer process: starts only with both conditions, describes what is wrong, accepts only an id, only reads, and ends with its parent.
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join, resolve } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Signer } from '../../src/adapters/identity/signer/open-signer.ts';
import { writeExchangeKey } from '../../src/adapters/signing-keys/exchange-keys.ts';
import { openWriterKeys } from '../../src/adapters/signing-keys/writer-keys.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { type Config, isConfig, readConfig } from '../../src/boot/config.ts';
import { startSigner } from '../../src/boot/signer/signer.ts';
import { type ExchangeRequest, exchangeRequestText } from '../../src/domain/orders/exchange-request.ts';
import { identityFolder, registeredKeys } from '../../src/sandbox/identity/identity-folder.ts';
import { sandboxExchangeAccount } from '../../src/sandbox/spotexchange/sandbox-accounts.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../harness/postgres.ts';
import { waitFor } from '../harness/wait-for.ts';
import { newRunFolder } from '../harness/temporary-files.ts';

const pem = (curve = 'P-256') =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const NOBODY = '00000000-0000-7000-8000-00000000ffff';
const SIGNATURE = Buffer.alloc(64, 7).toString('base64');
/** Address without a node. */
const CHAIN = { rpcUrl: 'http://127.0.0.1:9', makers: [] };
const clock = createLiveClock();
let home: string;
let lines: string[];
let signer: Signer | null = null;

beforeEach(() => {
  home = newRunFolder();
  lines = [];
});
afterEach(async () => {
  await signer?.stop();
  signer = null;
  rmSync(home, { recursive: true, force: true });
});

function settings(env: Record<string, string>): Config {
  const config = readConfig({ SEVENGATE_HOME: home, ...env });
  if (!isConfig(config)) throw new Error(config.map(({ sentence }) => sentence).join('\n'));
  return config;
}
const log = () => pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
const started = (env: Record<string, string>, at: Parameters<typeof startSigner>[1] = clock) => startSigner(settings(env), at, log());
const socket = () => join(home, 'signer', readdirSync(join(home, 'signer')).find((name) => name.endsWith('.sock')) ?? 'none');

/** Sends exactly these bytes to the signer's socket. */
function sent(body: string, method = 'POST', path = '/'): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath: socket(), path, method }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

test('without the switch there is no process, the key is dropped, and the log says so', async () => {
  const config = settings({ IDP_AUTHORIZATION_PRIVATE_KEY: pem() });
  expect(await startSigner(config, clock, log())).toBeNull();
  expect(() => config.IDP_AUTHORIZATION_PRIVATE_KEY?.reveal()).toThrow('passed on and deleted');
  expect(lines.join()).toContain('the key is not used');
  expect(lines.join()).not.toContain('BEGIN');
});

test('a missing or keyless file stops the start, in a sentence that repeats nothing of it', async () => {
  const file = join(home, 'key');
  const on = { SVC_DELEGATED_SIGNING_ENABLED: 'true', IDP_AUTHORIZATION_PRIVATE_KEY_FILE: file };
  await expect(started(on)).rejects.toThrow(`${file} cannot be read: there is no such file`);
  const other = pem('P-384');
  writeFileSync(file, other);
  const refusal = await started(on).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(refusal).toContain(`${file} holds no P-256 private key`);
  for (const line of other.split('\n').slice(1, -2)) expect(refusal + lines.join()).not.toContain(line);
});

test('it takes only an id with a signature, signs nothing that was never proposed, and cannot write', async () => {
  const databaseUrl = await testDatabase();
  const config = settings({ SVC_DELEGATED_SIGNING_ENABLED: 'true', IDP_AUTHORIZATION_PRIVATE_KEY: pem() });
  signer = await startSigner(config, clock, log());
  expect(() => config.IDP_AUTHORIZATION_PRIVATE_KEY?.reveal()).toThrow('passed on and deleted');
  expect(registeredKeys(identityFolder(resolve(config.SEVENGATE_HOME)))).toEqual([signer?.publicKey]);
  expect(await signer?.client.sign(NOBODY, SIGNATURE)).toMatchObject({ outcome: 'unavailable' });
  await signer?.open({ databaseUrl, url: 'http://127.0.0.1:9', ...CHAIN });
  expect(await signer?.client.sign(NOBODY, SIGNATURE)).toMatchObject({ outcome: 'refused', code: 'not_found' });
  for (const body of [
    '',
    '{}',
    '[]',
    'null',
    `{"orderId":"${NOBODY}"}`,
    `{"orderId":"${NOBODY}","signature":"x"}`,
    `{"orderId":"${NOBODY}","signature":"${SIGNATURE}","wallet":"x"}`,
    `{"orderId":["${NOBODY}"]}`,
    `{"orderId":"' or 1=1"}`,
    `{"transaction":"AQAB"}`,
  ])
    expect([body, await sent(body)]).toMatchObject([body, { status: 400, body: { outcome: 'refused', code: 'malformed' } }]);
  expect((await sent(JSON.stringify({ orderId: NOBODY, signature: SIGNATURE }), 'POST', '/sign')).status).toBe(400);
  expect((await sent(JSON.stringify({ orderId: NOBODY, signature: SIGNATURE }), 'PUT')).status).toBe(400);

  const readOnly = openDatabase({ url: databaseUrl, connections: 1, name: 'as the signer', readOnly: true });
  await expect(readOnly`insert into organizations (id, name) values (${NOBODY}, 'x')`).rejects.toThrow('read-only');
  await readOnly.end({ timeout: 1 });
});

test('for live exchange orders alone it starts without an authorization key, and signs the worker’s requests with the organization’s key', async () => {
  const given = sandboxExchangeAccount('ours');
  const { worker } = openWriterKeys(resolve(home), ['worker']);
  writeExchangeKey(resolve(home), NOBODY, { ...given, addedAt: 1 });
  signer = await started({ SVC_LIVE_SPOTEXCHANGE_ENABLED: 'true' });
  expect(signer?.publicKey).toBeNull();
  const request: ExchangeRequest = { orgId: NOBODY, ask: { kind: 'account' }, timestamp: 1_770_000_000_000, recvWindow: 1_000 };
  const signature = worker.sign(Buffer.from(exchangeRequestText(request))).toString('base64');
  expect(await signer?.client.signRequest(request, signature)).toMatchObject({ outcome: 'unavailable' });
  await signer?.open({ databaseUrl: await testDatabase(), url: null, rpcUrl: null, makers: [] });
  const query = 'omitZeroBalances=true&recvWindow=1000&timestamp=1770000000000';
  expect(await signer?.client.signRequest(request, signature)).toEqual({
    outcome: 'signed',
    apiKey: given.key,
    query: `${query}&signature=${createHmac('sha256', given.secret).update(query).digest('hex')}`,
  });
  expect(await signer?.client.signRequest(request, SIGNATURE)).toMatchObject({ outcome: 'refused', code: 'signature_invalid' });
  expect(await signer?.client.sign(NOBODY, SIGNATURE)).toMatchObject({ outcome: 'refused', code: 'feature_disabled' });
  // A query of one's own is not a valid request, and nothing else is either.
  const hostile = [{ ...request, query }, { ...request, ask: { kind: 'withdraw' } }, { ...request, recvWindow: 60_001 }, null];
  expect(await sent(JSON.stringify({ request: hostile[0], signature }), 'POST', '/exchange')).toMatchObject({
    body: { outcome: 'refused', code: 'signature_invalid' },
  });
  for (const asked of hostile.slice(1))
    expect((await sent(JSON.stringify({ request: asked, signature }), 'POST', '/exchange')).status).toBe(400);
  expect(lines.join()).not.toContain(given.secret);
});

test('after a stop it is gone with its socket; its death is reported and refuses everything afterwards', async () => {
  const databaseUrl = await testDatabase();
  const on = { SVC_DELEGATED_SIGNING_ENABLED: 'true', IDP_AUTHORIZATION_PRIVATE_KEY: pem() };
  const first = await started(on);
  await first?.open({ databaseUrl, url: 'http://127.0.0.1:9', ...CHAIN });
  const path = socket();
  await first?.stop();
  expect(existsSync(path)).toBe(false);
  expect(await first?.client.sign(NOBODY, SIGNATURE)).toMatchObject({ outcome: 'unavailable' });
  expect(lines.join()).not.toContain('has ended');

  signer = await started(on);
  process.kill(signer?.pid ?? 0, 'SIGKILL');
  await waitFor(() => lines.some((line) => line.includes('the signer process has ended')), { what: 'the word of its end' });
  expect(await signer?.client.sign(NOBODY, SIGNATURE)).toMatchObject({ outcome: 'unavailable' });
});

const told = (words: string): number => lines.filter((line) => line.includes(words)).length;
const afterEnd = async (virtual: VirtualClock, ends: number, waitMs: number): Promise<void> => {
  await waitFor(() => told('the signer process has ended') === ends, { what: `the word of end ${ends}`, deadlineMs: 30_000 });
  virtual.advanceTo(virtual.now() + waitMs);
};

// Elsewhere there are no memory files, and a key handed over once exists nowhere else.
test.runIf(process.platform === 'linux')(
  'after a kill it refuses until it is restarted with the same key, which is in no log, argument or environment',
  async () => {
    const virtual = createVirtualClock(1_770_000_000_000);
    const key = pem();
    signer = await started({ SVC_DELEGATED_SIGNING_ENABLED: 'true', IDP_AUTHORIZATION_PRIVATE_KEY: key }, virtual);
    await signer?.open({ databaseUrl: await testDatabase(), url: 'http://127.0.0.1:9', ...CHAIN });
    for (const [death, waitMs] of [1_000, 2_000].entries()) {
      const { pid } = signer as Signer;
      process.kill(pid, 'SIGKILL');
      await afterEnd(virtual, death + 1, waitMs - 1);
      const meanwhile = { outcome: 'unavailable', reason: 'not_running', detail: expect.stringContaining(`(${death + 1} of 5)`) };
      expect(await signer?.client.sign(NOBODY, SIGNATURE)).toMatchObject(meanwhile);
      expect(signer?.pid).toBe(pid);
      virtual.advanceTo(virtual.now() + 1);
      expect(await signer?.client.sign(NOBODY, SIGNATURE)).toMatchObject(meanwhile);
      await waitFor(() => told('the signer process was restarted') === death + 1, { what: 'another life', deadlineMs: 60_000 });
      expect(signer?.pid).not.toBe(pid);
      // The new process reads and assesses again, with the same key.
      expect(await signer?.client.sign(NOBODY, SIGNATURE)).toMatchObject({ outcome: 'refused', code: 'not_found' });
    }
    const shown = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${signer?.pid}/${file}`, 'utf8')).join();
    for (const line of key.split('\n').slice(1, -2)) expect(lines.join() + shown).not.toContain(line);
    expect(readdirSync('/dev/shm').filter((name) => name.startsWith(`sevengate-${process.pid}-`))).toEqual([]);
    // A long enough life resets the restart count.
    virtual.advanceTo(virtual.now() + 600_000);
    process.kill(signer?.pid ?? 0, 'SIGKILL');
    await afterEnd(virtual, 3, 0);
    expect(await signer?.client.sign(NOBODY, SIGNATURE)).toMatchObject({
      outcome: 'unavailable',
      detail: expect.stringContaining('(1 of 5)'),
    });
    await signer?.stop();
    virtual.advanceTo(virtual.now() + 60_000);
    expect(told('the signer process was restarted')).toBe(2);
  },
  120_000,
);

test.runIf(process.platform === 'linux')(
  'with a replaced or missing key file it is not used, and after five attempts in a row it is given up',
  async () => {
    const virtual = createVirtualClock(1_770_000_000_000);
    const file = join(home, 'key');
    writeFileSync(file, pem());
    signer = await started({ SVC_DELEGATED_SIGNING_ENABLED: 'true', IDP_AUTHORIZATION_PRIVATE_KEY_FILE: file }, virtual);
    await signer?.open({ databaseUrl: await testDatabase(), url: 'http://127.0.0.1:9', ...CHAIN });
    writeFileSync(file, pem());
    process.kill(signer?.pid ?? 0, 'SIGKILL');
    await afterEnd(virtual, 1, 1_000);
    await waitFor(() => told('holds another key than at the start') === 1, { what: 'the other key', deadlineMs: 60_000 });
    rmSync(file);
    for (const [tries, waitMs] of [2_000, 4_000, 8_000, 16_000].entries()) await afterEnd(virtual, tries + 2, waitMs);
    await waitFor(() => told('until the service is restarted') === 1, { what: 'the last word', deadlineMs: 60_000 });
    expect(told('cannot be read: there is no such file')).toBe(4);
    expect(virtual.pending).toBe(0);
    expect(await signer?.client.sign(NOBODY, SIGNATURE)).toMatchObject({
      outcome: 'unavailable',
      detail: expect.stringContaining('not started again'),
    });
  },
  180_000,
);
