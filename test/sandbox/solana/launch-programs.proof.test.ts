// Ten thousand random launches, each a sequence of instructions: the modelled programs and the real ones never differ.
// The binaries are not part of the project: without a folder of them there is nothing to compare. The two halves may
// run in parallel: `npm run proof -- launch-programs -t "seed 7"`.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRandom } from './launch-random.ts';
import { HAS_PROGRAMS, pairOfChains, randomSequence } from './launch-sequences.ts';

const SEQUENCES = 5_000;

test.skipIf(!HAS_PROGRAMS).each([7, 8])(
  `${SEQUENCES} random sequences of seed %i leave the same accounts, amounts and errors`,
  async (seed) => {
    const random = createRandom(seed);
    let world = pairOfChains();
    let transactions = 0;
    let graduated = 0;
    for (let sequence = 0; sequence < SEQUENCES; sequence++) {
      if (sequence % 100 === 99) {
        transactions += world.sent();
        world = pairOfChains();
        console.log(`${sequence + 1} sequences, ${transactions} transactions, ${graduated} successor pools`);
        // Output is shown and unused virtual machines are freed only between turns of the event loop.
        await setImmediate();
      }
      if (randomSequence(world, random, `sequence ${sequence}`)) graduated++;
    }
    console.log(`${graduated} of ${SEQUENCES} sequences came to a successor pool, in ${transactions + world.sent()} transactions`);
    expect(graduated).toBeGreaterThan(SEQUENCES / 4);
  },
  14_400_000,
);
