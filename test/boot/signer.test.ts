// The signer process: starts only with both conditions, says in a sentence what is wrong, takes an id alone, only reads, and ends with its parent.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { type Config, isConfig, readConfig } from '../../src/boot/config.ts';
import { registeredKeys, type Signer, startSigner } from '../../src/boot/signer.ts';
import { createLiveClock } from '../../streams/live-clock.ts';
import { testDatabase } from '../harness/postgres.ts';
import { waitFor } from '../harness/wait-for.ts';

const pem = (curve = 'P-256') =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const NOBODY = '00000000-0000-7000-8000-00000000ffff';
const clock = createLiveClock();
let home: string;
let lines: string[];
let signer: Signer | null = null;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), `sevengate-test-${process.pid}-`));
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
const started = (env: Record<string, string>) => startSigner(settings(env), clock, log());
const socket = () => join(home, 'signer', readdirSync(join(home, 'signer')).find((name) => name.endsWith('.sock')) ?? 'none');

/** Sends these very bytes to the signer's socket. */
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

test('without the switch there is no process, the key is forgotten, and the log says so', async () => {
  const config = settings({ IDP_AUTHORIZATION_PRIVATE_KEY: pem() });
  expect(await startSigner(config, clock, log())).toBeNull();
  expect(() => config.IDP_AUTHORIZATION_PRIVATE_KEY?.reveal()).toThrow('handed over');
  expect(lines.join()).toContain('put away unused');
  expect(lines.join()).not.toContain('BEGIN');
});

test('a file that is missing or holds no key stops the start, in a sentence that repeats nothing of it', async () => {
  const file = join(home, 'key');
  const on = { SVC_DELEGATED_SIGNING_ENABLED: 'true', IDP_AUTHORIZATION_PRIVATE_KEY_FILE: file };
  await expect(started(on)).rejects.toThrow(`${file} cannot be read (ENOENT)`);
  const other = pem('P-384');
  writeFileSync(file, other);
  const refusal = await started(on).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(refusal).toContain(`${file} holds no P-256 private key`);
  for (const line of other.split('\n').slice(1, -2)) expect(refusal + lines.join()).not.toContain(line);
});

test('it takes an id and nothing else, signs nothing that was never put before it, and cannot write', async () => {
  const databaseUrl = await testDatabase();
  const config = settings({ SVC_DELEGATED_SIGNING_ENABLED: 'true', IDP_AUTHORIZATION_PRIVATE_KEY: pem() });
  signer = await startSigner(config, clock, log());
  expect(() => config.IDP_AUTHORIZATION_PRIVATE_KEY?.reveal()).toThrow('handed over');
  expect(registeredKeys(config)).toEqual([signer?.publicKey]);
  expect(await signer?.door.sign(NOBODY)).toMatchObject({ outcome: 'unavailable' });
  await signer?.open({ databaseUrl, url: 'http://127.0.0.1:9' });
  expect(await signer?.door.sign(NOBODY)).toMatchObject({ outcome: 'refused', code: 'not_found' });
  for (const body of [
    '',
    '{}',
    '[]',
    'null',
    `{"orderId":"${NOBODY}","wallet":"x"}`,
    `{"orderId":["${NOBODY}"]}`,
    `{"orderId":"' or 1=1"}`,
    `{"transaction":"AQAB"}`,
  ])
    expect([body, await sent(body)]).toMatchObject([body, { status: 400, body: { outcome: 'refused', code: 'malformed' } }]);
  expect((await sent(JSON.stringify({ orderId: NOBODY }), 'POST', '/sign')).status).toBe(400);
  expect((await sent(JSON.stringify({ orderId: NOBODY }), 'PUT')).status).toBe(400);

  const readOnly = openDatabase({ url: databaseUrl, connections: 1, name: 'as the signer', readOnly: true });
  await expect(readOnly`insert into organizations (id, name) values (${NOBODY}, 'x')`).rejects.toThrow('read-only');
  await readOnly.end({ timeout: 1 });
});

test('told to stop it is gone, with its socket; its death is told and refuses everything after it', async () => {
  const databaseUrl = await testDatabase();
  const on = { SVC_DELEGATED_SIGNING_ENABLED: 'true', IDP_AUTHORIZATION_PRIVATE_KEY: pem() };
  const first = await started(on);
  await first?.open({ databaseUrl, url: 'http://127.0.0.1:9' });
  const path = socket();
  await first?.stop();
  expect(existsSync(path)).toBe(false);
  expect(await first?.door.sign(NOBODY)).toMatchObject({ outcome: 'unavailable' });
  expect(lines.join()).not.toContain('has ended');

  signer = await started(on);
  process.kill(signer?.pid ?? 0, 'SIGKILL');
  await waitFor(() => lines.some((line) => line.includes('the signer process has ended')), { what: 'the word of its end' });
  expect(await signer?.door.sign(NOBODY)).toMatchObject({ outcome: 'unavailable' });
});
