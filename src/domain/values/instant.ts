/** Reads times that people and providers write. */
import type { EpochMs } from './time.ts';

/** Reads a day, or a time with its offset. @throws Error with one sentence if the text is neither. */
export function instant(text: string, option: string): EpochMs {
  const at = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new Error(`${option}: ${JSON.stringify(text)} is not a time; use YYYY-MM-DD or 2026-03-02T14:31:00Z`);
  return at;
}

/**
 * Reads a provider's timestamp with its offset, ISO 8601 or RFC 2822. NaN without an offset, because the engine would assume this machine's
 * time zone, and a bare date begins before the day's events.
 */
export function zonedInstant(text: unknown): EpochMs {
  return typeof text === 'string' && /:\d\d(\.\d+)? ?(Z|UTC|GMT|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
}
