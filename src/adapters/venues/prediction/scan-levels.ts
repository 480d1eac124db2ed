/** Prices and levels of prediction books out of a scan: in their shortest form, as books find a level by it. */
import type { DecimalString } from '../../../domain/values/decimal.ts';
import type { PredictionLevel } from '../../../domain/prediction/market.ts';
import type { FrameScan } from '../frame-scan.ts';

/** Reads a price strictly between 0 and 1; null if the span holds another number, which the JSON parser handles. */
export function scannedPrice(scan: FrameScan, span: number): DecimalString | null {
  const price = scan.shortest(span);
  return price !== null && price.length > 2 && price.charCodeAt(0) === 48 ? price : null;
}

/** Reads the non-empty levels from number `from` on; null if one has no price. */
export function scannedLevels(scan: FrameScan, from: number, count: number): PredictionLevel[] | null {
  const levels: PredictionLevel[] = [];
  for (let level = from; level < from + count; level++) {
    const price = scannedPrice(scan, 2 * level);
    const size = scan.shortest(2 * level + 1);
    if (price === null || size === null) return null;
    if (size !== '0') levels.push({ price, size });
  }
  return levels;
}
