/** Busy time of the main loop for one text, read as YAML, as JSON, and as a manifest if it is one. */
import { InputError } from '../../api/problem.ts';
import { parseStrictJson } from '../../api/http/strict-json.ts';
import { parseStrictYaml } from '../../api/http/strict-yaml.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { threadMs } from '../harness/busy-time.ts';
import { randomText } from './hostile-input.ts';

const READERS = { YAML: parseStrictYaml, JSON: parseStrictJson };

/** @throws Any error of a reader that is not a refusal: a defect. */
function read(reader: (text: string) => unknown, text: string): void {
  try {
    readManifest(reader(text));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
}

/** Returns a generator of numbers in [0, 1) from a seed (mulberry32). */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns random texts, with their seeds, that take longer than `mostMs` in every attempt. */
export function slowTexts(count: number, seed: number, mostMs: number): string[] {
  const slow: string[] = [];
  for (let run = 0; run < count; run++) {
    const whole = randomText(numbersFrom(seed + run));
    for (const [name, reader] of Object.entries(READERS)) {
      // Longer YAML is refused without parsing, so the worst case has the maximum length.
      const text = name === 'YAML' ? whole.slice(0, 32 * 1024) : whole;
      let least = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < 20 && least > mostMs; tries++) {
        const before = threadMs();
        read(reader, text);
        least = Math.min(least, threadMs() - before);
      }
      if (least > mostMs) slow.push(`${name}, seed ${seed + run}: ${least.toFixed(1)} ms for ${JSON.stringify(text.slice(0, 60))}`);
    }
  }
  return slow;
}
