/** A value that must never be printed by accident. */

const REDACTED = '[redacted]';
/** Symbol of the method that Node.js calls before it prints a value. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Holds a secret; text, JSON and console output show `[redacted]`, and only `reveal` gives it. */
export class Secret {
  #value: string | null;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself: call it at the place of use, and store what it gives nowhere. */
  reveal(): string {
    if (this.#value === null) throw new Error('this secret was handed over and is no longer here');
    return this.#value;
  }

  /** The value, given for the last time: it is forgotten here, for a secret that only another process may hold. */
  take(): string {
    const value = this.reveal();
    this.#value = null;
    return value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [INSPECT](): string {
    return REDACTED;
  }
}
