/** Formats figures for people: ages with a fitting unit, numbers without an exponent. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts';

/** Units of an age from one second on, in milliseconds. Each begins where the previous one ends. Hours go up to two days. */
const AGE_UNITS = [
  { unit: 's', ms: 1_000, below: MINUTE_MS },
  { unit: 'min', ms: MINUTE_MS, below: HOUR_MS },
  { unit: 'h', ms: HOUR_MS, below: 48 * HOUR_MS },
  { unit: 'd', ms: DAY_MS, below: Number.POSITIVE_INFINITY },
] as const;

/**
 * Returns an age in words: `850 ms`, `1.2 s`, `12 s`, `5 min`, `28 h`, `3.2 d`. Truncated, never rounded up, with one decimal below ten
 * units. Negative ages are `0 s`.
 */
export function ageInWords(ms: number): string {
  if (ms < 1_000) return ms < 1 ? '0 s' : `${Math.floor(ms)} ms`;
  const { unit, ms: one } = AGE_UNITS.find(({ below }) => ms < below) ?? AGE_UNITS[3];
  return `${ms < 10 * one ? Math.floor(ms / (one / 10)) / 10 : Math.floor(ms / one)} ${unit}`;
}

/** Returns a record's text with its ages in words: `104100000 ms old` becomes `28 h old`. */
export function withAgesInWords(text: string): string {
  return text.replace(/\b(\d+) ms old\b/g, (_, ms: string) => `${ageInWords(Number(ms))} old`);
}

/** Returns a figure with at most three decimals and no exponent. A smaller figure says so. */
export function figureInWords(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const rounded = Math.round(value * 1_000) / 1_000;
  if (rounded === 0 && value !== 0) return value > 0 ? 'less than 0.001' : 'between -0.001 and 0';
  return Math.abs(rounded) < 1e15 ? String(rounded) : BigInt(Math.round(value)).toString();
}

/** Returns the minute of an ISO 8601 time: `2026-12-01 09:00 UTC`. */
export function timeInWords(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}
