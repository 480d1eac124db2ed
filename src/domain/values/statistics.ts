/** Statistics of a sample, and the normal distribution. Ratios and statistics, hence numbers. */

/** Returns the arithmetic mean, NaN for no values. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum / values.length;
}

/** Returns the sample standard deviation (ddof 1), NaN for fewer than two values. */
export function sampleDeviation(values: ArrayLike<number>): number {
  if (values.length < 2) return Number.NaN;
  const middle = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += ((values[i] as number) - middle) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}

/**
 * Returns the standard normal distribution function, with an absolute error below 1e-14. Series near the middle, continued fraction in the
 * tails.
 */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) return x;
  const z = Math.abs(x);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < 4) {
    let term = z;
    let sum = z;
    for (let k = 1; Math.abs(term) > 1e-17; k++) {
      term *= (z * z) / (2 * k + 1);
      sum += term;
    }
    return 0.5 + Math.sign(x) * density * sum;
  }
  let fraction = z;
  for (let k = 60; k >= 1; k--) fraction = z + k / fraction;
  const tail = density / fraction;
  return x > 0 ? 1 - tail : tail;
}

/** Returns the inverse of `normalCdf` for 0 < p < 1, by Newton's method. @throws RangeError elsewhere. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`${p} is not a probability between 0 and 1`);
  let x = 0;
  let [low, high] = [-40, 40];
  for (let step = 0; step < 200; step++) {
    const off = normalCdf(x) - p;
    if (off === 0) return x;
    if (off > 0) high = x;
    else low = x;
    const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    const newton = x - off / density;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - x) < 1e-15 * Math.max(1, Math.abs(x))) return next;
    x = next;
  }
  return x;
}
