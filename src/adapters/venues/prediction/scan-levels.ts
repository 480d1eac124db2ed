/** Prices and levels from a scan, in the shortest form by which books identify a level. */
import type { BookLevel } from '../../../domain/market/order-book.ts';
import type { DecimalString } from '../../../domain/values/decimal.ts';
import type { FrameScan } from '../frame-scan.ts';

/** Returns a price strictly between 0 and 1, or null for any other number, which the JSON parser handles. */
export function scannedPrice(scan: FrameScan, span: number): DecimalString | null {
  const price = scan.shortest(span);
  return price !== null && price.length > 2 && price.charCodeAt(0) === 48 ? price : null;
}

/** Returns the non-empty levels from index `from` on, or null if one has no valid price. */
export function scannedLevels(scan: FrameScan, from: number, count: number): BookLevel[] | null {
  const levels: BookLevel[] = [];
  for (let level = from; level < from + count; level++) {
    const price = scannedPrice(scan, 2 * level);
    const size = scan.shortest(2 * level + 1);
    if (price === null || size === null) return null;
    if (size !== '0') levels.push({ price, size });
  }
  return levels;
}
