// Transfers of both kinds and directions under faults end in the state that both chains show, with every alert once. Long form:
// simulation.proof.test.ts.
import { expect, test } from 'vitest';
import { simulateTransfer } from './transfer-simulation.ts';
import { PLANS } from './transfer-truth.ts';
import { rounds } from '../../harness/rounds.ts';
import { seedOfRun } from '../../harness/seed.ts';

test('transfers of every course, of both kinds and directions, end where the chains say', async () => {
  const seen = new Set<string>();
  // The suite runs every other plan, chosen by the run's seed.
  const nth = rounds({ suite: 2, proof: 1 });
  const tried = PLANS.map((_, index) => index + 1).filter((seed) => (seed + seedOfRun()) % nth === 0);
  for (const seed of tried) {
    const { plan, state, expected, wrong, alerts } = await simulateTransfer(seed);
    expect({ seed, plan, state, wrong, alerts }).toMatchObject({ seed, plan, state: expected, wrong: null });
    seen.add(JSON.stringify(plan));
  }
  expect(seen.size).toBe(tried.length);
});

test('the same seed gives the same course and the same alerts', async () => {
  expect(await simulateTransfer(77)).toEqual(await simulateTransfer(77));
});

test('a provider that names foreign payments is reported once, with a description', async () => {
  const told = new Set<string>();
  for (const course of ['older_payment_alone', 'used_payment_alone', 'older_refund_alone'] as const) {
    const seed = PLANS.findIndex((plan) => plan.course === course);
    const { alerts, state } = await simulateTransfer(seed);
    expect(state).toBe('unknown');
    const words = alerts.filter((what) => /older_than_quote|of_another/.test(what));
    expect(words).toHaveLength(1);
    told.add(words[0] as string);
  }
  expect([...told].sort()).toEqual(['bridge_fill_of_another_transfer', 'bridge_fill_older_than_quote', 'bridge_refund_older_than_quote']);
});
