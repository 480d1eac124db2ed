// Periodic work continues after errors and after a call that never returns.
import { expect, test } from 'vitest';
import { runEvery } from '../../../actors/runtime/run-every.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';

test('a run that fails, and one that never ends, are reported and followed by the next', async () => {
  const clock = createVirtualClock(0);
  const errors: string[] = [];
  const began: number[] = [];
  const looking = runEvery(
    clock,
    'timers',
    1_000,
    () => {
      began.push(clock.now());
      if (began.length === 1) return Promise.reject(new Error('the database is away'));
      if (began.length === 2) return new Promise(() => {});
      return Promise.resolve();
    },
    (error) => errors.push((error as Error).message),
  );
  await clock.settleTo(40_000);
  expect(began.slice(0, 5)).toEqual([1_000, 2_000, 33_000, 34_000, 35_000]);
  expect(errors).toEqual(['the database is away', 'timers: a round did not end within 30 s']);
  await looking.stop();
  const seen = began.length;
  await clock.settleTo(60_000);
  expect(began).toHaveLength(seen);
});

test('loops on one clock that started at different moments run together, on whole intervals', async () => {
  const clock = createVirtualClock(7);
  const began: string[] = [];
  const look = (name: string) => async (): Promise<void> => void began.push(`${name} ${clock.now()}`);
  const loops = [runEvery(clock, 'timers', 1_000, look('slow'), () => {})];
  await clock.settleTo(307);
  loops.push(runEvery(clock, 'activities', 500, look('fast'), () => {}));
  await clock.settleTo(2_100);
  expect(began.toSorted()).toEqual(['fast 1007', 'fast 1507', 'fast 2007', 'fast 507', 'slow 1007', 'slow 2007']);
  await Promise.all(loops.map((loop) => loop.stop()));
});
