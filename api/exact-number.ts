/** True if a written number survives as a double. A number that would lose digits is refused, never rounded. */

/** A longer literal has digits that no double keeps, or zeros that nobody needs. */
const MAX_LITERAL = 400;

/**
 * The double that a JSON number literal names, or null if the double's shortest form names another number:
 * `0.10` is 0.1, but `9007199254740993`, `1e400` and `1e-400` have no exact double.
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

/** Sign, digits without zeros at either end, and the exponent: equal for equal decimals. */
function plainDigits(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (!match) return literal;
  const fraction = match[3] ?? '';
  const digits = `${match[2]}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const exponent = Number(match[4] ?? 0) - fraction.length + (digits.length - significant.length);
  return `${match[1]}${significant}e${exponent}`;
}
