/** Parses untyped JSON into records, texts and numbers, or null. */

type JsonRecord = Readonly<Record<string, unknown>>;

export function toRecord(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {};
}

/** Returns a well-formed text of 1 to `most` characters, else null. */
export function readText(value: unknown, most: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= most ? value.toWellFormed() : null;
}

/** Returns a list of texts, else null. */
export function readTexts(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? (value as string[]) : null;
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
