/** The error of a stored row that cannot be read. */
import { errorText } from './value-text.ts';

/** Thrown for a stored row that this software cannot have written: whoever it belongs to is quarantined, and nobody else is harmed. */
export class UnreadableRow extends Error {
  /** @param what names the row, @param cause says what is wrong with it. */
  constructor(what: string, cause: unknown) {
    super(`${what} cannot be read: ${errorText(cause)}`, { cause });
  }
}
