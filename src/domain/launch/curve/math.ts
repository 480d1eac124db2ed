/**
 * Integer arithmetic of a bonding curve: square-root prices in Q64.64, liquidity of segments, and the amounts between two prices. Every
 * amount is in raw units of its token and rounds against the trader. See docs/reference/outside/launch-programs.md.
 */

type Rounding = 'up' | 'down';

/** End of a segment: from the previous price up to `sqrtPrice` the curve has `liquidity`. */
export interface CurvePoint {
  /** Q64.64 of the square root of raw quote units per raw base unit. */
  readonly sqrtPrice: bigint;
  /** Base = L (1/a - 1/b), quote = L (b - a) / 2^128. */
  readonly liquidity: bigint;
}

export const MIN_SQRT_PRICE = 4_295_048_016n;
export const MAX_SQRT_PRICE = 79_226_673_521_066_979_257_578_248_091n;
export const ONE_Q64 = 1n << 64n;
export const U64_MAX = (1n << 64n) - 1n;
/** Maximum segments of a curve. */
export const MOST_CURVE_POINTS = 16;

/** Returns `x * y / denominator`. */
export function mulDiv(x: bigint, y: bigint, denominator: bigint, rounding: Rounding): bigint {
  const product = x * y;
  return rounding === 'up' ? (product + denominator - 1n) / denominator : product / denominator;
}

/** Returns the base between two prices of one segment. */
export function deltaBase(lower: bigint, upper: bigint, liquidity: bigint, rounding: Rounding): bigint {
  return mulDiv(liquidity, upper - lower, lower * upper, rounding);
}

/** Returns the quote between two prices of one segment. */
export function deltaQuote(lower: bigint, upper: bigint, liquidity: bigint, rounding: Rounding): bigint {
  return mulDiv(liquidity, upper - lower, 1n << 128n, rounding);
}

/** Returns the liquidity that holds this much quote between two prices, rounded down. */
export function liquidityOfQuote(quote: bigint, lower: bigint, upper: bigint): bigint {
  return (quote << 128n) / (upper - lower);
}

/** Returns the liquidity that holds this much base between two prices, rounded down. */
export function liquidityOfBase(base: bigint, lower: bigint, upper: bigint): bigint {
  return (base * lower * upper) / (upper - lower);
}

/** Returns the price after this much quote came in. */
export function afterQuoteIn(sqrtPrice: bigint, liquidity: bigint, amount: bigint): bigint {
  return sqrtPrice + (amount << 128n) / liquidity;
}

/** Returns the price after this much base came in. */
export function afterBaseIn(sqrtPrice: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return sqrtPrice;
  return mulDiv(liquidity, sqrtPrice, liquidity + amount * sqrtPrice, 'up');
}

/** Returns the price after this much quote went out, or null if the segment holds less. */
export function afterQuoteOut(sqrtPrice: bigint, liquidity: bigint, amount: bigint): bigint | null {
  const fall = ((amount << 128n) + liquidity - 1n) / liquidity;
  return fall > sqrtPrice ? null : sqrtPrice - fall;
}

/** Returns the price after this much base went out, or null if the segment holds less. */
export function afterBaseOut(sqrtPrice: bigint, liquidity: bigint, amount: bigint): bigint | null {
  if (amount === 0n) return sqrtPrice;
  const rest = liquidity - amount * sqrtPrice;
  return rest <= 0n ? null : mulDiv(liquidity, sqrtPrice, rest, 'up');
}

/** Returns the price at which a curve holds this much quote, or null if the whole curve holds less. */
export function sqrtPriceAtQuote(quote: bigint, start: bigint, curve: readonly CurvePoint[]): bigint | null {
  let at = start;
  let left = quote;
  for (const { sqrtPrice, liquidity } of curve) {
    const most = deltaQuote(at, sqrtPrice, liquidity, 'up');
    if (most > left) return afterQuoteIn(at, liquidity, left);
    left -= most;
    at = sqrtPrice;
  }
  return left === 0n ? at : null;
}

/** Returns the base that a curve sells between two prices, each segment rounded up. */
export function baseOnCurve(start: bigint, end: bigint, curve: readonly CurvePoint[]): bigint {
  let sum = 0n;
  let lower = start;
  for (const { sqrtPrice, liquidity } of curve) {
    if (lower >= end) break;
    const upper = sqrtPrice < end ? sqrtPrice : end;
    sum += deltaBase(lower, upper, liquidity, 'up');
    lower = sqrtPrice;
  }
  return sum;
}

/** Returns the base that the successor pool needs for this much quote at this price, over the full price range. */
export function successorBase(quote: bigint, sqrtPrice: bigint): bigint {
  return deltaBase(sqrtPrice, MAX_SQRT_PRICE, liquidityOfQuote(quote, MIN_SQRT_PRICE, sqrtPrice), 'up');
}

/** Returns `base` to the power of `exponent`, both in Q64.64, computed like the programs: square and multiply, each step truncated. */
export function powQ64(base: bigint, exponent: number): bigint {
  let result = ONE_Q64;
  let square = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * square) >> 64n;
    square = (square * square) >> 64n;
  }
  return result;
}
