/** Seeded random numbers for simulations, bit-identical on every machine. */
import { sha256Hex } from '../../domain/values/canonical-json.ts';

export type SeededDraws = ReturnType<typeof seededDraws>;

/** Creates a source of numbers from a text. Different texts give independent sources. */
export function seededDraws(seed: string) {
  const hex = sha256Hex(seed);
  // Xorshift over four words with a Weyl sequence, so that zero words do no harm.
  let [x, y, z, w] = [0, 8, 16, 24].map((from) => Number.parseInt(hex.slice(from, from + 8), 16)) as [number, number, number, number];
  let weyl = Number.parseInt(hex.slice(32, 40), 16);

  /** Draws a number 0 <= n < 1. */
  function uniform(): number {
    const mixed = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w = w ^ (w >>> 19) ^ mixed ^ (mixed >>> 8);
    weyl = (weyl + 0x9e3779b9) >>> 0;
    return ((w + weyl) >>> 0) / 4294967296;
  }

  return {
    uniform,
    /**
     * Draws a nearly standard normal number: the sum of twelve uniform ones minus six. It uses additions alone and never exceeds six
     * deviations.
     */
    normal(): number {
      let sum = -6;
      for (let i = 0; i < 12; i++) sum += uniform();
      return sum;
    },
  };
}
