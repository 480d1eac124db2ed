/** Log of a part for operators: one sentence, and the facts beside it. */

type Tell = (facts: object, sentence: string) => void;

export interface Log {
  readonly error: Tell;
  readonly warn: Tell;
  readonly info: Tell;
}
