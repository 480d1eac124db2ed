/** Seeded chance for simulations: the same seed gives the same numbers on every machine, to the last bit. */
import { sha256Hex } from '../../domain/values/canonical-json.ts';

export interface SeededDraws {
  /** 0 <= n < 1. */
  uniform(): number;
  /** Nearly a standard normal number: the sum of twelve uniform ones less six, so additions alone and never beyond six deviations. */
  normal(): number;
}

/** A source of numbers from a text; two texts give sources that have nothing to do with each other. */
export function seededDraws(seed: string): SeededDraws {
  const hex = sha256Hex(seed);
  // Four words of state, stepped as a xorshift with a Weyl sequence, so that all-zero words do no harm.
  let [x, y, z, w] = [0, 8, 16, 24].map((from) => Number.parseInt(hex.slice(from, from + 8), 16)) as [number, number, number, number];
  let weyl = Number.parseInt(hex.slice(32, 40), 16);

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
    normal() {
      let sum = -6;
      for (let i = 0; i < 12; i++) sum += uniform();
      return sum;
    },
  };
}
