/** Reading JSON whose shape nobody has promised: records, texts and numbers, or nothing. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {};
}

/** The text if it is one of 1 to `most` characters, well formed, else null. */
export function textOf(value: unknown, most: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= most ? value.toWellFormed() : null;
}

/** The list where every member is a text, else null. */
export function textsOf(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? (value as string[]) : null;
}

/** A whole number of at least 0, else null. */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** The date if it is a real day spelled `YYYY-MM-DD`, else null. */
export function dateOf(value: unknown): string | null {
  if (typeof value !== 'string' || !DATE.test(value)) return null;
  const at = Date.parse(`${value}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(value) ? value : null;
}

/** An http address of at most 500 characters, else null. */
export function urlOf(value: unknown): string | null {
  const text = textOf(value, 500);
  return text !== null && /^https?:\/\//.test(text) && URL.canParse(text) ? text : null;
}
