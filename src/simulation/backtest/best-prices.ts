/** The prices that a bar of a history is assumed to be quoted at. */
import { ceilUnits } from './trade-ledger.ts';

/** Ten to the power of every number of digits that a history keeps. */
const SCALES: readonly number[] = Array.from({ length: 19 }, (_, digits) => 10 ** digits);

/** The best prices that are assumed around a close: whole units of the history on both sides of it, so that the middle is the close. */
export function bestPrices(close: number, decimals: number, halfSpreadBps: number): { readonly bid: number; readonly ask: number } {
  const scale = SCALES[decimals] as number;
  const units = Math.round(close * scale);
  const half = ceilUnits((units * halfSpreadBps) / 10_000);
  return { bid: (units - half) / scale, ask: (units + half) / scale };
}
