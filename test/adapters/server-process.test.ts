// A state folder has one owner, also after a kill, and a folder that cannot be created is refused at once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examineMachine } from '../../src/adapters/process/machine-check.ts';
import { claim, claimant, makeStateFolder, processStartedAt, release } from '../../src/adapters/process/server-process.ts';

/** Claim of a process that has ended. No process has this id. */
const DEAD = `${2 ** 30} 1\n`;

const newFile = () => join(mkdtempSync(join(tmpdir(), 'claims-')), 'service.owner');

test('the claim of a dead process is replaced, and nothing else is left in the folder', () => {
  const file = newFile();
  writeFileSync(file, DEAD);
  // A process that was killed while it replaced the claim.
  writeFileSync(`${file}.takeover`, DEAD);
  expect(claim(file)).toBe(null);
  expect(claimant(file)).toBe(process.pid);
  expect(readdirSync(join(file, '..'))).toEqual(['service.owner']);
  release(file);
  expect(existsSync(file)).toBe(false);
});

test('while a live process replaces a dead claim, another leaves the claim alone', async () => {
  const file = newFile();
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'ignore' });
  const pid = other.pid as number;
  try {
    writeFileSync(file, DEAD);
    writeFileSync(`${file}.takeover`, `${pid} ${processStartedAt(pid)}\n`);
    expect(claim(file)).toBe(pid);
    expect(readFileSync(file, 'utf8')).toBe(DEAD);
  } finally {
    const ended = once(other, 'exit');
    other.kill('SIGKILL');
    await ended;
  }
  expect(claim(file)).toBe(null);
});

test.runIf(existsSync('/dev/full'))('a claim that cannot be written on a full disk leaves no draft', () => {
  const file = newFile();
  const draft = `${file}.${process.pid}`;
  // Every write to this device fails as on a full disk.
  symlinkSync('/dev/full', draft);
  expect(() => claim(file)).toThrow('ENOSPC');
  expect(readdirSync(join(file, '..'))).toEqual([]);
});

test('a state folder is created with its parents, and may exist', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'state ä ')), 'a b', 'ü');
  makeStateFolder(folder);
  makeStateFolder(folder);
  expect(existsSync(folder)).toBe(true);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => makeStateFolder(file)).toThrow('EEXIST');
  expect(() => makeStateFolder(join(file, 'below', 'it'))).toThrow('ENOTDIR');
});

test.runIf(process.platform === 'linux')('a folder below /proc is refused instead of tried for ever', async () => {
  expect(() => makeStateFolder('/proc/no-such-process/state')).toThrow('ENOENT');
  const settings = { SEVENGATE_HOME: '/proc/no-such-process/state', HOST: '127.0.0.1', PORT: 0, DATABASE_URL: null, REDIS_URL: null };
  const found = await examineMachine({ ...settings, QUEUE_BACKEND: 'postgres' } as never, '');
  expect(found.find(({ what }) => what === 'state folder')).toMatchObject({ ok: false });
});
