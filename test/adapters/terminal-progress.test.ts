// The terminal's progress bar matches the API: progress, remaining time and cause of a wait.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { progressBar } from '../../src/adapters/terminal-progress.ts';

/** Returns what a bar draws on a terminal of 200 columns, without cursor codes. */
function drawn(work: Parameters<ReturnType<typeof progressBar>['show']>[0], isTTY = true): string {
  const stream = Object.assign(new PassThrough(), {
    isTTY,
    columns: 200,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  });
  const bar = progressBar('fetching', 'bars', stream as never);
  bar.show(work);
  const text = String(stream.read() ?? '');
  bar.stop();
  return text;
}

test('a bar shows progress, remaining time and cause of a wait, and at first nothing without a terminal', () => {
  const waitingFor = { cause: 'venue', detail: 'spotexchange is requested again at noon' } as const;
  const work = { progress: { done: 250, total: 1_000, unit: 'bars' }, remainingMs: 65_000, waitingFor };
  expect(drawn(work)).toMatch(/fetching .+ 25% 250\/1000 bars, 1 min 5 s left; waits: spotexchange is requested again at noon/);
  expect(drawn({ ...work, remainingMs: null, waitingFor: null })).toMatch(/250\/1000 bars(?![,;])/);
  expect(drawn({ ...work, progress: null })).toBe('');
  expect(drawn(work, false)).toBe('');
});

test('without a terminal a line every ten seconds shows progress and remaining time', () => {
  const stream = Object.assign(new PassThrough(), { isTTY: false });
  let now = 1_000;
  const bar = progressBar('replaying', 'bytes', stream as never, { now: () => now });
  const lines = () => String(stream.read() ?? '');
  now += 9_999;
  bar.update(10, 100);
  expect(lines()).toBe('');
  now += 10_001;
  bar.update(20, 100);
  // A fifth took twenty seconds.
  expect(lines()).toBe('replaying: 20% 20/100 bytes, 1 min 20 s left\n');
  now += 5_000;
  bar.update(50, 100);
  expect(lines()).toBe('');
  now += 5_000;
  bar.update(75, 100);
  expect(lines()).toBe('replaying: 75% 75/100 bytes, 10 s left\n');
  bar.stop();
});
