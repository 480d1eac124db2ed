/** Assumed bid and ask of a bar. */
import { ceilUnits } from './trade-ledger.ts';

/** Powers of ten by the number of decimals of a history. */
const SCALES: readonly number[] = Array.from({ length: 19 }, (_, digits) => 10 ** digits);

/** Returns the assumed bid and ask around a close, in units of the history. The close is the middle. */
export function bestPrices(close: number, decimals: number, halfSpreadBps: number): { readonly bid: number; readonly ask: number } {
  const scale = SCALES[decimals] as number;
  const units = Math.round(close * scale);
  const half = ceilUnits((units * halfSpreadBps) / 10_000);
  return { bid: (units - half) / scale, ask: (units + half) / scale };
}
