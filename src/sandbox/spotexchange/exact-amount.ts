/** Amounts of the exchange's simulator as whole hundred-millionths: eight decimals, exactly. */

export const UNIT_DIGITS = 8;
export const ONE = 10n ** BigInt(UNIT_DIGITS);

/** Parses a plain decimal such as `0.00123400`, with at most eight significant decimals; null if it has more. */
export function unitsOf(text: string): bigint | null {
  const [whole = '0', fraction = ''] = text.split('.');
  const kept = fraction.replace(/0+$/, '');
  return kept.length > UNIT_DIGITS ? null : BigInt(whole + kept.padEnd(UNIT_DIGITS, '0'));
}

/** Eight decimals, as the venue writes every amount. */
export function amountText(units: bigint): string {
  const text = (units < 0n ? -units : units).toString().padStart(UNIT_DIGITS + 1, '0');
  return `${units < 0n ? '-' : ''}${text.slice(0, -UNIT_DIGITS)}.${text.slice(-UNIT_DIGITS)}`;
}

/** The product of two amounts, rounded down to a unit. */
export function product(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

/** Whole ticks or lots of so many decimals as an amount. */
export function stepped(steps: number, digits: number): bigint {
  return BigInt(steps) * 10n ** BigInt(UNIT_DIGITS - digits);
}
