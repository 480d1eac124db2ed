// Failing rows are skipped for a while: how long, also if the wall clock was wrong meanwhile.
import { expect, test } from 'vitest';
import { createContainment } from '../../../actors/runtime/containment.ts';

const HOUR_MS = 3_600_000;

test('a row that failed while the clock ran two hours ahead is retried after its wait, not two hours later', async () => {
  const clock = { day: 1_000_000 + 2 * HOUR_MS, since: 50, now: () => clock.day, elapsed: () => clock.since };
  const loop = createContainment({ isOutage: () => false, isSilence: () => false, ledger: null, clock, onError: () => () => {} })(
    'breakers',
  );
  const look = (work: () => void) => loop.each(['row'], (id) => ({ id, orgId: null }), work);
  const fails = () => {
    throw new Error('unreadable');
  };
  expect(await look(fails)).toBe(0);
  clock.day -= 2 * HOUR_MS;
  expect([await look(() => {}), loop.waiting]).toEqual([0, 1]);
  clock.since += 1_000;
  expect([await look(() => {}), loop.waiting]).toEqual([1, 0]);
});
