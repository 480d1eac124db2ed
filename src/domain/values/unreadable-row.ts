/** The error of a stored row that cannot be read. */
import { errorText } from './value-text.ts';

/** Thrown for a stored row that this software cannot have written. Its owner is quarantined, and nothing else is affected. */
export class UnreadableRow extends Error {
  /** Creates the error. @param what Names the row. @param cause Says what is wrong with it. */
  constructor(what: string, cause: unknown) {
    super(`${what} cannot be read: ${errorText(cause)}`, { cause });
  }
}
