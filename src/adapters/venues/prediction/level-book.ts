/** Book of price levels that is updated by differences, and its levels from a scan. */
import type { BookLevel } from '../../../domain/market/order-book.ts';
import { compareDecimals, Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { FrameScan } from '../frame-scan.ts';

export type BookSide = 'bids' | 'asks';

/** Levels by price. Prices are in the shortest form, so that each price is one key. */
export class LevelBook {
  readonly bids = new Map<DecimalString, DecimalString>();
  readonly asks = new Map<DecimalString, DecimalString>();

  /** Sets the size at a price; zero removes the level. */
  set(side: BookSide, price: DecimalString, size: DecimalString): void {
    if (size === '0') this[side].delete(price);
    else this[side].set(price, size);
  }

  /** Adds a signed difference. @returns false if it removes more than the level has, so that the book no longer equals the venue's */
  add(side: BookSide, price: DecimalString, delta: DecimalString): boolean {
    const size = new Decimal(this[side].get(price) ?? 0).plus(delta);
    if (size.lt(0)) return false;
    this.set(side, price, plainDecimal(size));
    return true;
  }

  best(side: BookSide): BookLevel | null {
    let found: DecimalString | null = null;
    for (const price of this[side].keys()) {
      if (found === null) found = price;
      else {
        const order = compareDecimals(price, found);
        if (side === 'bids' ? order > 0 : order < 0) found = price;
      }
    }
    return found === null ? null : { price: found, size: this[side].get(found) as DecimalString };
  }

  /** Replaces both sides. */
  replace(bids: readonly BookLevel[], asks: readonly BookLevel[]): void {
    this.bids.clear();
    this.asks.clear();
    for (const { price, size } of bids) this.set('bids', price, size);
    for (const { price, size } of asks) this.set('asks', price, size);
  }
}

/** Sorts levels best first: bids descending, asks ascending. Fast for venues that send either order. */
export function bestFirst(levels: BookLevel[], side: BookSide): BookLevel[] {
  let ascending = true;
  let descending = true;
  for (let index = 1; index < levels.length && (ascending || descending); index++) {
    const order = compareDecimals((levels[index - 1] as BookLevel).price, (levels[index] as BookLevel).price);
    if (order > 0) ascending = false;
    else if (order < 0) descending = false;
  }
  if (side === 'bids' ? descending : ascending) return levels;
  if (side === 'bids' ? ascending : descending) return levels.reverse();
  const sign = side === 'bids' ? -1 : 1;
  return levels.sort((a, b) => sign * compareDecimals(a.price, b.price));
}

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
