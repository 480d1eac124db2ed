/** Times that people write: a day, or a moment with its offset. */
import type { EpochMs } from './time.ts';

/** @throws Error in one sentence where the text is no time. */
export function instant(text: string, option: string): EpochMs {
  const at = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new Error(`${option}: ${JSON.stringify(text)} is no time; needed is YYYY-MM-DD or 2026-03-02T14:31:00Z`);
  return at;
}
