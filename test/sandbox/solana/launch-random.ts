// Random choices, repeatable by seed.
import { seededRandom } from '../../../src/sandbox/faults.ts';

export function createRandom(seed: number) {
  const next = seededRandom(seed);
  return {
    /** Returns an integer from `least` to `most`. */
    integer: (least: number, most: number): number => least + Math.floor(next() * (most - least + 1)),
    one: <Value>(values: readonly Value[]): Value => values[Math.floor(next() * values.length)] as Value,
    chance: (probability: number): boolean => next() < probability,
  };
}
