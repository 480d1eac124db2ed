/** Figures as people read them: ages with a unit that fits, numbers without an exponent. */

/** An age in words: `850 ms`, `12.3 s`, `5 min`, `28.9 hours`, `3.2 days`. @param ms at least zero. */
export function ageInWords(ms: number): string {
  const rounded = (value: number): string => String(Math.round(value * 10) / 10);
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${rounded(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${rounded(ms / 60_000)} min`;
  return ms < 48 * 3_600_000 ? `${rounded(ms / 3_600_000)} hours` : `${rounded(ms / 86_400_000)} days`;
}

/** A text of the record with its ages in words: `104100000 ms old` becomes `28.9 hours old`. */
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
