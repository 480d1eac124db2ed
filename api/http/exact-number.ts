/** Checks that a number literal survives as a double. One that would lose digits is refused, never rounded. */

/** Maximum length of a literal. A longer one has digits that a double cannot keep, or needless zeros. */
const MAX_LITERAL = 400;

/**
 * Returns the double of a JSON number literal, or null if the double's shortest form is another number: `0.10` is 0.1, but
 * `9007199254740993`, `1e400` and `1e-400` have no exact double.
 */
export function exactNumber(literal: string): number | null {
  if (literal.length > MAX_LITERAL) return null;
  const value = Number(literal);
  if (!Number.isFinite(value)) return null;
  if (value === 0) return /[1-9]/.test(literal.replace(/[eE].*$/, '')) ? null : 0;
  // Up to 15 digits without an exponent always survive.
  if (literal.length <= 15 && !/[eE]/.test(literal)) return value;
  return plainDigits(literal) === plainDigits(String(value)) ? value : null;
}

/** Returns sign, digits without zeros at either end, and exponent, which are equal for equal decimals. */
function plainDigits(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (!match) return literal;
  const fraction = match[3] ?? '';
  const digits = `${match[2]}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const exponent = Number(match[4] ?? 0) - fraction.length + (digits.length - significant.length);
  return `${match[1]}${significant}e${exponent}`;
}
