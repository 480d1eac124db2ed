/** Exact decimals. Money and prices are decimal strings in storage and on the wire. Arithmetic uses `Decimal`, never a float. */
import { Decimal as DecimalJs } from 'decimal.js';

/** decimal.js at 40 significant digits, banker's rounding. */
export const Decimal = DecimalJs.clone({ precision: 40, rounding: DecimalJs.ROUND_HALF_EVEN, toExpNeg: -40, toExpPos: 60 });
export type Decimal = InstanceType<typeof Decimal>;

/** A decimal number as text: `-?\d+(\.\d+)?`, never with an exponent. */
export type DecimalString = string;

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** True if the text is a plain decimal, the only accepted form of money. */
export function isDecimalString(text: string): boolean {
  return DECIMAL.test(text);
}

/** Returns the plain form without an exponent, leading or trailing zeros: `"1.50"` -> `"1.5"`, `"-0"` -> `"0"`. */
export function plainDecimal(value: Decimal | DecimalString | number): DecimalString {
  const decimal = typeof value === 'object' ? value : new Decimal(value);
  return decimal.isZero() ? '0' : decimal.toFixed();
}

/**
 * Compares two non-negative plain decimals without creating numbers. Negative, zero or positive as `a` is smaller than, equal to or greater
 * than `b`. Exact at any length. Hot path of the quote operators.
 */
export function compareDecimals(a: DecimalString, b: DecimalString): number {
  if (a === b) return 0;
  const aDot = a.indexOf('.');
  const bDot = b.indexOf('.');
  const aWhole = aDot < 0 ? a.length : aDot;
  const bWhole = bDot < 0 ? b.length : bDot;
  let aStart = 0;
  let bStart = 0;
  while (aStart < aWhole - 1 && a.charCodeAt(aStart) === 48) aStart++;
  while (bStart < bWhole - 1 && b.charCodeAt(bStart) === 48) bStart++;
  if (aWhole - aStart !== bWhole - bStart) return aWhole - aStart - (bWhole - bStart);
  for (let i = 0; i < aWhole - aStart; i++) {
    const difference = a.charCodeAt(aStart + i) - b.charCodeAt(bStart + i);
    if (difference !== 0) return difference;
  }
  const aDigits = aDot < 0 ? 0 : a.length - aDot - 1;
  const bDigits = bDot < 0 ? 0 : b.length - bDot - 1;
  for (let i = 0; i < Math.max(aDigits, bDigits); i++) {
    const difference = (i < aDigits ? a.charCodeAt(aDot + 1 + i) : 48) - (i < bDigits ? b.charCodeAt(bDot + 1 + i) : 48);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** True if a plain non-negative decimal is greater than zero. */
export function isPositive(decimal: DecimalString): boolean {
  for (let i = 0; i < decimal.length; i++) {
    const code = decimal.charCodeAt(i);
    if (code === 45) return false;
    if (code > 48 && code < 58) return true;
  }
  return false;
}
