// Ten thousand random launches, each a sequence of instructions: the modelled programs and the real ones never differ.
// The binaries are no part of the project: without `../shared/data/programs` there is nothing to compare with.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRandom } from './launch-random.ts';
import { HAS_PROGRAMS, pairOfChains, randomSequence } from './launch-sequences.ts';

const SEQUENCES = 10_000;
const SEED = 7;

test.skipIf(!HAS_PROGRAMS)(
  `${SEQUENCES} random sequences leave the same accounts, amounts and errors`,
  async () => {
    const random = createRandom(SEED);
    let world = pairOfChains();
    let graduated = 0;
    for (let sequence = 0; sequence < SEQUENCES; sequence++) {
      if (sequence % 100 === 99) {
        world = pairOfChains();
        console.log(`${sequence + 1} sequences, ${graduated} of them to a successor pool`);
        // Only between turns of the event loop are lines shown, and virtual machines freed that nobody holds any more.
        await setImmediate();
      }
      if (randomSequence(world, random, `sequence ${sequence}`)) graduated++;
    }
    console.log(`${graduated} of ${SEQUENCES} sequences came to a successor pool`);
    expect(graduated).toBeGreaterThan(SEQUENCES / 4);
  },
  14_400_000,
);
