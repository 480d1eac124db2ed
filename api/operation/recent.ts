/** Caches an answer for a short time. */
import type { Clock } from '../../streams/clock/clock.ts';

/**
 * Returns a function with the last answer, made at most once per `freshMs`. Callers during a run wait for its result. Uses elapsed time, so
 * that a changed clock does not make an answer last for hours.
 */
export function recent<Answer>(clock: Pick<Clock, 'elapsed'>, freshMs: number, make: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | null = null;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    if (answer === null || clock.elapsed() >= until) {
      const made = make();
      answer = made;
      // Set once it is there: while it is being made, no other one is started.
      until = Number.POSITIVE_INFINITY;
      const settled = (keptMs: number) => (): void => {
        if (answer === made) until = clock.elapsed() + keptMs;
      };
      made.then(settled(freshMs), settled(0));
    }
    return answer;
  };
}
