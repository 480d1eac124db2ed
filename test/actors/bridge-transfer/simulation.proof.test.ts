// Ten thousand transfers of both kinds and directions under faults: each ends in the state that both chains show, with every alert exactly
// once.
import { expect, test } from 'vitest';
import { simulateTransfer } from './transfer-simulation.ts';

test('ten thousand transfers end where the chains say', async () => {
  for (let seed = 1_001; seed <= 11_000; seed++) {
    const { plan, state, expected, wrong, alerts } = await simulateTransfer(seed);
    expect({ seed, plan, state, wrong, alerts }).toMatchObject({ seed, plan, state: expected, wrong: null });
  }
});
