/** Ids in paths. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True where the text is spelled like a UUID; anything else names nothing, and must not reach the database. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
