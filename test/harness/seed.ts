/** The seed of a run: every random test takes its numbers from it, so that a run can be repeated (`npm test -- --seed N`). */

const VARIABLE = 'TEST_SEED';
/** Seeds are whole numbers below this. */
const LIMIT = 2 ** 31;

/** Settles the seed of this process and of its threads. Call before the first thread begins. */
export function settleSeed(): void {
  process.env[VARIABLE] ??= String(Math.floor(Math.random() * LIMIT));
}

/** Returns the seed of this run. @throws RangeError if TEST_SEED is not a whole number from 0 to 2147483647. */
export function seedOfRun(): number {
  const text = process.env[VARIABLE] ?? '';
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed >= LIMIT)
    throw new RangeError(`${VARIABLE} must be a whole number from 0 to ${LIMIT - 1}, not "${text}"`);
  return seed;
}
