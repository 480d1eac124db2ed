/** Seed of a run. Every random test uses it, so that a run can be repeated (`npm test -- --seed N`). */

const VARIABLE = 'TEST_SEED';
/** Upper bound of seeds, excluded. */
const LIMIT = 2 ** 31;

/** Sets the seed of this process and its threads. Call it before the first thread starts. */
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
