/** Log for operators: a sentence, with its facts as fields. */

type Tell = (facts: object, sentence: string) => void;

export interface Log {
  readonly error: Tell;
  readonly warn: Tell;
  readonly info: Tell;
}
