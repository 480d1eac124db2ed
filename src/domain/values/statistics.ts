/** Statistics of a sample. Ratios and statistics, hence numbers. */

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
