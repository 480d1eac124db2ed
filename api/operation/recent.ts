/** Answers that are made at most once in a while, however often they are asked for. */
import type { EpochMs } from '../../src/domain/time.ts';

/** Gives the answer that was made last, for so many milliseconds; those who ask while one is being made wait for it. */
export function recent<Answer>(clock: { now(): EpochMs }, freshMs: number, make: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | null = null;
  let until = 0;
  return () => {
    if (answer === null || clock.now() >= until) {
      const made = make();
      answer = made;
      // From when it is there: while it is being made, nobody asks for another one.
      until = Number.POSITIVE_INFINITY;
      const settled = (keptMs: number) => (): void => {
        if (answer === made) until = clock.now() + keptMs;
      };
      made.then(settled(freshMs), settled(0));
    }
    return answer;
  };
}
