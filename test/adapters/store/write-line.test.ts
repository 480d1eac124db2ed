// Sequential writes: a failure is reported and blocks nothing, and a waiting queue blocks no other.
import { expect, test } from 'vitest';
import { createWriteLine } from '../../../src/adapters/store/write-line.ts';
import type { Logger } from '../../../src/adapters/log/log.ts';
import { latch } from '../../harness/latch.ts';

function listening() {
  const said: string[] = [];
  const say = (_: unknown, text: string): void => void said.push(text);
  return {
    log: { warn: say, error: (object: { what: string }, text: string) => void said.push(`${object.what}: ${text}`) } as unknown as Logger,
    said,
  };
}

test('writes run in order, and a failed one is reported and skipped', async () => {
  const { log, said } = listening();
  const line = createWriteLine(log);
  const done: number[] = [];
  line.write('the first', async () => void done.push(1));
  line.write('the second', async () => Promise.reject(new Error('no')));
  line.write('the third', async () => void done.push(3));
  await line.done();
  expect(done).toEqual([1, 3]);
  expect(said).toEqual(['the second']);
});

test('a queue whose database hangs drops the excess and reports it; another queue continues', async () => {
  const { log, said } = listening();
  const [slow, other] = [createWriteLine(log), createWriteLine(log)];
  const answer = latch();
  let done = 0;
  slow.write('a long one', () => answer.released);
  for (let piece = 0; piece < 10_000; piece++) slow.write('a bar', async () => void done++);
  other.write('a cut', async () => void done++);
  await other.done();
  expect([done, said]).toEqual([1, ['a bar: the database is too slow; records were dropped']]);
  answer.release();
  await slow.done();
  expect(done).toBe(10_000);
});
