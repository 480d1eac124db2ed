// Commands find the running service by its state folder, on any port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examineMachine } from '../../src/adapters/process/machine-check.ts';
import { noteService, runningServiceUrl } from '../../src/adapters/process/noted-service.ts';

test('the address is there while the service runs, and not after it stopped or died', () => {
  const home = mkdtempSync(join(tmpdir(), 'noted-'));
  expect(runningServiceUrl(home)).toBe(null);
  const forget = noteService(home, 'http://127.0.0.1:9321');
  expect(runningServiceUrl(home)).toBe('http://127.0.0.1:9321');
  forget();
  expect(runningServiceUrl(home)).toBe(null);
  // A process that died suddenly leaves its note. No process has this id.
  writeFileSync(join(home, 'service.json'), JSON.stringify({ url: 'http://127.0.0.1:9321', pid: 2 ** 30 }));
  expect(runningServiceUrl(home)).toBe(null);
  writeFileSync(join(home, 'service.json'), '{"url":"nowhere","pid":"x"}');
  expect(runningServiceUrl(home)).toBe(null);
});

test('doctor does not report the port as taken if the service of this state folder listens there', async () => {
  const home = mkdtempSync(join(tmpdir(), 'noted-'));
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const settings = { SEVENGATE_HOME: home, HOST: '127.0.0.1', PORT: port, DATABASE_URL: null, REDIS_URL: null, QUEUE_BACKEND: 'postgres' };
  const finding = async () => (await examineMachine(settings as never, '')).find(({ what }) => what === 'port');
  expect(await finding()).toMatchObject({ ok: false });
  const url = `http://127.0.0.1:${port}`;
  const forget = noteService(home, url);
  expect(await finding()).toEqual({ what: 'port', ok: true, detail: `the service of this state folder runs at ${url}` });
  forget();
  await new Promise((closed) => server.close(closed));
});
