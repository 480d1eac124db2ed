/** Answers that are made at most once in a while, however often they are asked for. */
import type { Clock } from '../../streams/clock.ts';

/** Measures by elapsed time: a clock that was set ahead and back does not make an answer last for hours. Gives the answer that was made last, for so many milliseconds; those who ask while one is being made wait for it. */
export function recent<Answer>(clock: Pick<Clock, 'elapsed'>, freshMs: number, make: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | null = null;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    if (answer === null || clock.elapsed() >= until) {
      const made = make();
      answer = made;
      // From when it is there: while it is being made, nobody asks for another one.
      until = Number.POSITIVE_INFINITY;
      const settled = (keptMs: number) => (): void => {
        if (answer === made) until = clock.elapsed() + keptMs;
      };
      made.then(settled(freshMs), settled(0));
    }
    return answer;
  };
}
