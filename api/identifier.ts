/** Ids in paths and bodies. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True if the text has the form of a UUID. Anything else identifies nothing, and must not reach the database. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Returns an id in the form of stored ids, or null if it is not a UUID. */
export function storedId(text: string): string | null {
  return isUuid(text) ? text.toLowerCase() : null;
}

/** Returns the id in a path in the form of stored ids, or null if it is not a UUID. */
export function idInPath({ id }: { readonly id: string }): string | null {
  return storedId(id);
}
