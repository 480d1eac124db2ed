/** Amounts of the simulated exchange as integers of 10^-8 units. */

const UNIT_DIGITS = 8;
export const ONE = 10n ** BigInt(UNIT_DIGITS);

/** Parses a plain decimal such as `0.00123400`, or returns null if it has more than eight significant decimals. */
export function toUnits(text: string): bigint | null {
  const [whole = '0', fraction = ''] = text.split('.');
  const kept = fraction.replace(/0+$/, '');
  return kept.length > UNIT_DIGITS ? null : BigInt(whole + kept.padEnd(UNIT_DIGITS, '0'));
}

/** Formats an amount like the venue, with eight decimals. */
export function amountText(units: bigint): string {
  const text = (units < 0n ? -units : units).toString().padStart(UNIT_DIGITS + 1, '0');
  return `${units < 0n ? '-' : ''}${text.slice(0, -UNIT_DIGITS)}.${text.slice(-UNIT_DIGITS)}`;
}

/** Multiplies two amounts and rounds down. */
export function product(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

/** Converts a number of ticks or lots with the given decimals to an amount. */
export function stepped(steps: number, digits: number): bigint {
  return BigInt(steps) * 10n ** BigInt(UNIT_DIGITS - digits);
}
