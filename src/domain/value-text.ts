/** How values of unknown shape, and whatever was thrown, are named in messages. */
const LONGEST_TEXT = 60;

/**
 * An untrusted value as text: a text as it is, everything else as JSON writes it, at most `characters` of either. `String` would call
 * the value's own `toString`, which JSON from outside may name and which then throws.
 */
export function valueText(value: unknown, characters = LONGEST_TEXT): string {
  if (typeof value === 'string') return value.slice(0, characters);
  if (typeof value === 'bigint' || value === undefined) return String(value);
  return (JSON.stringify(value) ?? typeof value).slice(0, characters);
}

/** What a caught value says: the message of an error, or the value itself where no error was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : valueText(error);
}
