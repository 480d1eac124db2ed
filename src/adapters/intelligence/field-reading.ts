/** Parses untyped JSON into records, texts and numbers, or null. */

type JsonRecord = Readonly<Record<string, unknown>>;

export function toRecord(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {};
}

/** Returns a well-formed text without NUL, which PostgreSQL cannot store. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/** Returns a well-formed text of 1 to `most` characters, else null. */
export function readText(value: unknown, most: number): string | null {
  if (typeof value !== 'string' || value.length > most) return null;
  const text = storable(value);
  return text === '' ? null : text;
}

/** Returns a list of texts, else null. */
export function readTexts(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? (value as string[]).map(storable) : null;
}

/** Returns a whole number of at least 0, else null. */
export function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** Returns an existing date as `YYYY-MM-DD`, else null. */
export function readDate(value: unknown): string | null {
  if (typeof value !== 'string' || !DATE.test(value)) return null;
  const at = Date.parse(`${value}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(value) ? value : null;
}

/** Returns an http address of at most 500 characters, else null. */
export function readUrl(value: unknown): string | null {
  const text = readText(value, 500);
  return text !== null && /^https?:\/\//.test(text) && URL.canParse(text) ? text : null;
}
