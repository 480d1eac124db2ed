/** Draws of a replay session: every number follows from the session's seed and a label, so that anybody who has the seed can draw again. */
import { sha256Hex } from '../../domain/values/canonical-json.ts';

/** Numbers 0 <= n < 1. Nobody without the seed can tell the next one. */
export type Draws = () => number;

/** Hexadecimal digits of one number: 52 bits. */
const DIGITS = 13;

/** Opens the stream of a label. Other labels give independent streams. @param seed 64 hexadecimal digits. */
export function drawsOf(seed: string, label: string): Draws {
  let count = 0;
  return () => Number.parseInt(sha256Hex(`sevengate-replay-1\n${seed}\n${label}\n${count++}`).slice(0, DIGITS), 16) / 16 ** DIGITS;
}

/** A whole number from `low` to `high`, both included. */
export function drawWhole(draw: Draws, low: number, high: number): number {
  return low + Math.floor(draw() * (high - low + 1));
}

/** The values in a drawn order (Fisher and Yates). */
export function shuffled<T>(values: readonly T[], draw: Draws): readonly T[] {
  const order = [...values];
  for (let last = order.length - 1; last > 0; last--) {
    const other = drawWhole(draw, 0, last);
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}
