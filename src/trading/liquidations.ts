/** Liquidates paper perpetuals whose equity is at the maintenance margin, like the venue. A position without a live price is left alone. */
import type { ContainedLoop } from '../../actors/runtime/containment.ts';
import type { Fill } from '../domain/books/book.ts';
import type { DecimalString } from '../domain/values/decimal.ts';
import { paidByHeld } from '../domain/orders/funding.ts';
import { isPerpetual, liquidationAt, liquidationFill, marginHolding } from '../domain/orders/margin.ts';
import type { EpochMs } from '../domain/values/time.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import type { MarginedBook, MarginStore } from '../adapters/store/books/margin-store.ts';

/** Interval in milliseconds of margin checks. */
export const LIQUIDATIONS_MS = 10_000;

/** Liquidates due positions. Returns their number. */
export async function liquidateBooks(deps: {
  readonly store: MarginStore;
  /** Returns the price at which a sell would trade now, or null without a live one. */
  readonly bid: (instrument: InstrumentKey) => DecimalString | null;
  readonly clock: { now(): EpochMs };
  readonly contained: ContainedLoop;
}): Promise<number> {
  const { store, bid, clock, contained } = deps;
  let ended = 0;
  await contained.each(
    await store.margined(),
    ({ id, orgId }) => ({ id, orgId }),
    async (book) => {
      const fill = findLiquidation(book, bid, clock.now());
      // The next check finds further positions, because the book has changed.
      if (fill !== null) ended += await store.end(book, fill);
    },
  );
  return ended;
}

/** Returns the fill that liquidates the first position of a book at its maintenance margin, or null. */
export function findLiquidation(
  { id, holdings, limits, funding, fills }: Pick<MarginedBook, 'id' | 'holdings' | 'limits' | 'funding' | 'fills'>,
  bid: (key: InstrumentKey) => DecimalString | null,
  at: EpochMs,
): Fill | null {
  for (const held of holdings) {
    const { instrument } = held;
    const price = isPerpetual(instrument) ? bid(instrument) : null;
    if (price === null) continue;
    const end = liquidationAt(marginHolding(held, limits).position, paidByHeld(held, funding, fills), price);
    if (end !== null) return liquidationFill(held, end, { id: `liquidation:${id}:${instrument}:${at}`, bookId: id, at });
  }
  return null;
}
