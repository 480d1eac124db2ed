/** A value that must never be printed by accident. */
import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/** Holds a secret; text, JSON and console output show `[redacted]`, and only `reveal` gives it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself: call it at the place of use, and store what it gives nowhere. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
