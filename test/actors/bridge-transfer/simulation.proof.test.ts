// Ten thousand transfers of both kinds and directions under faults: every one ends in the state that the two chains show, and no alert is lost or told twice.
import { expect, test } from 'vitest';
import { simulateTransfer } from './transfer-simulation.ts';

test('ten thousand transfers end where the chains say', async () => {
  for (let seed = 1_001; seed <= 11_000; seed++) {
    const { plan, state, expected, wrong, alerts } = await simulateTransfer(seed);
    expect({ seed, plan, state, wrong, alerts }).toMatchObject({ seed, plan, state: expected, wrong: null });
  }
});
