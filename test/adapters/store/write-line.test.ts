// Sequential writes: a failure is reported and blocks nothing, and a waiting queue blocks no other.
import { expect, test } from 'vitest';
import { createWriteLine } from '../../../src/adapters/store/write-line.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
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

const away = (): Promise<never> => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));

test('a piece waits in its turn for a database that is away, and is given up after a minute or at the end', async () => {
  const { log, said } = listening();
  const clock = createVirtualClock(0);
  const line = createWriteLine(log, clock);
  const done: string[] = [];
  let isAway = true;
  line.write('the first', async () => (isAway ? away() : void done.push('first')));
  line.write('the second', async () => void done.push('second'));
  line.write('a refused one', () => Promise.reject(Object.assign(new Error('no'), { code: '23505' })));
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await new Promise(setImmediate);
      clock.advanceTo(clock.now() + 1_000);
    }
  };
  await pass(5);
  expect([done, said]).toEqual([[], []]);
  isAway = false;
  await pass(2);
  await line.done();
  expect([done, said]).toEqual([['first', 'second'], ['a refused one']]);

  line.write('a long one', away);
  await pass(62);
  await line.done();
  line.write('the last', away);
  await pass(3);
  await line.end();
  expect(said).toEqual(['a refused one', 'a long one', 'the last']);
});
