/** Time in the engine: milliseconds since the Unix epoch, slots and timeframes. */
/** Milliseconds since 1970-01-01T00:00:00Z. Always an integer. */
export type EpochMs = number;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** Length of a UTC day, without leap seconds. */
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;
/** Interval of an agent's ticks. */
export const AGENT_TICK_MS = MINUTE_MS;
/** Interval of an armed Take's evaluation. */
export const TAKE_TICK_MS = 30_000;

/** Returns the start of the slot that contains `at`: floor(at / period) * period. */
export function startOfSlot(at: EpochMs, periodMs: number): EpochMs {
  return Math.floor(at / periodMs) * periodMs;
}

/** Largest difference in milliseconds between times that clocks of this service name for one instant. */
const MAX_AHEAD_MS = 10_000;

/** True if a time of what is known lies so far in the future that the clock which named it was wrong. It then says nothing about an age. */
export function isAhead(at: EpochMs, now: EpochMs): boolean {
  return at - now > MAX_AHEAD_MS;
}

/** True if what was known at a time is older than `maxAgeMs`, or the clock that named the time was ahead. */
export function isOutdated(knownAt: EpochMs, now: EpochMs, maxAgeMs: number): boolean {
  return now - knownAt > maxAgeMs || isAhead(knownAt, now);
}

const TIMEFRAME = /^([1-9]\d{0,2})([mh])$/;

/** Returns the length of a manifest timeframe (`<n>m` or `<n>h`) in milliseconds, or null if the text is not a timeframe. */
export function timeframeMs(timeframe: string): number | null {
  const match = TIMEFRAME.exec(timeframe);
  if (!match) return null;
  return Number(match[1]) * (match[2] === 'm' ? MINUTE_MS : HOUR_MS);
}

/** Returns ISO 8601 with milliseconds, in UTC, the wire form of a time. */
export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString();
}

/** Formats a time as ISO 8601, or returns null if there is none. */
export const isoTimeOrNull = (at: EpochMs | null): string | null => (at === null ? null : isoTime(at));

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
