/** Paced calls of simulators: no more often than configured in total, and by default each at its own times. */
import { expect, test } from 'vitest';
import { RepeatingCalls } from '../../src/sandbox/repeating-calls.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';

const START = Date.UTC(2026, 0, 5, 12) + 130;

/** Returns the times, within the first three seconds, of calls with intervals of 100 and 700 ms. */
function calledAt(paceMs?: number): Record<string, number[]> {
  const clock = createVirtualClock(START);
  const calls = new RepeatingCalls(clock, paceMs);
  const times: Record<string, number[]> = { often: [], seldom: [] };
  for (const [name, everyMs] of [
    ['often', 100],
    ['seldom', 700],
  ] as const)
    calls.repeat(name, clock.now(), () => {
      times[name]?.push(clock.now() - START);
      return clock.now() + everyMs;
    });
  clock.advanceTo(START + 3_000);
  calls.close();
  return times;
}

test('with a pace names are called at once and then together, once per second', () => {
  const times = calledAt(1_000);
  expect(times['often']).toEqual([0, 870, 1_870, 2_870]);
  expect(times['seldom']).toEqual([0, 870, 1_870, 2_870]);
});

test('without a pace each name is called at its own times', () => {
  const { often, seldom } = calledAt();
  expect(often).toHaveLength(31);
  expect(seldom).toEqual([0, 700, 1_400, 2_100, 2_800]);
});
