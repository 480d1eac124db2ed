/** A value that must not be printed by accident. */

const REDACTED = '[redacted]';
/** Symbol of the method that Node.js calls before it prints a value. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Holds a secret. Text, JSON and console output show `[redacted]`. Only `reveal` and `take` return it. */
export class Secret {
  #value: string | null;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the value. Call it where the value is used, and do not store the result. */
  reveal(): string {
    if (this.#value === null) throw new Error('this secret was passed on and deleted');
    return this.#value;
  }

  /** Returns the value and forgets it, for a secret that only another process may keep. */
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
