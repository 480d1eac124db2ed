/** Running sums over books, so that the exposure outside one book needs no walk through all. */
import type { TradingBook } from '../books/book.ts';
import type { InstrumentKey } from '../market/venue.ts';
import type { ExactSums } from './context.ts';
import { type Exact, toExact, minus, plus, ZERO } from '../values/exact.ts';

type Asset = ExactSums['assets'][number];

/** Sum of one instrument. `parts` counts its positions and pending buys, because a sum of zero is still reported. */
type Share = Asset & { readonly parts: number };

interface Part {
  readonly book: TradingBook;
  readonly cashUsd: Exact;
  readonly shares: readonly Share[];
}

/** Sums over books of one mode. They are exact: removing a book again loses no digit. */
export class RunningSums {
  readonly #parts = new Map<string, Part>();
  readonly #shares = new Map<InstrumentKey, Share>();
  #cashUsd: Exact = ZERO;
  /** Sums of every instrument by name, until a book changes. Most books hold few instruments. */
  #sorted: readonly Share[] | null = null;

  /** Counts a book as it is now, instead of its earlier state. */
  count(book: TradingBook): void {
    if (this.#parts.get(book.id)?.book === book) return;
    const part = computePart(book);
    this.forget(book.id);
    this.#sorted = null;
    this.#cashUsd = plus(this.#cashUsd, part.cashUsd);
    for (const share of part.shares) {
      const before = this.#shares.get(share.instrument);
      this.#shares.set(share.instrument, before === undefined ? share : combined(before, share, plus, 1));
    }
    this.#parts.set(book.id, part);
  }

  /** Removes a book from the sums. */
  forget(bookId: string): void {
    const part = this.#parts.get(bookId);
    if (part === undefined) return;
    this.#parts.delete(bookId);
    this.#sorted = null;
    this.#cashUsd = minus(this.#cashUsd, part.cashUsd);
    for (const share of part.shares) {
      const left = combined(this.#shares.get(share.instrument) as Share, share, minus, -1);
      if (left.parts === 0) this.#shares.delete(share.instrument);
      else this.#shares.set(share.instrument, left);
    }
  }

  /** Returns the sums without one book, every instrument once, by name. Returns everything if the book is not included. */
  without(bookId: string): ExactSums {
    const own = this.#parts.get(bookId);
    this.#sorted ??= [...this.#shares.values()].sort((a, b) => (a.instrument < b.instrument ? -1 : 1));
    if (own === undefined) return { cashUsd: this.#cashUsd, assets: this.#sorted };
    const assets = this.#sorted.flatMap((all): readonly Asset[] => {
      const mine = own.shares.find(({ instrument }) => instrument === all.instrument);
      if (mine === undefined) return [all];
      return mine.parts === all.parts ? [] : [combined(all, mine, minus, -1)];
    });
    return { cashUsd: minus(this.#cashUsd, own.cashUsd), assets };
  }
}

function computePart(book: TradingBook): Part {
  const shares: Share[] = [];
  const add = (share: Share): void => {
    const place = shares.findIndex(({ instrument }) => instrument === share.instrument);
    if (place < 0) shares.push(share);
    else shares[place] = combined(shares[place] as Share, share, plus, 1);
  };
  for (const { instrument, quantity, costUsd } of book.holdings)
    add({ instrument, quantity: toExact(quantity), costUsd: toExact(costUsd), reservedUsd: ZERO, parts: 1 });
  for (const { side, instrument, notionalUsd } of book.openProposals)
    if (side === 'buy') add({ instrument, quantity: ZERO, costUsd: ZERO, reservedUsd: toExact(notionalUsd), parts: 1 });
  return { book, cashUsd: toExact(book.cashUsd), shares };
}

/** Returns the sum or the difference of two shares of one instrument. */
function combined(a: Share, b: Share, by: typeof plus, sign: 1 | -1): Share {
  return {
    instrument: a.instrument,
    quantity: by(a.quantity, b.quantity),
    costUsd: by(a.costUsd, b.costUsd),
    reservedUsd: by(a.reservedUsd, b.reservedUsd),
    parts: a.parts + sign * b.parts,
  };
}
