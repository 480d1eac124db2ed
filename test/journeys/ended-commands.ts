/** Commands that end: their own state folders, one-sentence refusals, and no remaining processes. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { type Command, newHome } from './running-service.ts';

/** Creates state folders, which are removed after the file's tests. */
export function homesOfThisFile(): () => string {
  const homes: string[] = [];
  afterAll(() => {
    for (const one of homes) rmSync(one, { recursive: true, force: true });
  });
  return () => {
    const made = newHome();
    homes.push(made);
    return made;
  };
}

/** Expects that a command ended with exactly this one sentence. */
export function expectSentence(command: Command, sentence: string | RegExp): void {
  const said = command.stderr
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{'))
    .join('\n');
  expect(said).toMatch(sentence);
  expect(said.split('\n')).toHaveLength(1);
  expect(command.stdout).toBe('');
  expect(command.code).toBe(1);
}

/** Expects that none of a state folder's servers is running. */
export function expectStopped(folder: string): void {
  for (const file of ['postgres/postmaster.pid', 'redis/redis.pid', 'postgres.owner', 'redis.owner', 'service.owner', 'sandbox.json']) {
    expect([file, existsSync(join(folder, file))]).toEqual([file, false]);
  }
}
