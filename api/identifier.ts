/** Ids in paths and bodies. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True if the text is spelled like a UUID; anything else names nothing, and must not reach the database. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** An id as stored ids are spelled; null if it is no UUID, and so the id of nothing. */
export function storedId(text: string): string | null {
  return isUuid(text) ? text.toLowerCase() : null;
}

/** The id in a path as stored ids are spelled; null if it is no UUID. */
export function idInPath({ id }: { readonly id: string }): string | null {
  return storedId(id);
}
