/** Names of unknown values and thrown errors in messages. */
const LONGEST_TEXT = 60;

/**
 * Returns an untrusted value as text: a text as it is, anything else as JSON, at most `characters` of either. `String` would call the
 * value's own `toString`, which JSON from outside may define so that it throws.
 */
export function valueText(value: unknown, characters = LONGEST_TEXT): string {
  if (typeof value === 'string') return value.slice(0, characters);
  if (typeof value === 'bigint' || value === undefined) return String(value);
  return (JSON.stringify(value) ?? typeof value).slice(0, characters);
}

/** Returns the message of a caught error, or the value itself if it is not an error. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : valueText(error);
}

/** Thrown for a stored row that this software cannot have written. Its owner is quarantined, and nothing else is affected. */
export class UnreadableRow extends Error {
  /** Creates the error. @param what Names the row. @param cause Says what is wrong with it. */
  constructor(what: string, cause: unknown) {
    super(`${what} cannot be read: ${errorText(cause)}`, { cause });
  }
}
