// The client finds the local service and its tokens in the state folder, as written by the service itself.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localService } from '../../../clients/typescript/src/local.ts';
import { noteService } from '../../../src/adapters/process/noted-service.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sevengate-local-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('a running service is found, but not after its end', () => {
  const forget = noteService(home, 'http://127.0.0.1:9321');
  expect(localService({ home }).baseUrl).toBe('http://127.0.0.1:9321');
  forget();
  expect(() => localService({ home })).toThrow(`no service runs on ${home}; start one with npm start`);
});

test('a service that was killed is not found', () => {
  writeFileSync(join(home, 'service.json'), JSON.stringify({ url: 'http://127.0.0.1:9321', pid: 2 ** 22 + 1 }));
  expect(() => localService({ home })).toThrow('no service runs on');
});

test("a member's token is read each time, because the service renews it", () => {
  noteService(home, 'http://127.0.0.1:9321');
  mkdirSync(join(home, 'tokens'));
  const { token } = localService({ home, member: 'risk-manager' });
  for (const text of ['first', 'second']) {
    writeFileSync(join(home, 'tokens', 'risk-manager.token'), `${text}\n`);
    expect(token()).toBe(text);
  }
  expect(() => localService({ home, member: 'nobody' }).token()).toThrow('no token of nobody: ');
  expect(() => localService({ home, member: '../service' }).token()).toThrow('member must be a name such as operator');
});
