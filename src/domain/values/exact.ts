/** Exact arithmetic on decimal texts: scaled integers, ratios, sums and products. */
import type { DecimalString } from './decimal.ts';

/** Decimals of a US dollar in the risk function, which computes in micro-dollars. */
export const USD_SCALE = 6;

const TEN = 10n;
const POWERS: readonly bigint[] = Array.from({ length: 80 }, (_, exponent) => TEN ** BigInt(exponent));

/** Returns 10 to the power of `exponent` (0 to 79, beyond any mandate). */
export function powerOfTen(exponent: number): bigint {
  const power = POWERS[exponent];
  if (power === undefined) throw new RangeError(`no number here has ${exponent} decimals`);
  return power;
}

/** A decimal text as an integer over a power of ten. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Returns the exact ratio of a plain decimal text. */
export function toRatio(text: DecimalString): Ratio {
  const dot = text.indexOf('.');
  if (dot < 0) return { numerator: BigInt(text), denominator: 1n };
  return { numerator: BigInt(text.slice(0, dot) + text.slice(dot + 1)), denominator: powerOfTen(text.length - dot - 1) };
}

/** Returns a / b rounded down. b is positive. */
export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a < 0n && quotient * b !== a ? quotient - 1n : quotient;
}

/** Returns a / b rounded up. b is positive. */
export function ceilDivide(a: bigint, b: bigint): bigint {
  return -floorDivide(-a, b);
}

/** Returns a decimal text in units of 10^-scale, rounded down. */
export function floorScaled(text: DecimalString, scale: number): bigint {
  const { numerator, denominator } = toRatio(text);
  return floorDivide(numerator * powerOfTen(scale), denominator);
}

/** Returns a decimal text in units of 10^-scale, rounded up. */
export function ceilScaled(text: DecimalString, scale: number): bigint {
  const { numerator, denominator } = toRatio(text);
  return ceilDivide(numerator * powerOfTen(scale), denominator);
}

/** Returns an integer of 10^-scale units as plain decimal text. */
export function scaledText(units: bigint, scale: number): DecimalString {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Returns micro-dollars as US dollars. */
export function usdText(micro: bigint): DecimalString {
  return scaledText(micro, USD_SCALE);
}

/** An exact decimal of any length, in units of 10^-scale. Sums and products of plain decimals need no rounding. */
export interface Exact {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Exact = { units: 0n, scale: 0 };

/** Returns a plain decimal text as an exact number. */
export function toExact(text: DecimalString): Exact {
  const dot = text.indexOf('.');
  return dot < 0
    ? { units: BigInt(text), scale: 0 }
    : { units: BigInt(text.slice(0, dot) + text.slice(dot + 1)), scale: text.length - dot - 1 };
}

/** Returns the plain decimal text of an exact number. */
export function exactText({ units, scale }: Exact): DecimalString {
  return scaledText(units, scale);
}

export function plus(a: Exact, b: Exact): Exact {
  if (a.scale === b.scale) return { units: a.units + b.units, scale: a.scale };
  return a.scale > b.scale
    ? { units: a.units + b.units * powerOfTen(a.scale - b.scale), scale: a.scale }
    : { units: a.units * powerOfTen(b.scale - a.scale) + b.units, scale: b.scale };
}

export function minus(a: Exact, b: Exact): Exact {
  return plus(a, { units: -b.units, scale: b.scale });
}

export function times(a: Exact, b: Exact): Exact {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** Returns the number of decimals of a power-of-ten step: `0.001` has 3. */
export function stepScale(step: DecimalString): number {
  const dot = step.indexOf('.');
  return dot < 0 ? 0 : step.length - dot - 1;
}
