/** Figures as people read them: ages with a unit that fits, numbers without an exponent. */

/** The units of an age from a second on: each begins where the one before it ends. Hours go to two days. Milliseconds. */
const AGE_UNITS = [
  { unit: 's', ms: 1_000, below: 60_000 },
  { unit: 'min', ms: 60_000, below: 3_600_000 },
  { unit: 'h', ms: 3_600_000, below: 48 * 3_600_000 },
  { unit: 'd', ms: 86_400_000, below: Number.POSITIVE_INFINITY },
] as const;

/**
 * An age in words, as pages write it: `850 ms`, `1.2 s`, `12 s`, `5 min`, `28 h`, `3.2 d`. It is cut, never rounded
 * up, and has one decimal below ten of its unit. What is below zero counts as zero, `0 s`.
 */
export function ageInWords(ms: number): string {
  if (ms < 1_000) return ms < 1 ? '0 s' : `${Math.floor(ms)} ms`;
  const { unit, ms: one } = AGE_UNITS.find(({ below }) => ms < below) ?? AGE_UNITS[3];
  return `${ms < 10 * one ? Math.floor(ms / (one / 10)) / 10 : Math.floor(ms / one)} ${unit}`;
}

/** A text of the record with its ages in words: `104100000 ms old` becomes `28 h old`. */
export function withAgesInWords(text: string): string {
  return text.replace(/\b(\d+) ms old\b/g, (_, ms: string) => `${ageInWords(Number(ms))} old`);
}

/** A figure with at most three decimals and never an exponent; what is smaller than that says so. */
export function figureInWords(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const rounded = Math.round(value * 1_000) / 1_000;
  if (rounded === 0 && value !== 0) return value > 0 ? 'less than 0.001' : 'between -0.001 and 0';
  return Math.abs(rounded) < 1e15 ? String(rounded) : BigInt(Math.round(value)).toString();
}
