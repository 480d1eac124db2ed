/**
 * Random draws of a replay session. Every number is derived from the session's seed and a label, so that anyone with the seed can
 * reproduce them.
 */
import { sha256Hex } from '../../domain/values/canonical-json.ts';

/** Source of numbers 0 <= n < 1, unpredictable without the seed. */
export type Draws = () => number;

/** Hexadecimal digits per number: 52 bits. */
const DIGITS = 13;

/** Opens the stream of a label, independent of other labels' streams. @param seed 64 hexadecimal digits */
export function openDraws(seed: string, label: string): Draws {
  let count = 0;
  return () => Number.parseInt(sha256Hex(`sevengate-replay-1\n${seed}\n${label}\n${count++}`).slice(0, DIGITS), 16) / 16 ** DIGITS;
}

/** Draws an integer from `low` to `high`, both included. */
export function drawWhole(draw: Draws, low: number, high: number): number {
  return low + Math.floor(draw() * (high - low + 1));
}

/** Shuffles values (Fisher and Yates). */
export function shuffled<T>(values: readonly T[], draw: Draws): readonly T[] {
  const order = [...values];
  for (let last = order.length - 1; last > 0; last--) {
    const other = drawWhole(draw, 0, last);
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}
