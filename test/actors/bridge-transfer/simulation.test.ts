// Transfers under faults end in the state that the two chains show, and no alert is lost or told twice. The long form is simulation.proof.test.ts.
import { expect, test } from 'vitest';
import { COURSES, simulateTransfer } from './transfer-simulation.ts';

test('a hundred and thirty transfers of every course end where the chains say', { timeout: 120_000 }, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 130; seed++) {
    const { course, state, expected, wrong, alerts } = await simulateTransfer(seed);
    expect({ seed, course, state, wrong, alerts }).toMatchObject({ seed, course, state: expected, wrong: null });
    seen.add(course);
  }
  expect([...seen].sort()).toEqual([...COURSES].sort());
});

test('the same seed gives the same course and the same alerts', async () => {
  expect(await simulateTransfer(77)).toEqual(await simulateTransfer(77));
});
